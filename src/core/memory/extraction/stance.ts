import { isConditional, isVerb } from './verbs.ts';
import type { Word } from './words.ts';

/** Patterns over folded words joined by spaces. */
const starts = (...parts: string[]) => new RegExp(`^(?:${parts.join('|')})(?= |$)`);
const holds = (...parts: string[]) => new RegExp(`(?:^| )(?:${parts.join('|')})(?= |$)`);

const SUBJECT =
  '(?:i|my|our|the|a|an|he|she|it|we|you|they|there|this|that|these|those|your|his|her|their|any|anyone|someone|everyone)';
const QUESTION_START = starts(
  // French.
  'est ce|est ce que|qu est|qu|que (?:penses|faire|dois|puis|peux|faut|signifie|veut|vaut|se|dit|fais|me|pensez|dirais)|quel|quelle|quels|quelles|lequel|laquelle|comment|pourquoi|combien|a quelle|a quel|a quoi|a qui|de quoi|de quel|de quelle|de qui|en quoi|en quelle|par quoi|d ou|ou (?:est|sont|puis|peut|trouver|habite|vit|aller|acheter|ca|se|j|en)|qui (?:est|a|sont|peut|etait|c)|quoi|c est quoi|c est qui|c est ou|c est quand|y a t il|a t on|t as|tu as|tu connais|tu sais|tu peux|tu pourrais|tu crois|tu penses|tu te souviens|tu te rappelles|tu veux|tu vois|tu aurais|tu saurais|tu conseilles|tu me|vous avez|vous connaissez|sais tu|peux tu|pourrais tu|connais tu|as tu|es tu|crois tu|penses tu|veux tu|aurais tu|dois je|puis je|suis je|ai je|vais je|pourriez|pouvez|savez|avez|des idees|une idee|un idee|a combien|a quel|il fait quel|tu (?:\\S+ )?(?:penses|crois|sais|connais)|on fait (?:comment|quoi)|c est (?:beaucoup|possible|normal|grave|bien|combien|quand|ou|loin|vrai|ca|trop|quoi)|un conseil|des conseils|un avis|une suggestion|des suggestions|une recette|idees|conseils|rappelle moi|dis moi|explique moi|raconte moi|aide moi|donne moi|trouve moi|propose moi|suggere|conseille moi|montre moi|fais moi|parle moi|redis moi',
  // English.
  `(?:do|does|did|is|are|am|was|were|can|could|will|would|should|shall|might|has|'s) (?:not )?${SUBJECT}`,
  '(?:have|had) (?:not )?(?:i|he|she|it|we|you|they)',
  'what|where|who|whom|whose|why|how|which|any (?:ideas?|tips?|suggestions?|advice|recommendations?|thoughts|chance|good|idea|clue|way)|got any|ideas|suggestions|thoughts|tips|can one|could one|does one|and by|what s|ok to|is that|remind me|tell me|explain|help me|give me|show me|find me|suggest|recommend|you (?:know|got|think|remember|have|sure)|know any|do not you|when (?:is|are|was|were|do|does|did|should|can|will)',
);
const DOUBT = holds(
  'peut etre|peutetre|probablement|sans doute|surement pas|eventuellement|apparemment|visiblement|soi disant|il parait|parait|parait il|on dit|on raconte|on m a dit|on pretend|ils pretendent|ils disent|ils affirment|les gens disent|certains disent|, (?:dit|disait|disent|titre|annonce|ecrit) (?:le|la|les|l|un|une) \\S+|d apres|selon|la rumeur|rumeur|rumeurs|le bruit court|entendu dire|ouï dire|j ai lu|j ai vu (?:que|qu|sur)|j ai entendu|(?:pretend|pretendait|pretendent|soutient|soutiennent|(?<!ne )jurent?) (?:que|qu)|je crois|je pense|je suppose|j imagine|j ai l impression|il me semble|je me demande|je ne sais|je sais|sais pas|pas sur|pas sure|suis pas certain|suis pas certaine|pas certain que|hesite|hesitons|je doute|on verra|mon petit doigt|qui sait',
  'maybe|perhaps|probably|possibly|apparently|allegedly|supposedly|presumably|seemingly|rumou?r|rumou?rs|word is|they say|they claim|, (?:says|said|reports|writes) (?:the|a) \\S+|(?:claims?|claimed|alleges?|alleged|reckons?|maintains?) (?:that|he|she|they|it|the|his|her|their|to)|people say|some say|i heard|i have heard|i read|i think|i guess|i believe|i suppose|i imagine|i reckon|i assume|i wonder|wondering|not sure|unsure|no idea|who knows|i doubt|might(?! as well)|may be|may have|it is said|reportedly|according to|thinking of|thinking about|considering|someone told|somebody told|tempted to|do not know|i bet|not certain|debating|considers|i feel like|the story goes|legend has it',
);
const HYPOTHESIS = holds(
  'si|s il|s ils|if|unless|suppose|supposing|supposons|imagine|imaginons|assume|assuming|admettons|mettons|disons que|let s say|say i|what if|would|(?<!never )could(?! not)|should|wish|wished|if only|as if|comme si|a moins que|a condition|pourvu|j espere|on espere|nous esperons|i hope|we hope|hopefully|hoping|en esperant|croisons|fingers crossed|quand (?:je|j|on|nous) \\w+(?:rai|ras|ra|rons)|(?:quand|once|when|une fois) (?:i|we) (?:win|have|retire|grow|become|die|get (?:rich|old|a))|un jour peut etre|someday|some day|one day(?! (?:a|per|every|off))|un jour(?! (?:sur|par|de))|dans une autre vie|in another life|in a parallel|ideally|idealement|i d (?:like|love|rather|prefer)|reve de|revais|j ai reve|in my dream|dreamt|dreamed|dream of|whether|faudrait|ca te dirait',
);
/** "if" inside what is no condition. */
const NO_HYPOTHESIS = /(?:^| )(?:meme si|even if|si bien|as if by|ainsi|je ne sais pas si je)(?= |$)/;
const WISH = starts(
  '(?:je|j|on|nous) (?:ne )?(?:aimerais?|aimerait|voudrais?|voudrait|souhaite(?:rais?)?|cherche|cherchons|ai besoin|a besoin|ai envie|a envie|ai hate|a hate|galere|rame|comprends|n arrive|n y arrive|bloque|cale|me demande|m interroge|m ennuie|te remercie|t aime|t adore|te deteste|vous|te|t|m en fiche|m en fous|rigole|plaisante|deconne|blague|ai une question|ai une petite question|ai un probleme|ai un souci|ai un bug|ai faim|ai soif|ai froid|ai chaud|ai sommeil|ai peur(?! (?:du|des|de l|de la|d un))|ai raison|ai tort|ai mal|ai la flemme|ai la tete|ai un doute|ai plein de|ai trop de)',
  '(?:i|we) (?:want (?:a|an|some|to know|to ask|you|to see|to understand|to eat|something)|wish|wonder|need (?:a|an|some|help|you|to (?:know|find|understand|ask|write|see|get (?:a|an|this|rid)|make|do|think|cook|buy|learn how|vent|talk|choose|decide|figure|convert|fix)|your|this|it|advice)|am looking for|look for|am trying to|are trying to|try to|am wondering|was wondering|am just kidding|am kidding|am joking|feel|am feeling|can not (?:believe|find|get|figure|wait|remember|understand|sleep|decide|stop|seem|think|log)|do not (?:understand|get|see|know|care|remember|think|feel|mind|want|believe)|have (?:a|one|another|some) (?:quick |small |silly |dumb |few |couple of )?(?:questions?|problems?|issues?|doubts?|ideas?|feeling|headache)|am (?:stuck|confused|lost|curious|asking|afraid|glad|happy|sad|fine|good|ok|okay|great|back|here|ready|done|sure|tired|hungry|thirsty|bored|cold|hot|exhausted|stressed|sleepy|late|busy|sorry|serious|dead|dying|starving|freezing|all|out|so|in a (?:good|bad|hurry)|angry|upset|annoyed|worried|anxious|nervous|excited|bit|too|off to|about to|on my way)|love (?:you|it|that|this|your|when|how)|like (?:it|that|this|your|when|how)|hate (?:it|this|that|you|when)|see|get it|mean|agree|disagree|thank|appreciate|promise|swear|owe|beg)',
  '(?:je )?suis (?:fatigue|fatiguee|creve|crevee|epuise|epuisee|triste|content|contente|heureux|heureuse|ravi|ravie|desole|desolee|d accord|pret|prete|perdu|perdue|curieux|curieuse|sur|sure|certain|certaine|en train|la|deborde|debordee|stresse|stressee|enerve|enervee|mort|morte|vert|verte|bloque|bloquee|coince|coincee|un peu|trop|presse|pressee|en retard|nul|nulle|bete|malade|decu|decue|inquiet|inquiete|impatient|impatiente|au bout|a bout|jaloux|jalouse|de bonne|de mauvaise|tout|toute|pour|contre)',
);
const ORDER = starts(
  'mon dieu|my god|my goodness|ma parole|my word|carry on|same again|same|pareil|idem|again|encore un|encore une|for (?:rent|sale|hire)|a (?:louer|vendre)|loue t\\d|wanted|traduis|traduisez|traduire|corrige|corrigez|corriger|resume|resumez|reformule|reecris|redige|redigez|ecris|ecrivez|reponds|repondez|raconte|racontez|explique|expliquez|donne|donnez|fais|faites|cherche|cherchez|trouve|trouvez|propose|proposez|liste|calcule|compare|montre|montrez|aide|aidez|dis|dites|parle|parlez|sois|soyez|arrete|arretez|continue|continuez|recommence|conjugue|complete|analyse|genere|cree|imagine|invente|joue|jouons|faisons|conseille|suggere|prepare moi|planifie|verifie|relis|utilise|mets|ajoute moi|remplace|transforme|convertis|rappelle moi|ignore|evite|adapte|developpe|simplifie|detaille|tutoie|vouvoie|appelle la|appelle le',
  'translate|correct|fix|summari[sz]e|rewrite|rephrase|write|answer|reply|respond|tell|explain|give|make|do|find|search|look|calculate|compute|compare|show|help|say|speak|be|stop|continue|keep going|go on|try|conjugate|complete|analy[sz]e|generate|create|imagine|pretend|act|play|let s|let us|let me|suggest|recommend|(?:plan|draft|check|code|set|design|list|book) (?:me|us|a|an|the|this|that|it|these|my|up|out|some)|proofread|use|put|add|replace|turn|convert|remind|ignore|avoid|shorten|simplify|expand|describe|define|spell|pick|choose|read|build|debug|call it|never|always|please',
);
/** Films, books, games and their people. Said of the user's own reading, playing or writing it is a statement like others. */
const FICTION = holds(
  '(?:dans|in|from|de|of|sur|on) (?:le|la|l|les|un|une|ce|cet|cette|mon|ma|the|a|an|this|that|my|chaque|every|our|notre) (?:\\S+ ){0,2}(?:film|films|serie|episode|saison \\d+|roman|livre|bd|manga|anime|chanson|jeu|movie|show|series|season (?:\\d+|one|two|three|four|five)|novel|book|song|game|story|histoire|comic|play|campaign|rpg|opera|poem|poeme|sketch|conte|sitcom|dream|reve|scenario|lyrics|biography|biographie|intrigue|musical|documentaire|documentary|podcast|simulation|rp|partie)',
  "(?:du|au|des|yesterday s|yesterday 's|last night s|l|the) (?:film|roman|livre|episode|conte|manga|jeu video|novel|movie)|mage|sorcerer|necromancer|archer|rogue|bard|barde|druide?|rodeur|elfes?|orcs?|nain|gobelin|goblin|(?:copain|copine|ami|amie|heros|amour) de (?:roman|fiction|cinema|serie)|personnage|(?:mon|ton|son|le|un|ce|notre|nos|mes) persos?|(?<!(?:carte|ma|la|une) )sim(?! cards?)|sims|toon|perso principal|protagoniste|heros|heroine|antihero|mechant du|villain|character|characters|hero|protagonist|npc|pnj|avatar|dungeon master|d d|dnd|jdr|jeu de role|role play|roleplay|fanfic|fanfiction|joue le role|plays the role|plays a|il etait une fois|once upon a time|les paroles|the lyrics|sims|skyrim|minecraft|fortnite|pokemon|zelda|acteur|actrice|actor|actress|the narrator|le narrateur|la narratrice|(?:half )?elf|elfe|orc|orque|wizard|warlock|paladin|dwarf|knight|chevalier|dragon|vampire|sorcier|sorciere|magicien|magicienne|necromancer|necromancien|guild|guilde|spaceship|vaisseau|avatar",
);
const ROLE_PLAY = holds(
  'imagine (?:que|qu|that|you|i|we|un|une|a)|imaginons|tu es (?:un|une|desormais|maintenant)|you are (?:a|an|my|now)|tu joues|tu incarnes|tu seras|tu t appelles|incarne|mets toi (?:a|dans)|(?<!(?:je|il|elle|on|qui|ne) )joue le|jouons|let s (?:pretend|imagine|play|roleplay|say|suppose)|let us (?:pretend|imagine|play)|pretend|act as|act like|play the (?:part|role|customer|client|guest|patient|boss|recruiter|interviewer|candidate|landlord|tenant|teacher|detective|judge|lawyer|waiter|seller|villain|hero)|mock (?:interview|exam|call|trial)|entretien blanc|entretien fictif|tu es (?:le|la) \\S+ et (?:moi|je)|you are the \\S+ and i|i will be the|on joue(?= |$)|je joue (?:un|une|le|la) (?:nain|elfe|mage|voleur|role|barde|paladin|humain|orc)|faisons comme|fais comme si|faire comme si|you be (?:a|an|the|my)|you (?:are|re) the \\S+ and i|toi tu (?:es|tiens|fais|joues)|i play (?:a|an|the) customer|on dirait que (?:je|tu|nous|j)|on fait comme|dans ce jeu de role|role play|roleplay|jeu de role|suppose|supposons|say i|disons que|admettons|mettons que|let s assume|assume (?:that|i|you)|simulate|simule|in character',
);
/** Said anywhere in a message, they tell that all of it is played. */
const IN_CHARACTER = holds(
  'stay in character|in character|role ?play|roleplay|jeu de role|reste dans (?:le|ton) (?:role|personnage)|dans (?:le|ton) role|your turn|a toi de jouer|a ton tour|c est ton tour|nouvelle scene|next scene',
);
/** A game that goes on in the messages behind: whoever proposes it takes a part too, or gives one that is no mere way to answer. */
const GAME = holds(
  'jouons|on joue (?:a un jeu|a etre|une scene|la scene|au jeu|aux devinettes)|tu incarnes|incarne|mets toi dans la peau|imagine que (?:tu es|nous sommes|on est|je suis)|tu es (?:un|une|le|la|mon|ma) (?:\\S+ ){1,8}(?:et|,) (?:moi|je)|toi tu (?:es|tiens|fais|joues)|tu joues (?:le|la|l|un|une|mon|ma)|tu seras (?:le|la|l|un|une|mon|ma)|je joue (?:un|une) (?:nain|elfe|mage|voleur|role|barde|paladin|humain|orc)|faisons comme si|on fait comme si|faire comme si|on dirait que (?:je|tu|nous|j)|entretien (?:blanc|fictif)|jeu de role',
  'let us (?:pretend|play|roleplay)|let s (?:pretend|play|roleplay)|pretend (?:that )?(?:to be|you|we|i am (?!five|\\d))|imagine (?:that )?(?:you are|we are|i am)|you (?:are|be) (?:a|an|the|my) (?:\\S+ ){1,8}(?:and|,) i|i will be the|i play (?:a|an|the) customer|mock (?:interview|exam|call|trial)|role ?play',
);
/** The user speaks as themselves again, or of something else. */
const END_OF_PLAY = holds(
  '(?:fin|end) (?:du|de la|de l|of|of the) (?:jeu|scene|partie|histoire|role ?play|game|story|play)|(?:stop|arrete|arretons|on arrete|end|pause) (?:de jouer|(?:the |this |le |la |ce |cette )?(?:game|role ?play|scene|jeu|partie|playing|pretending))|out of character|hors (?:jeu|personnage|role)|pour de vrai|en vrai|dans la vraie vie|vraie vie|in real life|irl|for real|plus serieusement|back to (?:reality|real life|work)|changeons de sujet|changement de sujet|autre sujet|rien a voir|question serieuse|serious question|change of subject|on another note|unrelated|thanks for playing|merci d avoir joue|merci pour (?:le jeu|la partie)',
);
/** Asking for a text: what comes after it in the message is its material. */
const TEXT_TASK = holds(
  'traduis|traduisez|traduire|traduction|corrige|corriger|reformule|reformuler|reecris|reecrire|resume|resumer|analyse cette|conjugue|complete|dictee|exercice|ecris (?:un|une|moi|le|la|des)|ecrire (?:un|une)|redige|rediger|invente|raconte (?:moi )?(?:une|un|l)|comment (?:dit on|on dit|dire|traduire)|que veut dire|veut dire|que signifie|ca se dit|se dit comment|en anglais|en francais|en espagnol|en allemand',
  'put (?:this|these|it|that) (?:in|into)|past tense|present tense|turn (?:this|these|it) into|boil (?:it|this) down|translate|translation|correct (?:this|the|my|these)|rephrase|rewrite|summari[sz]e|proofread|conjugate|write (?:me )?(?:a|an|the|some|my)|draft (?:a|an|me)|make up|tell me a|compose|how do (?:you|i|we) say|what does|means in|in french|in english|in spanish|in german|grammar|grammatically|spelling of|fill in|parse',
);
const IRONY = holds(
  '(?:donne|donner) ma langue au chat|faim de loup|les crocs|la dalle|chair de poule|poil dans la main|tombe dans les pommes|posee? un lapin|les yeux de la tete|coup de barre|septieme ciel|des oeufs|ras le bol|comme un (?:loir|bebe|sonneur|porc)|comme une (?:souche|masse|madeleine)|prends racine|pain sur la planche|la vie en rose|broie du noir|perds la boule|la boule|le nord|arm and a leg|piece of my mind|hit the (?:sack|hay)|cold feet|end of my (?:tether|rope)|my marbles|like a baby|sleep for a week|pulling my leg|cats and dogs|same boat|all thumbs|cat got my tongue|bite the bullet|sick as a (?:dog|parrot)|out of the woods|over the hill|walking on air|brain is (?:fried|mush)|climbing the walls|up the wall',
  '[(,] (?:joke|blague|jk|kidding|just kidding|je plaisante|je rigole)(?: \\))?(?=$)',
  '(?:je suis|i am) (?:le roi|la reine|the king|the queen) (?:de|d|des|du|of)|mort de rire|morte de rire|je rigole|je plaisante|je deconne|just kidding|kidding|joking|jk|sarcasme|sarcasm|ironie|ironique|bien sur et moi|comme par hasard|yeah right|sure and i|all ears|tout ouie|on cloud nine|head over heels|dead tired|over the moon|under the weather|couch potato|dormir debout|manger un cheval|eat a horse|million times|mille fois|au bout du rouleau|la reine d angleterre|queen of england|the pope|le pape|napoleon|superman|batman|pere noel|santa|licorne|unicorn|(?:win|won|winning) the lottery|king of the world|roi du monde|broken record|night owl says|piece of cake|gagne au|aux anges|dans la lune|sur la lune|on the moon|on mars|sur mars|chat dans la gorge|autres chats a fouetter|frog in my throat|bigger fish|under water|butterflies in|sur un petit nuage|la tete dans le guidon|le cafard|rocket scientist|comme un dingue|like a dog|like a log',
);

