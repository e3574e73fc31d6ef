import { readFileSync } from 'node:fs';
import { resourcePath } from '../../support/resources.ts';
import { auxiliaries, functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, stem, type Token, tokenise } from '../../support/text/tokenise.ts';

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
 later now maintenant stop arrete arretez essaie possibly probably probablement marche roule gaze works sounds dokey
 bien bon bonne mieux parfait parfaite perfect perfectly parfaitement super genial geniale excellent excellente nickel top impeccable impec
 chouette cool nice good great fine lovely awesome amazing brilliant wonderful fantastic fantastique magnifique formidable marvellous neat sweet
 beau belle joli jolie gentil gentille kind kindly sympa adorable cute interesting interessant interessante impressive impressionnant useful
 utile drole rigolo funny weird strange odd bizarre etrange dommage pity shame better best meilleur meilleure adore well alright
 appreciate appreciated grateful reconnaissant reconnaissante infiniment sincerement sincerely enormement beaucoup vraiment really trop tellement
 pretty quite assez immense grand grande big huge mille million thousand tons lots lot bunch again fois 
 worries worry inquiete inquietez matter mind never forget pis bother
 rien mal bad means fallait needed besoin
 joue done oublie aide aidee aider helped help helpful trompe trompes trompee 
 attends attendez attend wait hold minute minutes seconde secondes second seconds moment instant instants deux two couple suite continue ahead allez
 proceed laisse leave reste reviens back enjoy passe passez 
 one everything now enough tant give donne dear gosh mate buddy pal k re`);

/** Who speaks, who is spoken to, and what was just said. */
const SPEAKERS = words(
  'i m me we you u it that this im its thats je j me moi nous on tu t te toi vous c ce ca cela',
);

/** Stems of the words for what talk does: people say them of the talk itself, of themselves and of each other. */
const OF_TALK: ReadonlySet<string> = new Set(
  [
    // Understanding, believing, wanting to find out.
    ...words(`think thinking thought know knew guess suppose believe hope bet wonder confused confusing idea clue pense penser reflechir
 reflechis crois croire croyais suppose espere savais savoir sache ignore ignorais idee comprendre comprenais try trying tried check
 checking verify look looking essaie essayer essaye verifie verifier regarde regarder verrai verra verrons verrez`),
    // Saying, asking, answering.
    ...words(`mean meant say said saying tell told ask asked explain explaining explained explanation explanations clarify clarifying
 clarification answer answers reply replies response info information informing letting reminding reminder repeat dire dis dit redis
 demande demander expliquer explique explications precise preciser precisions reponse reponses repondre repondu infos informations prevenir
 prevenu rappel rappeler repete repeter repetez talking speaking chatting parler discuter bavarder`),
    // Helping, working, ending.
    ...words(`help helping solve solving fix fixing working problem problems issue trouble question questions doubt fini finir finis
 finish ended regle regler resolu resoudre resout fonctionne fonctionner probleme soucis aidant done stop arrete arreter suffit suffira`),
    // Liking, feeling, judging.
    ...words(`like love loving hate glad happy pleased delighted relieved relief proud touched impressed surprised sad lost tired exhausted
 sleepy bored busy strange weird odd awful terrible horrible crazy surprising quick fast short easy hard false mistaken kidding joking
 aime aimer plait plaire deteste content contente heureux heureuse ravi ravie soulage soulagee fier fiere touche impressionne surpris
 surprise triste perdu perdue fatigue fatiguee creve crevee ennuie occupe bizarre etrange affreux horrible dingue fou surprenant rapide
 court facile difficile faux fausse erreur plaisante plaisantes rigole rigoles rire gere geres assure assures promis promets promise sauve
 sauves sauvez lifesaver star vie news nouvelle nouvelles`),
    // Coming and leaving.
    ...words(`home bed asleep sleep sleeping eat eating late early leaving off rentre rentrer coucher dormir dodo lit manger file filer
 dois partir pars pressee presse rencontrer connaitre meet meeting late tard heure partant partante count avance need`),
  ].map(stem),
);

/** What is asked of the talk, and of whoever talks. */
const ASKED_OF_TALK =
  words(`sure certain certains certaine kidding joking serious seriously really awake listening vraiment serieux serieuse
 serieusement vrai vraie plaisantes plaisantez rigoles rigolez dors dormez ecoutes ecoutez repeter repetez repete repeat redire understand
 understood comprends compris suivez follow anyone somebody someone quelqu personne bien ok bon well good fine tout everything`);

const PART_OF_DAY =
  'journee|matinee|apres midi|soiree|nuit|week end|weekend|semaine|continuation|day|morning|afternoon|evening|night|week|one|time|chance|luck|vacances|holiday|holidays|trip|route|appetit';
const DAY =
  'demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day';
const LATER =
  'bientot|plus tard|plus|tout a l heure|tantot|la prochaine|ce soir|soon|later|around|next time|then';
/** A formula that has several wordings, each a pattern over folded words. */
const said = (...wordings: string[]) => new RegExp(` (?:${wordings.join('|')})(?= )`, 'g');

/** What is said of the time when people greet, wish well, ask how the other is, and take leave. */
const FORMULAS: readonly RegExp[] = [
  new RegExp(
    ` (?:bons?|bonnes?|good|great|nice|lovely|pleasant|excellente?|belle|rest of (?:the|your)) (?:fin de |rest of the )?(?:${PART_OF_DAY})(?= )`,
    'g',
  ),
  / (?:pour|for) (?:aujourd\S*hui|today|now|tonight|ce soir|l instant|le moment)(?= )/g,
  /^ (?:la forme|la peche)(?= $)/g,
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
  said(
    '(?:problem|issue|probleme|question) (?:solved|fixed|resolue?|reglee?)',
    '(?:good|great|nice) (?:answers?|reply|replies|points?|question|news)',
    '(?:quelle )?(?:bonne|excellente|belle) (?:reponse|question|nouvelle|remarque)s?',
    '(?:good|nice) to know|bon a savoir|happy to help|ravie? d aider|(?:ravie? de (?:te|vous) rencontrer)|enchantee?|likewise|pareillement',
    'il est tard|you rock|it nothing|(?:going|off) to (?:sleep|bed)|(?:je |on |nous )verr(?:ai|a|ons) (?:ca |bien )?(?:demain|plus tard)',
    'how (?:strange|funny|weird|odd|sad|awful|exciting|boring|rude)|a relief|a deal|marche conclu',
    'crystal clear|loud and clear|cinq sur cinq|no (?:way|doubt|idea|need)|(?:sans|aucun) (?:aucun )?doute|aucune idee',
    'n importe quoi|mon dieu|oh my god|(?:thank|my) (?:goodness|god)|dieu merci|pas la peine(?: de t excuser| de vous excuser)?|nothing else|rien d autre',
  ),
  said(
    'happy (?:birthday|new year|holidays|easter)|merry christmas|(?:joyeux|bon) (?:noel|anniversaire)|bonne annee',
    'joyeuses (?:fetes|paques)|bonnes fetes|bon (?:voyage|retour|appetit)|(?:have )?(?:a )?safe (?:trip|travels|journey)',
    'have fun|amuse toi|welcome back|une autre fois|(?:an|some) ?other time|a un de ces jours|hugs|calins?|grosses? bises?',
  ),
  said(
    'what do you mean|what does that mean|que veux tu dire|que voulez vous dire|(?:tu veux|vous voulez) dire quoi',
    'come again|say that again|is that so|how(?: s| is| are)? (?:life|everything)|il y a quelqu un|just testing',
    'comment (?:s est passee?|etait) (?:ton|ta|votre) (?:journee|soiree|nuit|semaine|week end|weekend|matinee)',
    '(?:plus court|plus long|shorter|longer|more)(?: please| stp| svp| s il te plait| s il vous plait)',
    '(?:keep|carry) (?:going|on)|try again|(?:just a|juste un) test',
  ),
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

/** The words of a message without the greetings and thanks before and behind the others. */
function bare(tokens: readonly Token[]): string {
  const all = tokens.map(({ word }) => word);
  const from = all.findIndex((word) => !isCourtesy(word));
  const to = all.findLastIndex((word) => !isCourtesy(word)) + 1;
  return (from === -1 ? all : all.slice(from, to)).join(' ');
}

let sayings: ReadonlySet<string> | undefined;

/** Is it one of the messages of `resources/small-talk.txt`, which are read at the first question? */
function isSaying(tokens: readonly Token[]): boolean {
  sayings ??= new Set(
    readFileSync(resourcePath('small-talk.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => bare(tokenise(line))),
  );
  return sayings.has(bare(tokens));
}

/**
 * Does a message only greet, thank, agree, wish well or take leave, so that nothing is to be looked for? It is then a common saying, or
 * every word of it is a function word or of a closed class.
 * @param tokens its words
 * @param names those of its words that are names by their capitals, folded: what they name is looked for
 */
export function isSmallTalk(
  text: string,
  { tokens, names }: { tokens: readonly Token[]; names: ReadonlySet<string> },
): boolean {
  if (isSaying(tokens)) return true;
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
  const ofTalk = all.some((word) => SPEAKERS.has(word) || isCourtesy(word));
  return all.every((word) => {
    if (isCourtesy(word)) return true;
    if (names.has(word)) return false;
    if (functionWords.has(word) || auxiliaries.has(word)) return true;
    return asks ? ASKED_OF_TALK.has(word) : COMPANIONS.has(word) || (ofTalk && OF_TALK.has(stem(word)));
  });
}
