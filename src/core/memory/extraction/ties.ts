import { isNameWord, nameEnd } from './names.ts';
import { headOf, NEAR, NEAR_ROLE } from './near.ts';
import { POSSESSIVE } from './people.ts';
import type { Subject } from './subjects.ts';
import { isTrade } from './trades.ts';
import { plainText, type Word } from './words.ts';

const wordSet = (text: string) => new Set(text.trim().split(/\s+/));

/** Whoever and whatever is in the news, in books of history and on screens. Folded. */
const WORLD = wordSet(`
  gouvernement government prefet prefete prefecture ministre ministere minister ministry senat senate senateur senatrice senator depute
  deputee parlement parliament assemblee congress president presidente presidency chancellor chancelier maire mayor mairesse sheriff
  juge judge tribunal cour procureur prosecutor police gendarmes insee cia fbi nasa onu otan nato g7 g20 brexit
  election elections referendum loi law laws decret taxe taxes tax impots inflation chomage pib gdp bourse cac smic
  sncf ratp edf northern airline airlines euromillions loto lottery jackpot
  match finale final penalty penalties goal goals goalkeeper striker buts ligue league champion champions championne championnat
  championship coupe cup tournoi olympique olympics jo marathon grand slam selectionneur ballon om psg arsenal chelsea villa united city
  equipe bleus lyonnais marseillais parisiens
  star stars celebrite celebrity chanteur chanteuse singer acteur actrice actor actress rappeur rapper realisateur realisatrice director
  cineaste metteur scene romancier romanciere novelist ecrivain author poete poet peintre compositeur composer philosophe philosopher
  roi king reine queen prince princesse princess duc duchesse duke duchess empereur emperor pape pope saint chevalier knight general
  milliardaire billionaire ceo pdg marque brand entreprise multinationale startup google apple amazon tesla microsoft netflix
  astronaute astronaut astronome astronomer navigateur sailor alpiniste mountaineer explorateur explorer savant physicien physicist
  chimiste inventeur inventor professeur professor cuisinier etoile berger shepherd
  zoo musee museum louvre festival expo galerie cathedrale cathedral basilique tour tower viaduc chateau castle palais palace
  planete planet lune moon soleil sun galaxie galaxy etoiles stars univers universe continent ocean fleuve river lac
  lake mont mount montagne volcan volcano ile island desert foret capitale capital pays country population habitants inhabitants
  siecle century guerre war revolution empire antiquite moyen
  abeilles elephant elephants baleine whale requin shark dauphin espece species animal animaux animals dinosaure
  people gens humains humans
  radio tele telly tv journal newspaper magazine article reportage documentaire documentary documentary emission presse press
  tgv airbus boeing concorde paquebot titanic satellite fusee rocket
  ingenieur capitaine captain lieutenant inspecteur detective heros heroine hero`);
/** What somebody works on here and now with whoever reads. Folded. */
const IN_HAND = wordSet(`
  version versions titre titres title titles option options proposition propositions reponse answer paragraphe paragraph phrase sentence
  exercice exercise page ligne line script code tableau spreadsheet requete query formule formula slogan idee idees idea ideas fichier
  brouillon draft texte text resume summary batterie battery ecran screen connexion connection chargement loading prompt image logo
  synonyme rime rhyme plan intro conclusion etape step point points regle colonne colonnes column rows lignes bug erreur error
  lettre letter mail email message poeme poem liste list`);

const OWN = /(?:^| )(?:je|j|i|me|m|moi|nous|we|us|myself|on)(?= |$)/;
/** « Plus vieux que Marie », "two years older than Mary": people of a sum. */
const COMPARES =
  /(?:^| )(?:de plus|de moins|older|younger|taller|plus (?:vieux|vieille|grande?|petite?|agee?)) (?:que|qu|than)(?= |$)|(?:^| )(?:le double|le triple|la moitie|twice|three times|half) (?:de |d |as |the )?/;
/** What is said of anybody: « on est tous … », "we're all …". */
const OF_ALL =
  /(?:^| )(?:on|nous|we)(?: (?:est|sommes|are|'s|were|etions|a|avons|have|'ve|re))? (?:tous|toutes|all)(?= |$)/;

/**
 * How a clause hangs on its author, by names of evidence: through a word for them or what is theirs, through what only somebody near tells
 * of with an article alone, or through nothing; what its subject is called where it is somebody or something else; and whether it speaks
 * of what everybody may read of, or of what is worked on here.
 */
export function tiesOf(words: readonly Word[], subject: Subject | null, isKnown: boolean): string[] {
  const { text } = plainText(words);
  const isTied =
    isKnown ||
    OWN.test(text) ||
    words.some(({ plain }) => POSSESSIVE.test(plain)) ||
    (subject?.type === 'person' && !subject.isBare);
  const shape = shapeOf(words, subject);
  const head = headOf(words, subject);
  const isNear = head.some(({ plain }) => NEAR.has(plain));
  const isNearRole = head.some(({ plain }) => NEAR_ROLE.has(plain));
  const isWorldHead = head.some(({ plain }) => WORLD.has(plain));
  const isWorld = words.some(({ plain }) => WORLD.has(plain));
  const isInHand = words.some(({ plain }) => IN_HAND.has(plain));
  const shown: Readonly<Record<string, boolean>> = {
    tied: isTied,
    untied: !isTied,
    'near head': isNear,
    'near role': isNearRole,
    'no near head': head.length > 0 && !isNear && !isNearRole,
    'near untied': isNear && !isTied,
    'world head': isWorldHead,
    'world head only': isWorldHead && !isNear && !isNearRole,
    'world untied': isWorld && !isTied,
    'in hand': isInHand,
    'in hand untied': isInHand && !isTied,
    compares: COMPARES.test(text),
    'of all': OF_ALL.test(text),
  };
  return [
    ...Object.keys(shown).filter((name) => shown[name]),
    ...(shape && !isKnown
      ? [shape, `${shape} ${isWorld ? 'world' : isNear || isNearRole ? 'near' : 'else'}`]
      : []),
  ];
}

function shapeOf(words: readonly Word[], subject: Subject | null): string | null {
  const isArticle = /^(?:le|la|l|les|the|un|une|a|an)$/.test(words[0]?.plain ?? '');
  if (isArticle) {
    const at = words.slice(0, 6).findIndex((word, index) => index > 0 && isNameWord(word));
    const isRole = words.slice(1, at === -1 ? 4 : at).some(({ plain }) => isTrade(plain));
    const isNamed = at > 0 && at <= (subject?.next ?? 4);
    if (isRole) return isNamed ? 'role named' : 'role';
    return isNamed ? 'thing named' : 'thing plain';
  }
  if (subject?.type !== 'person' || !subject.isBare || subject.people.length > 1) return null;
  if (isTrade(words[0]?.plain ?? '')) return 'role named';
  const isTitled = /^(?:m|mme|mr|mrs|ms|miss|dr|mlle|pr|maitre|madame|monsieur)$/.test(words[0]?.plain ?? '');
  if (isTitled) return 'titled';
  return nameEnd(words, 0) > 1 ? 'full name' : 'one name';
}