const isConditionalAt = (words: readonly Word[]) =>
  words.slice(0, 8).some(({ plain }) => isConditional(plain) || plain === 'would');

/** Does it begin as an order or a question does? */
export const startsRequest = (words: readonly Word[]) => {
  const plain = words.map((word) => word.plain).join(' ');
  return ORDER.test(plain) || QUESTION_START.test(plain) || BIDS_ME.test(plain);
};

export const startsQuestion = (plain: string) => QUESTION_START.test(plain);
export const startsOrder = (plain: string) => ORDER.test(plain);

/** « habite-t-il », "dois-je", « sont-ils »: a pronoun joined to the verb before it. */
export function isInverted(words: readonly Word[]): boolean {
  return words.slice(0, 10).some(
    ({ plain, isJoined }, index) =>
      isJoined &&
      /^(?:je|tu|il|elle|on|nous|vous|ils|elles|ce)$/.test(plain) &&
      // « Trouve-nous une adresse » bids, « avons-nous une adresse » asks.
      (plain !== 'nous' || /(?:ons|sommes)$/.test(words[index - 1]?.plain ?? '')) &&
      (plain !== 'vous' || /(?:ez|etes|dites|faites)$/.test(words[index - 1]?.plain ?? '')) &&
      words[index - 1]?.plain !== 'rendez' &&
      !/^(?:celui|celle|ceux)$/.test(words[index - 1]?.plain ?? ''),
  );
}

