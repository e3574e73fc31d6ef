import type { Word } from './words.ts';

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** What people are by trade, in the masculine; folded. Endings below give most others. */
const TRADES = words(`
  infirmier soignant medecin docteur chirurgien dentiste kine pharmacien veterinaire veto prof instit enseignant maitre ingenieur
  dev informaticien graphiste designer architecte avocat notaire juge comptable banquier secretaire assistant vendeur caissier
  serveur cuisinier cuistot boulanger patissier boucher coiffeur fleuriste libraire bibliothecaire agriculteur paysan eleveur
  maraicher viticulteur vigneron apiculteur jardinier paysagiste menuisier charpentier plombier electricien macon peintre couvreur
  garagiste mecano mecanicien chauffeur routier livreur conducteur cheminot facteur postier policier gendarme pompier militaire
  soldat marin pecheur pilote steward hotesse journaliste ecrivain auteur traducteur interprete musicien photographe comedien
  artiste artisan couturier potier consultant commercial manager cadre ouvrier technicien chercheur doctorant thesard lyceen
  collegien etudiant apprenti stagiaire alternant interimaire fonctionnaire freelance retraite chomeur psy psychologue
  orthophoniste educateur animateur nounou cariste magasinier gardien concierge osteopathe responsable guide moniteur coach
  entraineur geometre urbaniste biologiste chimiste physicien ergotherapeute opticien prothesiste ambulancier brancardier
  auxiliaire agent aide commandant capitaine clerc greffier expert tatoueur berger bucheron horloger luthier soudeur grutier
  nurse surgeon dentist vet midwife carer caregiver paramedic pharmacist physio physiotherapist therapist psychologist teacher
  professor lecturer tutor student undergrad postdoc researcher scientist engineer developer programmer coder architect lawyer
  solicitor barrister judge accountant banker analyst director secretary receptionist cashier waiter waitress bartender barista
  chef cook baker butcher hairdresser barber florist librarian bookseller farmer shepherd beekeeper gardener landscaper carpenter
  joiner plumber electrician builder bricklayer painter decorator roofer welder mechanic driver trucker courier pilot attendant
  sailor fisherman postman mailman policeman policewoman officer firefighter soldier veteran journalist reporter writer author
  editor translator interpreter musician photographer actor actress artist potter seamstress tailor freelancer contractor
  entrepreneur founder cofounder trainee apprentice intern pensioner retiree housewife worker childminder nanny cleaner
  caretaker janitor clerk servant technician chemist biologist physicist geologist optician agent realtor salesman saleswoman
  rep salesperson supervisor trainer instructor priest vicar pastor rabbi imam nun monk plasterer radiographer owner lead
  shopkeeper landlord beautician dispatcher adjuster celebrant registrar consultant housekeeper butler ranger warden gamekeeper
  miner docker fitter bookkeeper auditor actuary undertaker blacksmith farrier vintner brewer broker buyer planner surveyor
  doctor gp chef docteure prefet maire`);

/** Trades of several words, and states that stand for one. */
const SEVERAL =
  /^(?:sage femme|(?:mere|pere|femme|homme) au foyer|a la retraite|au chomage|auto entrepreneur|chef d? ?\w+|a mon compte|stay at home \w+|tech lead|team lead|civil servant|phd student|self employed)(?= |$)/;

/** Endings that make a trade of a word; the words before the colon have them and are none. */
const AGENT = /^\p{L}{3,}(?:eur|euse|trice|iste|logue|graphe|ologist|ographer|keeper|smith|wright)$/u;
const NO_AGENT = words(`
  heureuse meilleur meilleure superieur superieure interieur exterieur inferieur majeur majeure mineur mineure anterieur posterieur
  triste optimiste pessimiste altruiste egoiste realiste feministe raciste gauchiste perfectionniste seur soeur fleur coeur peur
  couleur douleur odeur valeur chaleur fraicheur hauteur longueur largeur grandeur erreur leur plusieurs ailleurs ulterieur
  interne internes fumeur fumeuse dormeur dormeuse joueur joueuse menteur amateur ordinateur moteur ascenseur dialogue catalogue analogue`);

const FEMININE: readonly [RegExp, string][] = [
  [/euse$/, 'eur'],
  [/trice$/, 'teur'],
  [/iere$/, 'ier'],
  [/ere$/, 'er'],
  [/enne$/, 'en'],
  [/onne$/, 'on'],
  [/s$/, ''],
  [/e$/, ''],
];

/** Is it a word for what somebody is by trade, in either gender? */
export function isTrade(word: string): boolean {
  if (TRADES.has(word)) return true;
  if (NO_AGENT.has(word)) return false;
  if (AGENT.test(word)) return true;
  return FEMININE.some(([ending, base]) => ending.test(word) && TRADES.has(word.replace(ending, base)));
}

/** Does a trade begin at a word, or stand at most three words behind it: "a primary school teacher"? */
export function holdsTrade(all: readonly Word[], index: number): boolean {
  const phrase = all.slice(index, index + 4).map(({ plain }) => plain);
  if (SEVERAL.test(phrase.join(' '))) return true;
  // « Mon médecin est le docteur Paugam » says who, not what.
  const called = all.slice(index, index + 3).findIndex(({ isCapital }) => isCapital);
  if (called > 0 && isTrade(phrase[called - 1] ?? '')) return false;
  const end = phrase.findIndex((word) => !/^\p{L}+$/u.test(word) || BREAKS.has(word));
  return (end === -1 ? phrase : phrase.slice(0, end)).some(isTrade);
}

const BREAKS = words(`
  and et or ou but mais at in on for to from with who qui que which chez a au aux dans en pour avec depuis since my mon ma mes our
  notre the le la les his her son sa du des not pas than`);
