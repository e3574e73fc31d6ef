/** Kinship in English, then the folded words for it in both languages. What is not in the list is no person to what reads people. */
const TABLE = `
  mother: mere, maman, mother, mom, mum, mummy, mommy, mam, ma
  father: pere, papa, father, dad, daddy, pa
  parents: parents, folks
  brother: frere, frangin, frerot, brother, bro, big brother, little brother, twin brother, frere jumeau, grand frere, petit frere
  sister: soeur, frangine, soeurette, sister, sis, big sister, little sister, twin sister, soeur jumelle, grande soeur, petite soeur
  half-brother: demi frere, half brother, stepbrother, step brother
  half-sister: demi soeur, half sister, stepsister, step sister
  twin: jumeau, jumelle, twin
  youngest: youngest, little one
  eldest: eldest, oldest
  great-grandfather: arriere grand pere, great grandfather, great grandad
  great-grandmother: arriere grand mere, great grandmother, great grandma
  son: fils, fiston, garcon, son, boy, fils aine, aine, cadet, benjamin, petit dernier, stepson, beau fils
  daughter: fille, girl, daughter, fillette, ainee, cadette, benjamine, stepdaughter
  child: enfant, gosse, gamin, gamine, child, kid, toddler, bebe, baby, kiddo
  children: enfants, gosses, gamins, children, kids, fils et fille, jumeaux, jumelles, twins, petits
  wife: femme, epouse, wife, missus
  husband: mari, epoux, husband
  partner: partner, compagnon, compagne, conjoint, conjointe, moitie, concubin, concubine, other half
  boyfriend: copain, petit ami, mec, boyfriend, amoureux, cheri
  girlfriend: copine, petite amie, nana, girlfriend, amoureuse, cherie
  fiance: fiance, fiancee
  ex: ex, ex mari, ex femme, ex wife, ex husband, ex copain, ex copine
  grandmother: grand mere, mamie, mamy, meme, mami, grandmother, grandma, gran, granny, nan, nana mum, nanna, grandmere
  grandfather: grand pere, papi, papy, pepe, grandfather, grandpa, granddad, grandad, gramps, grandpere
  grandparents: grands parents, grandparents
  grandson: petit fils, grandson
  granddaughter: petite fille, granddaughter
  grandchildren: petits enfants, grandchildren, grandkids
  uncle: oncle, tonton, uncle
  aunt: tante, tata, tatie, aunt, auntie, aunty
  great-aunt: grand tante, great aunt
  great-uncle: grand oncle, great uncle
  cousin: cousin, cousine, cousins, cousines
  nephew: neveu, nephew
  niece: niece
  nephews: neveux, nephews
  godfather: parrain, godfather
  godmother: marraine, godmother
  godchild: filleul, filleule, godson, goddaughter, godchild
  mother-in-law: belle mere, belle maman, mother in law
  father-in-law: beau pere, father in law
  parents-in-law: beaux parents, in laws, belle famille, parents in law
  brother-in-law: beau frere, brother in law
  sister-in-law: belle soeur, sister in law
  son-in-law: gendre, son in law
  daughter-in-law: belle fille, bru, daughter in law
  stepmother: stepmother, step mother, stepmum, stepmom
  stepfather: stepfather, step father, stepdad
  friend: ami, amie, pote, meilleur ami, meilleure amie, meilleur pote, friend, best friend, buddy, mate, bestie, pal, best mate
  friends: amis, amies, potes, copains, copines, friends, mates
  boss: patron, patronne, chef, cheffe, manager, superieur, superieure, boss, responsable, line manager, supervisor
  colleague: collegue, colleague, coworker, co worker, teammate, binome, binome de tp, workmate, collegue de bureau
  colleagues: collegues, colleagues, coworkers
  associate: associe, associee, business partner, cofounder, co founder
  assistant: assistante, secretaire, secretary
  neighbour: voisin, voisine, neighbour, neighbor
  neighbours: voisins, neighbours, neighbors
  roommate: coloc, colocs, colocataire, roommate, flatmate, housemate, roomie
  landlord: proprio, proprietaire, bailleur, landlord, landlady
  tenant: locataire, tenant
  doctor: medecin, medecin traitant, docteur, generaliste, doctor, gp
  dentist: dentiste, dentist, orthodontiste, orthodontist
  therapist: psy, psychologue, psychiatre, therapist, psychologist, psychiatrist, counsellor
  mentor: mentor, tutrice, tuteur, tutrice de stage, tuteur de stage, maitre de stage
  physiotherapist: kine, kinesitherapeute, physio, osteo, osteopathe, physiotherapist
  midwife: sage femme, midwife
  gynaecologist: gyneco, gynecologue, gynaecologist, gynecologist
  cardiologist: cardiologue, cardiologist
  ophthalmologist: ophtalmo, ophtalmologue, optician, opticien
  dermatologist: dermato, dermatologue, dermatologist
  vet: veto, veterinaire, vet
  teacher: prof, professeur, instit, maitresse, maitre, teacher, tutor
  thesis-director: directeur de these, directrice de these, phd supervisor, advisor
  coach: coach, entraineur, trainer
  childminder: nounou, nourrice, assistante maternelle, baby sitter, babysitter, nanny, childminder
  lawyer: avocat, avocate, lawyer, solicitor
  accountant: comptable, accountant
  banker: banquier, banquiere, conseiller bancaire, banker
  hairdresser: coiffeur, coiffeuse, hairdresser, barber
  mechanic: garagiste, mecano, mechanic
  plumber: plombier, plumber
  cleaner: femme de menage, cleaner
  godparents: parrains, godparents
  student: eleve, eleves, students
  client: client, cliente, clients`;

const KINSHIP = new Map<string, string>();
for (const line of TABLE.trim().split('\n')) {
  const [kinship = '', words = ''] = line.trim().split(': ');
  for (const word of words.split(', ')) KINSHIP.set(word, kinship);
}

/** What folded words say somebody is to somebody, in English; null if they are other words. */
export const kinshipOf = (words: string): string | null => KINSHIP.get(words) ?? null;