/** Hearsay of nobody in particular. */
const SOMEBODY =
  /^(?:some(?:one|body| \w+)|quelqu un|quelquun|certains|un (?:type|mec|gars|collegue)|une (?:dame|fille|femme)|a (?:guy|woman|stranger))(?= )/;
/** "Quiz me on osmosis", « lis-moi ça »: a verb that bids, before whom it is for. */
const BIDS_ME =
  /^(?!(?:je|j|tu|il|elle|on|i|you|he|she|it|they|we|to|for|with|and|et|de|a|ca|c|chez|pour|avec|email|call|joins|appelle|appelez) )\p{L}+ (?:me|moi)(?= |$)/u;
/** Wishes, needs, moods and requests that begin a clause: seldom worth keeping. */
export const isWish = (plain: string) => WISH.test(plain);
/** Said of a whole sentence: "oh sure, I'm the Queen of Sheba". */
export const isIrony = (plain: string) =>
  /^(?:oh |ah |mais )*(?:yeah |oui )?(?:sure|right|yeah|bien sur|evidemment) (?:, )?(?:et |and )?(?:moi |my |je |i |j )/.test(
    plain,
  );
/** What follows an assertion and takes its certainty away. */
const HEDGE =
  /^(?:il me semble|je crois|je pense|va savoir|qui sait|apparemment|parait il|i think|i believe|i guess|who knows|apparently|i reckon|or so (?:they|i)|not sure|pas sur|pas sure|si je (?:ne )?me trompe|ou pas|or not|or was it|allegedly|go figure)(?= |$)/;
