import { auxiliaries, functionWords } from '../../support/text/stopWords.ts';
import { foldedWords } from '../../support/text/tokenise.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** The product's own name is no matter when it is greeted or thanked. */
const ADDRESS = / (bonjour|bonsoir|salut|coucou|hello|hi|hey|merci|thanks|thank you) souvenir(?= )/g;

// Closed classes of words, folded: a message that holds any other word may ask for something.

/** Whoever says one of these is not asking for it, whatever stands beside it. */
const COURTESIES = words(`
 bonjour bonsoir salut coucou rebonjour allo hello hi hey hiya howdy yo bienvenue welcome slt bjr bsr cc
 merci mercis thanks thank thankyou thx thks tks ty tysm cheers grazie gracias mrc
 stp svp please pls plz plait prie pardon desole desolee sorry excuse excuses excusez dsl apologies apology apologise apologize
 bye goodbye ciao adieu revoir cya ttyl brb gtg gotta bravo felicitations congrats congratulations
 ok okay okey oki dac oui ouais ouep non nan nah yes yep yeah yup no nope kk np yw
 bise bises bisou bisous kiss kisses xx
 ah oh eh hein euh hum hmm aha ouf zut wow waouh wouah whoa yay hourra hooray oops oups lol mdr ptdr xd`);

/** What else agrees, praises, soothes or lingers; in a question, these words are about something. */
const COMPANIONS = words(`
 accord entendu compris comprends comprend understand understood gotcha recu note noted agree agreed see vois sais know sense makes clear clair
 claire logique raison tort true vrai vraie exact juste fair right correct sure exactly indeed absolutely definitely certainly totally
 totalement exactement evidemment absolument certainement clairement completement completely carrement volontiers grave voila bref maybe perhaps
 possibly probably probablement marche roule gaze works sounds dokey
 bien bon bonne mieux parfait parfaite perfect perfectly parfaitement super genial geniale excellent excellente nickel top impeccable impec
 chouette cool nice good great fine lovely awesome amazing brilliant wonderful fantastic fantastique magnifique formidable marvellous neat sweet
 beau belle joli jolie gentil gentille kind kindly sympa adorable cute interesting interessant interessante impressive impressionnant useful
 utile drole rigolo funny dommage pity shame better best meilleur meilleure adore well alright
 appreciate appreciated grateful reconnaissant reconnaissante infiniment sincerement sincerely enormement beaucoup vraiment really trop tellement
 pretty quite assez immense grand grande big huge mille million thousand tons lots lot bunch again fois 
 worries worry inquiete inquietez matter mind never forget pis bother
 rien mal bad means fallait needed besoin
 joue done oublie aide aidee aider helped help helpful trompe trompee 
 attends attendez attend wait hold minute minutes seconde secondes second seconds moment instant instants deux two couple suite continue ahead allez
 proceed laisse leave reste reviens back enjoy passe passez 
 one everything now enough tant give donne dear gosh mate buddy pal k re`);

const PART_OF_DAY =
  'journee|matinee|apres midi|soiree|nuit|week end|weekend|semaine|continuation|day|morning|afternoon|evening|night|week|one|time|chance|luck|vacances|holiday|holidays|trip|route|appetit';
const DAY =
  'demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const LATER =
  'bientot|plus tard|plus|tout a l heure|tantot|la prochaine|ce soir|soon|later|around|next time|then';
