import type { Language } from '../../../shared/errors.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { isVerb } from './verbs.ts';

const table = (text: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    text
      .trim()
      .split(/\s*\n\s*/)
      .map((line) => {
        const [written = '', meant = ''] = line.split(' = ');
        return [written, meant.split(' ')];
      }),
  );

/** What people type without apostrophe or space, and common short forms of messages. Folded. */
const FRENCH_SHORT = table(`
  jai = j ai
  jaime = j aime
  jadore = j adore
  jhabite = j habite
  jhabites = j habite
  jabite = j habite
  jetais = j etais
  jetudie = j etudie
  jattends = j attends
  japprends = j apprends
  jarrive = j arrive
  jarrete = j arrete
  jutilise = j utilise
  jecris = j ecris
  jenseigne = j enseigne
  jeleve = j eleve
  jsuis = je suis
  g = j ai
  ayé = ca y est
  qd = quand
  qqn = quelqu un
  chuis = je suis
  chui = je suis
  jvis = je vis
  jvais = je vais
  jviens = je viens
  jbosse = je bosse
  jtravaille = je travaille
  jpars = je pars
  jfais = je fais
  jdois = je dois
  jpeux = je peux
  jmange = je mange
  jdeteste = je deteste
  jme = je me
  jte = je te
  jpense = je pense
  jcrois = je crois
  jsais = je sais
  jprefere = je prefere
  jm = je m
  jmappelle = je m appelle
  mappelle = m appelle
  mapelle = m appelle
  mapel = m appelle
  sappelle = s appelle
  sapelle = s appelle
  sapel = s appelle
  appel = appelle
  cest = c est
  cetait = c etait
  daccord = d accord
  noublie = n oublie
  noubliez = n oublie
  nhabite = n habite
  naime = n aime
  nai = n ai
  lecole = l ecole
  quil = qu il
  quelle = quelle
  rdv = rendez vous
  rv = rendez vous
  rdvs = rendez vous
  rendezvous = rendez vous
  ds = dans
  ns = nous
  pr = pour
  tjs = toujours
  tjrs = toujours
  bcp = beaucoup
  anniv = anniversaire
  aniv = anniversaire
  tel = telephone
  num = numero
  mdp = mot de passe
  boulo = boulot
  taf = boulot
  aujourd = aujourdhui
`);

const ENGLISH_SHORT = table(`
  im = i am
  ive = i have
  dont = do not
  doesnt = does not
  didnt = did not
  cant = can not
  cannot = can not
  wont = will not
  isnt = is not
  arent = are not
  wasnt = was not
  havent = have not
  hasnt = has not
  couldnt = could not
  wouldnt = would not
  shouldnt = should not
  hes = he is
  shes = she is
  thats = that is
  whats = what is
  theyre = they are
  theyve = they have
  weve = we have
  youre = you are
  lets = let s
  gonna = going to
  wanna = want to
  gotta = got to
  u = you
  ur = your
  bday = birthday
  bf = boyfriend
  gf = girlfriend
  bff = best friend
  appt = appointment
  pls = please
  plz = please
  thx = thanks
  hubby = husband
  bc = because
  cuz = because
  cos = because
  dob = date of birth
  wich = which
  wat = what
  wot = what
  shud = should
  cud = could
  becuase = because
  probly = probably
  favorite = favourite
  favorites = favourites
`);

/** Words on which a rule may stand, and which have no neighbour at distance 1 that means something else. Folded. */
const FRENCH_WORDS = `
  appelle appelles appellent habite habites habitent travaille travailles travaillent demenage demenager souviens souvenez
  rappelle oublie oubliez retiens depuis maintenant frere soeur mere femme fille grand-mere anniversaire rendez
  allergique allergie intolerant intolerante vegetarien vegetarienne vegan prefere preferes deteste detestes adore
  supporte jusqu jusque demain vendredi mercredi samedi dimanche janvier fevrier septembre octobre novembre decembre
  numero telephone adresse decide choisi installe ingenieur infirmiere infirmier professeur medecin collegue voisine voisin
  copine copain cousine cousin mariage traitement medicament semaine toujours quelle pourquoi comment combien`;