export const isHedge = (plain: string) => HEDGE.test(plain);

const CONDITION = /^(?:si|s|if|unless|imagine|suppose|quand|when)(?= )/;
/** Does a clause state on what others hang: « si … », "when …"? */
export const isCondition = (plain: string) => CONDITION.test(plain);

/** What holds for all of a kind: "goats live about 15 years", « les chats vivent… ». */
const OF_A_KIND =
  /^(?:les (?!(?:jumelles|jumeaux|filles|garcons|petits|petites|gosses|gamins|parents|grands|voisins|enfants|gars|filles|ados|cours|travaux|volets|poules|vaches|brebis|chevaux|chats|chiens|ruches|cles|clefs|toilettes|poubelles|reunions|vacances|messages) )\p{L}+s (?!a |de |du |en |sont chez)|(?!(?:exams|keys|flights|kids|parents|lessons|classes|mains|mondays|results|builders|bees|cows|hens|she|tickets) )\p{L}{3,}s (?:live|are|have|need|eat|drink|love|like|hate|use|spend|speak|sleep|do|can|hibernate)(?= ))/u;
/** « On mange mieux à la campagne »: what is better or worse for everybody. */
const GENERALLY = /^on \S+ (?:toujours |bien )?(?:mieux|moins bien) (?:a|au|en|dans|quand|avec|sans)(?= )/;
const isOfAKind = (plain: string) =>
  (OF_A_KIND.test(plain) || GENERALLY.test(plain)) &&
  !/(?:^| )(?:mon|ma|mes|my|our|nos|notre|je|j|i|we|nous|on|leur)(?= )/.test(plain);

