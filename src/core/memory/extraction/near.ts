import type { Subject } from './subjects.ts';
import type { Word } from './words.ts';

const wordSet = (text: string) => new Set(text.trim().split(/\s+/));

/** What is in people's homes, diaries, papers and work, of which they speak with an article alone. Folded. */
export const NEAR = wordSet(`
  code codes digicode mot password passcode pin wifi cle cles clef key keys badge casier locker alarme alarm portail gate porte door
  barriere barrier boite interphone cadenas padlock numero number reference dossier file compteur meter stopcock vanne disjoncteur fuse
  loyer rent bail lease charges facture invoice bill devis quote caution deposit assurance insurance mutuelle abonnement subscription
  membership cotisation contrat contract budget tarif fee banque bank compte account virement salaire
  cuisine kitchen salon lounge chambre bedroom bathroom hallway couloir entree toit roof grenier loft attic cave cellar garage jardin garden
  potager cabanon shed cour yard balcon terrasse patio piscine pool mur murs wall walls plafond ceiling sol floor carrelage tiles parquet
  fenetre windows volets porch immeuble appartement appart flat studio maison house cottage gite ferme farm grange barn parcelle field
  paddock champ terrain parking place ascenseur lift escalier stairs voisinage residence cage local
  chaudiere boiler chauffage heating radiateur radiator frigo fridge four oven lave dishwasher washing machine seche aspirateur hoover
  canape sofa couch lit cot poussette pram velo bike voiture car clio van moto camion truck remorque trailer tracteur tractor bateau boat
  caravane caravan tente tent imprimante printer ordi laptop serveur server routeur router box canoe
  reunion meeting rdv rendez appointment entretien interview repetition rehearsal practice entrainement training cours lesson lessons class
  classe examen exam exams resit partiel oral concours soutenance viva deadline echeance rendu livraison delivery chantier job travaux
  mariage wedding bapteme christening enterrement funeral obseques anniversaire birthday fete party kermesse fair loto brocante grenier
  spectacle concert gala sortie trip voyage sejour holiday vacances location reservation booking
  visite visit inspection controle mot bilan scanner irm scan vaccin jab jabs piqure ordonnance prescription traitement operation analyse
  prise blood suivi seance session atelier club chorale choir equipe team asso association comite copropriete copro syndic stage
  cantine creche nursery garderie periscolaire ecole school college lycee dentiste dentist medecin kine osteo
  poubelles bins bin courrier post colis parcel menage linge plantes plants chien chienne chat chatte dog cat poules hens ewes brebis vaches
  cows herd troupeau moisson betaillere
  prod preprod staging repo release sprint demo migration base appli projet project client cliente customer fournisseur supplier commande`);
/** Who comes to people or is dealt with by them, by trade alone. Folded. */
export const NEAR_ROLE = wordSet(`
  plombier plumber electricien electrician chauffagiste macon builder builders peintre painter decorator menuisier joiner carpenter
  couvreur roofer jardinier gardener paysagiste ramoneur sweep serrurier locksmith vitrier carreleur tiler garagiste mechanic garage
  livreur courier postman facteur femme cleaner menage concierge caretaker gardienne nounou nanny childminder babysitter sitter instit
  maitresse maitre teacher prof tutor coach moniteur instructor medecin doctor gp docteur dentiste dentist kine physio osteo osteopath
  psy therapist pediatre paediatrician gyneco ophtalmo optician cardio veto veterinaire vet infirmier infirmiere nurse midwife sage
  notaire solicitor avocat avocate lawyer comptable accountant banquier conseiller conseillere adviser assureur proprio proprietaire
  landlord landlady locataire tenant locataires tenants syndic agent agence agency letting voisin voisine voisins neighbour neighbours
  neighbor neighbors patron patronne boss manager collegue client cliente clients fournisseur traiteur caterer fleuriste
  florist coiffeur coiffeuse hairdresser gendre apprentice apprenti stagiaire intern herdsman shearer farrier
  marechal pharmacien pharmacist surgeon chirurgien anesthesiste consultant rh hr comptabilite inspecteur inspector technicien technician
  man kids enfants gosses petits parents bebe baby puppy chiot`);
/** Does a clause tell of something at home, at work or in a diary, or of somebody who comes there by trade? */
export const isNear = (words: readonly Word[], subject: Subject | null): boolean =>
  headOf(words, subject).some(({ plain }) => NEAR.has(plain) || NEAR_ROLE.has(plain));

/** The words that say of what or whom a clause tells that names no person: those of its subject, else those before a verb or a sign. */
export function headOf(words: readonly Word[], subject: Subject | null): readonly Word[] {
  if (subject?.type === 'thing') return words.slice(0, subject.next);
  if (subject?.type === 'owned') return words.slice(0, subject.next);
  if (subject !== null) return [];
  const end = words.findIndex(({ plain }, at) => at > 0 && /^(?:[,:;()–]|est|is|'s|are|sont)$/.test(plain));
  return words.slice(0, Math.min(end === -1 ? 6 : end, 8));
}
