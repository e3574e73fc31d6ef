import { holdsDate, holdsPastDate, isForAWhile, tellsWhen } from './expiry.ts';
import { isPartner } from './kinship.ts';
import { lifeRelations } from './lifeRelations.ts';
import { isNameWord, nameEnd } from './names.ts';
import { planRelations } from './planRelations.ts';
import { type Predicate, readPredicate } from './predicate.ts';
import { type Context, hasName, nothing, type Reading } from './reading.ts';
import type { Relation } from './relation.ts';
import type { Mention, Statement } from './statement.ts';
import { readSubject, USER } from './subjects.ts';
import { tasteRelations } from './tasteRelations.ts';
import { readValue } from './values.ts';
import { asWritten, plainText, type Word } from './words.ts';

const RELATIONS: readonly Relation[] = [...lifeRelations, ...tasteRelations, ...planRelations];

interface Known extends Context {
  /** It is certain that the subject is somebody of the user's. */
  isKnown: boolean;
}

/** Finds the relation that words state of somebody. */
export function readOf(people: readonly Mention[], rest: readonly Word[], context: Known): Reading | null {
  const inner = readTold(rest, context);
  if (inner) return inner;
  const predicate = readPredicate(rest);
  const [who] = people;
  if (!who || predicate.text === '') return null;
  const isUser = who.entity === 'user';
  for (const relation of RELATIONS) {
    const match = relation.pattern.exec(predicate.text);
    if (!match || !isMet(relation, match[0], predicate)) continue;
    if (
      !context.isKnown &&
      !(
        isCertainPerson(who, relation, predicate) &&
        (context.isPersonal || (who.entity === 'person' && who.name === null) || isNews(rest))
      )
    )
      continue;
    const value = people.length === 1 ? readValue(relation, match[0], predicate, context.text) : null;
    const other = people[1];
    const isCouple =
      who.entity === 'person' &&
      isPartner(who.kinship) &&
      other?.entity === 'user' &&
      who.name !== null &&
      /(?:^| )(?:together|ensemble|married|maries)(?= |$)/.test(predicate.text);
    const states = isCouple
      ? ({ of: USER, relation: 'partner', value: who.name ?? '' } as const)
      : value && statesOf(who, value);
    const isNamed = value?.relation === 'name' && who.entity === 'person';
    return {
      ...nothing,
      kind: isUser || relation.kind !== 'identity' ? relation.kind : 'relation',
      importance: isUser ? relation.importance : Math.min(relation.importance, 0.7),
      about: isNamed ? [{ ...who, name: who.name ?? value.value }] : [...people],
      things: [...(value ? [value.value] : objectOf(relation, match[0], predicate, context.text))],
      states,
      isPast: predicate.isPast,
    };
  }
  if (who.entity === 'person' && !context.isKnown && ACQUAINTED.test(predicate.text) && !context.isStory)
    return {
      ...nothing,
      kind: 'relation',
      importance: 0.6,
      about: [...people],
      things: [],
      isPast: predicate.isPast,
    };
  if (who.entity === 'person' && context.isKnown && who.kinship)
    return readKin(people, predicate, context.text);
  return isUser ? readPlan(rest, predicate) : null;
}

/** "My wife is called Ana" gives the user's partner; "my brother is called Luc" only says who is who. */
export function statesOf(
  who: Mention,
  value: { relation: NonNullable<Statement['states']>['relation']; value: string },
): Statement['states'] {
  if (who.entity === 'person' && value.relation === 'name') {
    if (isPartner(who.kinship)) return { of: USER, relation: 'partner', value: value.value };
    return null;
  }
  return { of: who, ...value };
}

const JUST_NOW =
  /(?:^| )(?:aujourdhui|today|ce matin|this morning|ce soir|tonight|hier|yesterday|cette nuit|last night)(?= |$)/;
/** For the work in hand, not by preference. */
const HERE =
  /(?:^| )(?:for this|pour ce|pour cette|pour cet|in this|dans ce|dans cette|tonight|ce soir|right now)(?= |$)/;