/** "Flights from Bristol please", « besoin d’un plombier »: something that is asked for. */
const isAskedFor = (words: readonly Word[], plain: string) =>
  /^(?:need|besoin d|looking for|recherche) /.test(plain) ||
  (/ (?:please|pls|plz|stp|svp|s il te plait|s il vous plait)(?: ,|$)/.test(plain) &&
    !/(?:^| )(?:always|never|from now on|toujours|jamais|desormais)(?= |$)/.test(plain) &&
    !words.some((word) => isVerb(word.plain)));

/** « Ta réunion est confirmée », "your second answer is wrong": said of whoever reads it. */
const OF_YOU = /^(?:\p{L}+ , )?(?:ton|ta|tes|votre|vos|your) /u;

/** Is a clause something else than its author's plain assertion: a question, a doubt, a condition, a wish, an order, a joke? */
export function isUnasserted(words: readonly Word[], plain: string): boolean {
  if (QUESTION_START.test(plain) || ORDER.test(plain) || isInverted(words)) return true;
  if (DOUBT.test(plain) || SOMEBODY.test(plain) || IRONY.test(plain) || isConditionalAt(words)) return true;
  if (OF_YOU.test(plain)) return true;
  if (BIDS_ME.test(plain) || isOfAKind(plain) || isAskedFor(words, plain)) return true;
  return HYPOTHESIS.test(plain) && !NO_HYPOTHESIS.test(plain);
}