const ENGLISH_WORDS = `
  remember forget called brother sister mother father daughter husband friend friends girlfriend boyfriend
  grandmother grandfather birthday appointment allergic allergy vegetarian favourite prefer prefers living working moving
  moved married because until tomorrow monday tuesday wednesday thursday friday saturday sunday january february
  september october november december password address number decided chosen nurse engineer teacher doctor dentist
  neighbour colleague surgery treatment medication meeting deadline weekend really should would could wonder`;

/** Short forms that are no words of the other language. */
const CLEAR = new Set(['im', 'ive', 'jai']);
const MIN_LENGTH = 5;

/** Every word less one of its letters: two words at distance 1, transpositions included, share one of them. */
function* without(word: string): Generator<string> {
  yield word;
  for (let index = 0; index < word.length; index += 1) yield word.slice(0, index) + word.slice(index + 1);
}

interface Correction {
  known: ReadonlySet<string>;
  byPart: ReadonlyMap<string, readonly string[]>;
}

function correctionOf(words: string): Correction {
  const known = words.split(/\s+/).filter((word) => word.length >= MIN_LENGTH);
  const byPart = new Map<string, string[]>();
  for (const word of known)
    for (const part of without(word)) byPart.set(part, [...(byPart.get(part) ?? []), word]);
  return { known: new Set(known), byPart };
}

const SHORT = { fr: FRENCH_SHORT, en: ENGLISH_SHORT };
const CORRECTIONS = { fr: correctionOf(FRENCH_WORDS), en: correctionOf(ENGLISH_WORDS) };
/** Words in their own right that lie at distance 1 from one of the lists. */
const MEANT = new Set(
  `habits habitue habitee travaillee travailler appeler appelee brothers sisters mothers fathers friendly called caller
  oubliee frere freres soeurs fille filles femmes preferer preferee detester adorer supporter decider decidee choisie
  installer installee voisins cousins cousines telephoner adresser numeros mariages semaines forgets remembers moves
  living loving giving working walking moving loving wording married number numbers numbed meetings could would should
  mould cloud wonder wander nurses doctors dentists teachers decide parce farce perce depuis habited prefere prefers
  surgeon friends fiends husbands brothel`.split(/\s+/),
);

/** At most one letter is wrong, missing, added or swapped with its neighbour. */
function isNear(word: string, other: string): boolean {
  if (Math.abs(word.length - other.length) > 1) return false;
  let start = 0;
  while (start < word.length && start < other.length && word[start] === other[start]) start += 1;
  let end = 0;
  while (
    end < word.length - start &&
    end < other.length - start &&
    word[word.length - 1 - end] === other[other.length - 1 - end]
  )
    end += 1;
  const [left, right] = [word.slice(start, word.length - end), other.slice(start, other.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

/**
 * What a folded word stands for: several words where their apostrophe or space is missing ("jhabite", "im"), the right spelling
 * of a word of the closed lists that is one letter away from it, else itself.
 */
export function meantBy(word: string, language: Language): readonly string[] {
  const other = language === 'fr' ? 'en' : 'fr';
  const short =
    SHORT[language].get(word) ?? (word.length > 3 || CLEAR.has(word) ? SHORT[other].get(word) : undefined);
  if (short) return short;
  const { known, byPart } = CORRECTIONS[language];
  if (functionWords.has(word) || isVerb(word)) return [word];
  if (word.length < MIN_LENGTH || word.length > 16 || known.has(word) || MEANT.has(word)) return [word];
  for (const part of without(word))
    for (const candidate of byPart.get(part) ?? [])
      if (candidate[0] === word[0] && isNear(word, candidate)) return [candidate];
  return [word];
}