function isMet(relation: Relation, matched: string, predicate: Predicate): boolean {
  const behind = predicate.text.slice(matched.length + 1);
  if (relation.kind === 'preference' && (predicate.isPast ? JUST_NOW : HERE).test(predicate.text))
    return false;
  if (
    relation.unless?.test(
      behind.replace(/^(?:(?:petite?|little|small|short|nouvelle|nouveau|new|quick) )+/, ''),
    )
  )
    return false;
  const index = predicate.at(matched.length + 1);
  const words = predicate.words.slice(index);
  switch (relation.needs) {
    case 'nothing':
      return true;
    case 'date':
      return holdsDate(predicate.text);
    case 'object':
      return (
        behind !== '' && !/^[,;()–]/.test(behind) && (relation.kind === 'decision' || !behind.startsWith(':'))
      );
    case 'number':
      return /\d/.test(behind);
    case 'particular':
      return (
        behind !== '' &&
        (holdsDate(behind) || hasName(words) || /\d/.test(behind) || behind.split(' ').length >= 2)
      );
    case 'place':
      return (
        behind !== '' &&
        !/^(?:[,;:()–]|ici|here|la(?= |$)(?! \w)|there|it|this|that|peace|fear|hope|un monde|a world|the moment|present)/.test(
          behind,
        )
      );
    case 'name':
      return (
        hasName(words.slice(0, 3)) ||
        (relation.gives === 'name' &&
          /^\p{L}{2,}/u.test(behind) &&
          !/^(?:it|ca|this|a|an|the|le|la|un|une|me|him|her|them|about|for|off|in|on|to|mon|ma|my|you|your|comment|de|du)(?= |$)/.test(
            behind,
          ))
      );
  }
}