/** A condition, also where the user asks that something be remembered: "remember that if it rains the match is off" is kept. */
export const isQuestionLike = (words: readonly Word[], plain: string) =>
  QUESTION_START.test(plain) || isInverted(words);

/** « Mon ami imaginaire », "for drama class I'm Scrooge": people and parts that somebody made up. */
const MADE_UP = holds(
  'once there was|there once was|il y avait une fois|imaginaires?|imaginary|fictifs?|fictives?|fictional|made up|inventee? de toutes pieces',
  '(?:theatre|theater|drama|impro|improv|acting|panto)(?: \\S+){0,3} (?:je joue|je suis|je fais|i play|i am|i will be)',
);
/** « Je suis Batman et j’habite une grotte »: a jest goes on in its sentence. */
export const isJest = (plain: string) => IRONY.test(plain);
export const isFiction = (plain: string) => FICTION.test(plain) || MADE_UP.test(plain);
/** From here to the end of the message nobody speaks as themselves. */
export const opensRolePlay = (plain: string) => ROLE_PLAY.test(plain) || REHEARSAL.test(plain);
/** « On va simuler un appel », "let me rehearse the interview", « tu es mon banquier »: parts are given. */
const REHEARSAL = holds(
  '(?:rehears\\w+|practi[sc]\\w+|simulat\\w+|simul\\w+|repeter|repetons|mimer|mimons) (?:(?:a|an|the|un|une|le|la|l|my|mon|ma|cet|cette|this) )?(?:\\S+ )?(?:appel|appelle|call|entretien|interview|conversation|dialogue|scene|rendez|negociation|negotiation|oral|reunion|meeting|appointment|plaidoirie|pitch)',
  '(?:je suis|i am) \\S+(?: \\S+)? (?:et|and|,) (?:toi|tu es|tu seras|you are|you be|you will be)',
  'tu es (?:mon|ma|notre)(?! (?:amie?|pote|seule?|meilleure?|sauveur|heros)(?= |$))',
);
/** What is called a text and comes with what to do about it, or names a kind of text before a colon: all behind it is its material. */
const MATERIAL =
  /(?:^| )(?:lettre|mail|courriel|texte|cv|message|discours|annonce|letter|email|text|speech|ad|advert|essay|paragraph|draft|brouillon) (?:a|to) (?:relire|corriger|verifier|raccourcir|traduire|ameliorer|reformuler|check|proofread|correct|shorten|translate|improve|polish|edit|rewrite)(?= |$)|^(?:offre d emploi|job (?:ad|offer|advert|description)|dictee|dictation|(?:voici )?(?:mon |le |l )(?:sujet|enonce)|(?:here is |here's )?(?:the|my) (?:problem|puzzle|question|topic)|ordre du jour|liste de courses|shopping list|grocery list|compte rendu|minutes|petite annonce|enonce|extrait|ingredients|avis client|customer review|patient)(?: [^:]{1,40})? :/;
/** « Résume en deux lignes », "continue the dialogue": an order behind a text, which names no other. */
const ABOUT_IT =
  /^(?:(?:resume|resumez|sum up|summari[sz]e|reformule|reecris|rewrite|rephrase|traduis|translate|corrige|correct|proofread|raccourcis|shorten)(?: (?:le|la|les|ca|cela|ceci|tout|it|this|that|them))?(?: (?:en|in|into|to|pour|for|au) (?!mon |ma |mes |my |our |notre |her(?= |$)|him(?= |$)|them(?= |$)|lui(?= |$)|elle(?= |$)|eux(?= |$)|me(?= |$)|moi(?= |$))\S+(?: \S+){0,2})?|(?:continue|poursuis) (?:le|la|l|the|this) (?:dialogue|scene|histoire|story|texte|text|conversation|lettre|letter)|fais en (?:un|une|deux|trois|quatre|cinq|\d+) \S+(?: \S+){0,2}|mets (?:le|la|les|ca) (?:au|en) \S+|mets (?:y )?(?:la|les|de la|des) (?:ponctuation|accents|majuscules)(?: \S+){0,3}|(?:convertis|adapte)(?: la| le| les)? pour \d+(?: \S+)?|note (?:le|la|les) sur \d+(?: \S+){0,3}|(?:halve|double|scale|mark|grade|punctuate) (?:it|this|that)(?: \S+){0,4}|turn (?:it|this|that|them) into \S+(?: \S+){0,2}|(?:tidy|boil|sum) (?:it|this|that) (?:up|down)(?: \S+){0,3})$/;
/** Does a sentence order something of the text before it? */
export const ordersOfText = (plain: string) => ABOUT_IT.test(plain.replaceAll(' ,', ''));
const GREETS =
  /^(?:(?:bonjour|salut|coucou|cher|chere|hello|hi|hey|dear) )(?:m |mme |mr |mrs |ms |madame |monsieur )?\p{L}+ ,/u;
const SIGNS =
  /^(?:bises|bisous|cordialement|bien cordialement|amicalement|amities|sincerement|bien a (?:toi|vous)|(?:kind |best |warm )?regards|best wishes|best|love|sincerely|yours(?: \p{L}+)?|cheers) (?:, )?\p{L}+(?= |$)/u;
/** A letter to somebody by name, signed: nobody writes so to an assistant, and what it says is its writer's. */
export const isLetter = (sentences: readonly string[]) =>
  GREETS.test(sentences[0] ?? '') && sentences.some((plain, index) => index > 0 && SIGNS.test(plain));
/** The text to work on stands in this message. */
const HERE = holds(
  'ce|cet|cette|ces|this|these|suivante?s?|following|below|ci dessous|ci joint|dessous|here',
);
/** A sum or a riddle: its people are nobody's. */
const RIDDLE = holds(
  'combien (?:en |de |d |a|y)|how many|how old (?:is|was|are)|quel age|older than|years? (?:older|younger)|ans de (?:plus|moins)|plus age|plus vieux|plus vieille|taller than|plus grande? que|exercice|exercise|km h|mph|probleme de maths|math problem|riddle|devinette|enigme|logic puzzle',
);
export const isRiddle = (plain: string) => RIDDLE.test(plain);
/** « Je traduis du hongrois », "I correct essays": somebody's work, no task. */
const OWN_WORK =
  /^(?:moi )?(?:je|j|i|we|nous|on|il|elle|he|she) (?:am |'s )?(?:tradui|corrig|redig|translat|correct|proofread|analys)/;
export const hasTextHere = (plain: string) =>
  MATERIAL.test(plain) || (!OWN_WORK.test(plain) && TEXT_TASK.test(plain) && HERE.test(plain));
/** Does a sentence begin a game, or give parts, that go on in later messages? A mere supposition does not. */
export const opensGame = (plain: string) => GAME.test(plain) || REHEARSAL.test(plain);
export const endsPlay = (plain: string) => END_OF_PLAY.test(plain);
export const isPlayed = (plain: string) => IN_CHARACTER.test(plain);
/** "Tell her I'll be in Rome": what somebody else is to be told. */
const DICTATES =
  /^(?:dis|tell|ecris|write|reponds|answer|reply|demande|ask|envoie|send)(?: to)? (?:lui|leur|her|him|them)(?= )/;
export const isTextTask = (plain: string) =>
  !OWN_WORK.test(plain) && (TEXT_TASK.test(plain) || DICTATES.test(plain));