/** What is said of the time when people greet, wish well, ask how the other is, and take leave. */
const FORMULAS: readonly RegExp[] = [
  new RegExp(
    ` (?:bons?|bonnes?|good|great|nice|lovely|pleasant|excellente?|belle|rest of (?:the|your)) (?:fin de |rest of the )?(?:${PART_OF_DAY})(?= )`,
    'g',
  ),
  / (?:pour|for) (?:aujourd\S*hui|today|now|tonight|ce soir|l instant|le moment)(?= )/g,
  /^ (?:good )?(?:morning|afternoon|evening)(?= (?:all|to|everyone|everybody|$))/g,
  new RegExp(
    ` (?:a|jusqu a|until|till|see you|see ya|talk to you|speak to you) (?:on |next )?(?:${DAY}|${LATER})(?= )`,
    'g',
  ),
  / (?:comment (?:tu|vous) (?:te |vous )?(?:sens|sentez|vas|allez|portes|portez)|how have you been|how(?: s| is| was)? your (?:day|morning|evening|week|weekend)(?: going)?|long time no see|bien dormi|ca (?:roule|gaze|baigne|marche))(?: (?:aujourd\S*hui|today))?(?= )/g,
  / (?:quoi de (?:neuf|beau)|what(?: s)? (?:up|new)|whats up|comment vas tu|comment allez vous|how(?: s| is)? it going|how do you do)(?: (?:aujourd\S*hui|today))?(?= )/g,
  / (?:how are (?:you|things)(?: doing)?|ca va(?: bien)?|tu vas bien|vous allez bien|are you ok(?:ay)?)(?: (?:aujourd\S*hui|today))?(?= )/g,
  / (?:pas de|no|aucun|sans) (?:soucis?|problemes?|problem|big deal)(?= )/g,
  / (?:bonne?|good|great|nice|excellente?|brilliant|lovely) (?:idee|idea|thinking|job|work|courage|luck)(?= )/g,
  / (?:sweet dreams|laisse tomber|have to run|love it|(?:with|avec) (?:grand )?(?:pleasure|plaisir)|my (?:pleasure|mistake)|bon courage|(?:i |j )?(?:hope|espere)(?: que)?|au temps pour moi|d avance|in advance)(?= )/g,
  / (?:of course|de (?:ta|votre) part|sleep well|dors bien|take care|prends soin de toi|tout le monde|everyone|everybody)(?= )/g,
  / (?:pour|for) (?:ton|votre|ta|vos|tes|your|the|l|cette|ces|la) (?:aide|reponses?|conseils?|temps|patience|help|answers?|advice|time|support)(?= )/g,
];
/** They ask wherever they stand; the others only at the beginning: "that's what I needed", « je vois que oui ». */
const ASKS = words('quoi comment pourquoi combien lequel laquelle lesquels lesquelles');
/** « Quel est le problème » asks, « quelle bonne idée » does not. */
const WHICH = /^ quel(?:le)?s? (?:est|sont|etait|etaient|sera) /;
const ASKS_FIRST = words('que qu qui ou quand what which who whom whose where when why how');
const CLAUSE = /[^.,;:!?…\n]+[.,;:!?…\n]*/gu;
/** "Haha", "hihihi". */
const LAUGHTER = /^(?:h[aeio]){2,}h?$/;

/** Is a folded word a greeting, thanks or the like, which nobody looks for in a question that says more? */
export const isCourtesy = (word: string): boolean => COURTESIES.has(word) || LAUGHTER.test(word);

/**
 * Does a message only greet, thank, agree, wish well or take leave, so that nothing is to be looked for? Every word of it is then a
 * function word or of a closed class.
 * @param names its words that are names by their capitals, folded: what they name is looked for
 */
export function isSmallTalk(text: string, names: ReadonlySet<string>): boolean {
  // "Très bien, et toi ?" asks by its last clause alone.
  return (text.match(CLAUSE) ?? []).every((clause) => isSmallClause(clause, names));
}

function isSmallClause(clause: string, names: ReadonlySet<string>): boolean {
  let left = ` ${foldedWords(clause)} `.replace(ADDRESS, ' $1');
  for (const formula of FORMULAS) left = left.replace(formula, '');
  const all = left.trim().split(/\s+/).filter(Boolean);
  const first = all.find((word) => !isCourtesy(word)) ?? '';
  const asks =
    clause.includes('?') || WHICH.test(left) || ASKS_FIRST.has(first) || all.some((word) => ASKS.has(word));
  return all.every((word) => {
    if (isCourtesy(word)) return true;
    if (names.has(word)) return false;
    return functionWords.has(word) || auxiliaries.has(word) || (!asks && COMPANIONS.has(word));
  });
}