/** Nobody tells an assistant news of the famous: a change, or what holds now or still. */
const isNews = (rest: readonly Word[]) =>
  /^(?:(?:est|is|'s|has|have|a|vient|s|ne|n|m) )*(?:just|enfin|finally|now|maintenant|encore|toujours|still|bientot|soon|plus|deja|already|vient|demenag\w+|goes|known|connu|moved|moving|quit\w*|left|got|settled|installee?|arrete|stopped|gave|starts?|started|commence\w*|part|rentre|revient|arrive|arrives|leaves|comes|coming|pregnant|enceinte|attend|expecting|accouche|allergique|allergic|vegetarienne?|vegetarien|vegan|vegetarian|turns?|turned|fete|passe|change\w*|perdu|lost|casse|broke|divorc\w+|separ\w+|remari\w+|s appelle)(?= |$)|(?:^| )(?:now|maintenant|desormais|these days|anymore|any more|still|encore|toujours|depuis|since|next|prochaine?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?= |$)/.test(
    plainText(rest).text,
  );

/** A name alone is somebody the user knows only if what is said is said of people, today, and the name is a given one. */
function isCertainPerson(who: Mention, relation: Relation, predicate: Predicate): boolean {
  if (who.entity === 'user') return true;
  if (!relation.isHuman || predicate.isOver) return false;
  if (who.name === null) return relation.kind !== 'preference' && relation.importance >= 0.7;
  if (/\s/.test(who.name)) return false;
  if (/^\p{Lu}+$/u.test(who.name) && who.name.length > 1) return false;
  if (relation.gives === 'job' && predicate.text.startsWith('a ')) return false;
  return (
    !/^(?:is|was|were|est|etait|fut|a ete|are) (?:a|an|the|un|une|le|la|l|called|from|based)(?= )/.test(
      predicate.text,
    ) && !/(?:^| )(?:siecle|century)(?= |$)/.test(predicate.text)
  );
}

/** "My sister told me she is moving to Lyon", « ma mère m’a dit qu’elle déménage »: what is told is said of who tells it. */
function readTold(rest: readonly Word[], context: Known): Reading | null {
  const { text, at } = plainText(rest);
  const told =
    /^(?:(?:vient de )?m a (?:dit|annonce|appris|confirme|ecrit|prevenue?)(?: que| qu)|(?:has |have )?(?:just )?(?:told|texted|messaged|called to tell|informed) (?:me|us)(?: that)?|nous a (?:dit|annonce|appris)(?: que| qu)) /.exec(
      text,
    );
  if (!told) return null;
  const inner = rest.slice(at(told[0].length));
  const subject = readSubject(inner, 0, context.text);
  if (subject?.type !== 'pronoun' || context.people.length === 0) return null;
  const person = context.people.at(-1);
  return person ? readOf([person], inner.slice(subject.next), context) : null;
}

/** What somebody does for the user shows that the user knows them: "Mrs Garcia has our spare keys". */
const ACQUAINTED =
  /^(?:(?:est|is|'s|s|m|nous|qui) )*(?:has|have|a|ont|garde|gardent|keeps|does|do|fait|s occupe|occupe|looks after|takes care of|manages|gere|repare|repairs|fixes|teaches|enseigne|coaches|entraine|walks|sort|cleans|nettoie|cuts|coupe|runs|dirige|handles|feeds|nourrit|delivers|livre|prete|lends|rents|loue|shares|partage|sold|vendu|built|construit|drives|emmene|picks up|recupere|tutors|babysits|treats|soigne|suit|follows) (?:.{0,40} )?(?:(?:my|our|mon|ma|mes|nos|notre)(?= )|(?:for|pour|chez) (?:me|us|moi|nous)(?= |$))/;

const MOOD =
  /^(?:(?:m|me|te|l|le|la|les|nous|lui|y|en|est|a|is|'s|was|has|have|been|ont|sont|are) )*(?:dit|disait|pense|demande|demandent|insiste|keeps (?:asking|saying|telling)|veut|voulait|croit|trouve|says?|said|thinks?|wants?|wanted|asks?|asked|enerve|manque|saoule|agace|fatigue|fatiguee|malade|triste|contente?|tired|sad|happy|angry|annoying|driving me|sick|funny|mad|cute|nice|great|the best|amazing|adorable|genial|geniale|gentil|gentille|chiant|chiante|insupportable|super|formidable|doit|must|should|will not|won t|will|appelle|called|calls|rappelle|raconte|told|tells|laughed|rigole|dort|sleeping|asleep|crying|pleure|late|en retard|hungry|bored|fine|ok|here|la|trop|un peu|a bit|being|vexe|fache|fachee|upset)(?= |$)/;

/** What is said of the user's people is kept if it holds something particular: a date, a place, a name, a number. */
function readKin(people: readonly Mention[], predicate: Predicate, message: string): Reading | null {
  const { text, words } = predicate;
  if (MOOD.test(text)) return null;
  const isNamed =
    /^(?:c est|est|is|'s|are|sont) /.test(text) && isNameWord(words[text.startsWith('c est') ? 2 : 1]);
  const isParticular = holdsPastDate(text) || isForAWhile(text) || hasName(words.slice(1)) || /\d/.test(text);
  if (!isParticular && (words.length < 2 || PASSING.test(text))) return null;
  const [who] = people;
  const at = text.startsWith('c est') ? 2 : 1;
  const name = isNamed ? asWritten(message, words.slice(at, nameEnd(words, at))) : null;
  const states = name && who ? statesOf(who, { relation: 'name', value: name }) : null;
  return {
    ...nothing,
    kind: holdsDate(text) ? 'event' : 'relation',
    importance: 0.6,
    about: [...people],
    things: name ? [name] : [],
    states,
    isPast: predicate.isPast,
  };
}

/** What people do now and then, and what passes: nothing to remember of somebody. */
const PASSING =
  /(?:^| )(?:aujourdhui|today|ce matin|this morning|ce soir|tonight|hier|yesterday|now|maintenant|en ce moment|at the moment|right now|again|encore une fois|me|moi|te|toi|you|nous|us|arrive pas|ne marche|keeps|refuse|refuses|going to be|be here|ici|here|ca|it|that|this|comment|how|quoi|what|pourquoi|why|sait|sais|know|knows|peut|can|could|might|seems?|semble|a l air|looks?|va bien|va mal|is great|est top|encore|probably|bientot|soon|avis|idea|idee|question|stop|crying|nightmare|pain|lol|mdr|cauchemar)(?= |$)/;

const ROUTINE =
  /^(?:sommes (?:le|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)(?= )|est (?:le|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)(?= |$))|^(?:(?:ai|a|avons|have|has|had|was|were|am|are|suis|sommes|m|me|'s) )*(?:mange|manger|dormi|dors|regarde|regarder|vu|voir|bu|cuisine|cuisiner|lu|lire|fini|parle|discute|demande|dit|ate|eat|eating|slept|sleep|watched|watching|saw|read|reading|drank|cooked|cooking|talked|asked|said|told|thought|tried|essaye|passe une|rigole|laughed|woke|reveille|reveillee|leve|levee|enjoyed|spent|made|went to bed|heard|entendu|crois|think|look|looking|looked|cherche|need(?! to)|besoin|wonder|hesite|attends|waiting|wait|sais|know|ecoute|listening|listened|recu|received|paye|ordered|commande|forgot|oublie|perdu|trouve|found|googled|noticed|remarque|realise|realised|realized|hope|like|want|wanted|voudrais|veux|peux|can|dois te|promise|comprends|understand|apprends que|learned that|learnt that|mean|feel|sens|use|voulais|fais|fait|faire|do|doing|did|make|making|got)(?= |$)/;

/** Whatever the user does on a given day, holds for a while, or did at a time that they name. */
function readPlan(rest: readonly Word[], predicate: Predicate): Reading | null {
  const { text } = predicate;
  const plain = plainText(rest).text;
  if (text.split(' ').length < 3) return null;
  const event: Reading = {
    ...nothing,
    kind: 'event',
    importance: 0.6,
    about: [USER],
    things: [],
    isPast: predicate.isPast,
  };
  if (isForAWhile(plain) && !predicate.isPast && !FEELING.test(text)) return { ...event, kind: 'fact' };
  if (ROUTINE.test(text)) return null;
  if (predicate.isPast)
    return tellsWhen(plain) &&
      !FEELING.test(text) &&
      !/(?:^| )(?:hier|yesterday|ce matin|this morning)(?= |$)/.test(plain)
      ? event
      : null;
  if (holdsDate(plain)) return event;
  return LASTING.test(text) && (hasName(rest.slice(1)) || /\d/.test(text))
    ? { ...event, kind: 'fact', importance: 0.5 }
    : null;
}

/** What one does for years. */
const LASTING =
  /^(?:(?:m|me|s|se|nous|y|en) )*(?:milk|teach|own|keep|raise|farm|manage|sell|produce|commute|cycle|coach|sing|volunteer|serve|breed|grow|host|foster|sponsor|rent|elevons|eleve|vends|vendons|produis|produisons|encadre|anime|dirige|chante|trais|trayons|cultive|cultivons|exploite|exploitons|heberge|hebergeons|parraine|entraine|donne des cours|fournis|fournissons|pay|paie|paye|earn|gagne|owe|dois|weigh)(?= )/;

const FEELING =
  /^(?:(?:m|me|s|se|l|y|en|n|ne|ai|have|been|am|was|suis|feel|feeling|sens) )*(?:fatiguee?|tired|creve|crevee|exhausted|deborde|debordee|busy|stressed?|stressee|sick of|marre|bored|ennuie|thinking|pense|looking|cherche|trying|essaye|essaie|waiting|wondering|hesite|struggling|galere|rame|stuck|bloque|happy|sad|content|contente|triste|excited|hate|hope|wish|worried|inquiet|inquiete|want|need)(?= |$)/;

/** The thing that is liked, avoided or decided, as written. */
function objectOf(relation: Relation, matched: string, predicate: Predicate, text: string): string[] {
  if (relation.kind !== 'preference' && !/^(?:allerg|intoler)/.test(matched.split(' ').at(-1) ?? ''))
    return [];
  const words = predicate.words.slice(predicate.at(matched.length + 1));
  let from = 0;
  while (
    /^(?:le|la|l|les|the|a|an|au|aux|de|du|des|d|un|une|to|my|mon|ma|any)$/.test(words[from]?.plain ?? '')
  )
    from += 1;
  let to = from;
  while (
    to < words.length &&
    to - from < 3 &&
    !/^(?:,|;|:|–|\(|\)|et|and|or|ou|mais|but|depuis|since|avec|with|car|because|parce|pour|for|qui|que|who|which|that|in|on|at|le|la|les|the|a|au|en|dans)$/.test(
      words[to]?.plain ?? '',
    )
  )
    to += 1;
  return to > from ? [asWritten(text, words.slice(from, to))] : [];
}
