import { holdsDate, isForAWhile } from './expiry.ts';
import { isPet, kinshipAt } from './kinship.ts';
import { isNameWord, nameEnd } from './names.ts';
import { APPOINTMENT, CODE, KEPT, TRIVIAL_THING } from './planRelations.ts';
import { readPredicate } from './predicate.ts';
import { type Context, hasName, nothing, type Reading } from './reading.ts';
import { statesOf } from './readRelation.ts';
import { type Subject, USER } from './subjects.ts';
import { readAttribute } from './values.ts';
import { asWritten, plainText, type Word } from './words.ts';

const COPULA =
  /^(?:(?:ne |n )?(?:est|sont|etait|sera|is|are|was|were|'s|will be|c est|a ete|has been|have been|ont ete|s appelle|s appellent|a|ont|has|have|reste|tombe|falls|starts|commence|begins|finit|ends|expires?|expire|needs?|doit|due|got|gets|vient|arrive|arrives|leaves|part|passe|goes|devient|coute|costs|will|va|vont|se|ouvre|ferme|opens|closes|moved|decale|marche|tourne|runs|contient|died|mesure|pese|changed|change|aura|auront|finishes|aime|adore|mange|lives|eats|likes|dort|vit|took|broke|refuse|comes|lasts|dure|tient|seats|holds|works|fait))(?= |$)/;

const TRANSIENT =
  /(?:^| )(?:at \d|a \d+ ?%?$|en panne|lent|lente|slow|broken again|cold|froid|froide|dead|plante|crashed|bloque|bloquee|frozen|killing me|racing|fait mal|hurts?|sore|vide|empty|pleine?|full|en retard|late|ce matin|this morning|hier|yesterday)(?= |$)/;

/** What somebody has: an attribute with its value, an appointment with its date, a code, or a thing with something particular. */
export function readOwned(
  subject: Subject & { type: 'owned' },
  rest: readonly Word[],
  context: Context,
): Reading | null {
  const { noun } = subject;
  const isTheirs =
    subject.owner.entity === 'person' && subject.owner.name === null && subject.owner.kinship === null;
  const owner = (isTheirs ? context.known.findLast((one) => one.entity === 'person') : null) ?? subject.owner;
  const isStranger =
    owner.entity === 'person' &&
    owner.kinship === null &&
    !(owner.name !== null && context.isKnownName(owner.name)) &&
    !context.known.some((one) => one.entity === 'person' && one.name === owner.name);
  const after = plainText(rest).text;
  const about = [owner];
  const attribute = readAttribute(noun, rest, context.text);
  const isBroken =
    attribute?.relation === 'home' && /(?:^| )(?:pas|plus|not|never|marche|works?)(?= |$)/.test(after);
  if (isBroken) return null;
  if (attribute && !TRIVIAL_THING.test(noun)) {
    const isRelation = owner.entity === 'person';
    return {
      ...nothing,
      kind: isRelation ? 'relation' : attribute.relation === 'name' ? 'identity' : 'fact',
      importance: 0.8,
      about,
      things: [attribute.value],
      states: statesOf(owner, attribute),
    };
  }
  const isGoal =
    /^(?:objectif|but|goal|resolution|aim|target)(?= |$)/.test(noun) &&
    after.startsWith(':') &&
    rest.length > 2;
  if (isGoal) return { ...nothing, kind: 'goal', importance: 0.6, about, things: [] };
  const isDatedFor =
    isStranger &&
    APPOINTMENT.test(noun) &&
    !PUBLIC.test(noun) &&
    holdsDate(after) &&
    /^\p{L}+$/u.test(owner.entity === 'person' ? (owner.name ?? '') : '') &&
    COPULA.test(after);
  if (isDatedFor) return { ...nothing, kind: 'event', importance: 0.6, about, things: [] };
  if (isStranger || TRIVIAL_THING.test(noun) || !COPULA.test(after)) return null;
  const isCode = CODE.test(noun) && (/\d/.test(after) || hasName(rest));
  if (isCode) return { ...nothing, kind: 'fact', importance: 0.8, about, things: [] };
  const isFavourite =
    !/(?:^| )(?:part|partie|line|quote|scene|moment|episode|chapter|passage)(?= |$)/.test(noun) &&
    /(?:^| )(?:favourites?|prefere[es]*|favori|favoris|favorite)(?= |$)/.test(noun);
  if (isFavourite && rest.length > 1)
    return { ...nothing, kind: 'preference', importance: 0.6, about, things: [] };
  const predicate = readPredicate(rest);
  const told: Reading = {
    ...nothing,
    kind: holdsDate(after) ? 'event' : 'fact',
    importance: 0.6,
    about,
    things: [],
    isPast: predicate.isPast,
  };
  if (
    noun.split(' ').some(isPet) &&
    !TRANSIENT.test(after) &&
    !/(?:^| )(?:ce matin|today|aujourdhui|hungry|faim|encore|again|me|keeps|won t|will not)(?= |$)/.test(
      after,
    ) &&
    rest.length > 1
  )
    return told;
  if (isForAWhile(after) && !predicate.isPast)
    return { ...nothing, kind: 'fact', importance: 0.6, about, things: [] };
  if (
    isBelonging(noun) &&
    predicate.text !== '' &&
    !TRANSIENT.test(after) &&
    (hasName(rest) ||
      holdsDate(after) ||
      /\d/.test(after) ||
      /^(?:(?:est|is|'s|has|a|ont|have|was|etait|ete) )*(?:en (?:bois|cuir)|allergique|allergic|born|ne|nee|old|vieux|blind|aveugle|sourde?|deaf|mort|morte|died|dead|pregnant|diabetique|diabetic|called|s appelle|(?:un|une|a|an) (?!bit|peu|peux|probleme|problem|issue|bug|mess|disaster|nightmare|erreur|error|catastrophe|galere|bordel|desastre|lot|little|pain|joke|question|souci)|electri|diesel|hybrid|au (?:gaz|fioul)|a (?:gaz|gas|petrol)|facing|plein (?:sud|nord)|made of|rented|owned|loue)/.test(
        predicate.text,
      ))
  )
    return told;
  const goal =
    /^(?:objectif|but|goal|reve|dream|projet|project|resolution|ambition|plan|aim|target)(?= |$)/.test(noun);
  if (goal && rest.length > 3) return { ...nothing, kind: 'goal', importance: 0.6, about, things: [] };
  const allergies =
    /^(?:allerg|intoleran|traitement|treatment|medication|regime|diet|groupe sanguin|blood type)/.test(noun);
  return allergies && rest.length > 1
    ? { ...nothing, kind: 'fact', importance: 0.8, about, things: [] }
    : null;
}

/** Of events that the world knows, a date is no news of the user. */
export const PUBLIC =
  /(?:^| )(?:train|bus|ferry|match|concert|game|race|marche|market|festival|conference|mass|messe|election|elections|film|movie|world|season|saison|coupe|cup|final|finale|eclipse|tournament|tournoi|marathon|expo|exposition|exhibition|lancement|launch)(?= |$)/;

/** What nobody calls "the" but those who live with it. */
const HOUSEHOLD =
  /^(?:le|la|l|les|the) (?:loyer|rent|voiture|car|van|chaudiere|boiler|chat|chatte|chien|chienne|dog|cat|appart|flat|mortgage|credit immobilier|pret immobilier|nounou|cantine|creche|femme de menage|gite|camping car|caravane|poney|jument)(?= |$)/;

const isBelonging = (noun: string) =>
  !/^(?:\S+ )?(?:vie|life|monde|world|time|temps|choice|choix|reason|raison|way|facon|best|mieux|own|part|cote|side|eyes|yeux|name)(?= |$)/.test(
    noun,
  );

/** "The wifi password is…", « le rendez-vous est décalé au 12 »: only codes and dated appointments, which nobody tells of others. */
export function readThing(words: readonly Word[], rest: readonly Word[], text: string): Reading | null {
  const plain = plainText(words).text;
  const noun = plainText(words.slice(0, words.length - rest.length)).text;
  const after = plainText(rest).text;
  if (/(?:^| )(?:retour|return|erreur|error|http|status|exit)(?= |$)/.test(noun)) return null;
  const base = { ...nothing, about: [], things: [] };
  const isTemporary =
    /(?:^| )(?:jusqu|until|till)(?= )/.test(plain) &&
    /^(?:est|sont|is|are|'s|reste|restent|stays|will|sera)(?= )/.test(after);
  if (isTemporary) return { ...base, kind: 'fact', importance: 0.6 };
  if (
    KEPT.test(noun) &&
    /^(?:est|sont|is|are|'s|se trouvent?|c est) (?:\S+ )?(?:sous|dans|sur|chez|derriere|a|au|under|in|on|behind|at|with|inside|above|below|next)(?= )/.test(
      after,
    )
  )
    return { ...base, kind: 'fact', importance: 0.6 };
  if (
    PUBLIC.test(noun) ||
    words
      .slice(0, words.length - rest.length)
      .some(({ start, end }) => /^\p{Lu}{2,}$/u.test(text.slice(start, end)))
  )
    return null;
  const isTheirOwn =
    HOUSEHOLD.test(noun) &&
    /^(?:est|is|'s|sont|passe|costs?|coute) /.test(after) &&
    !TRANSIENT.test(after) &&
    (/\d/.test(after) || hasName(rest));
  if (isTheirOwn) return { ...base, kind: 'fact', importance: 0.5 };
  const kin = /^(?:le|la|l|the)$/.test(words[0]?.plain ?? '') ? kinshipAt(words, 1) : null;
  const named = rest.findIndex((word) => isNameWord(word));
  if (
    kin &&
    /^(?:s appelle|is called|'s called|is named|c est|est|is) /.test(after) &&
    named > 0 &&
    named < 4
  )
    return {
      ...base,
      kind: 'relation',
      importance: 0.6,
      about: [{ entity: 'person', name: null, kinship: kin.kinship }],
    };
  const isNamed =
    /^(?:is going to be called|will be called|is called now|s appellera|va s appeler|sera appelee?) /.test(
      after,
    );
  if (isNamed) return { ...base, kind: 'decision', importance: 0.6 };
  if (
    CODE.test(noun) &&
    /^(?:c est|est|is|'s|was|a (?:ete )?change|has (?:been )?(?:changed|set)|changed|sera|becomes|devient)/.test(
      after,
    ) &&
    /\d|\w[!@#$%&*_-]\w/.test(after)
  )
    return { ...base, kind: 'fact', importance: 0.8 };
  const isDated =
    /^(?:(?:du|de|d|at|with|chez|avec|pour|for|de la|of) )?.{0,60}?(?:est|is|'s|a ete|has been|was|a lieu|aura lieu|sera|will be|moved|commence|starts|se tient|tombe|falls|got|a finalement|passe|avance|begins|leaves|part|ends|finit|expire|expires|arrive|arrives|vient|comes)(?= )/.test(
      after,
    );
  return APPOINTMENT.test(noun) &&
    isDated &&
    holdsDate(plain) &&
    !/(?:^| )(?:18|19)\d\d(?= |$)|(?:^| )(?:world|monde|cup|coupe|france|terre|earth)(?= |$)/.test(plain)
    ? { ...base, kind: 'event', importance: 0.6 }
    : null;
}

/** "It's my birthday on Friday", « c’est l’anniversaire de ma mère le 3 mai ». */
export function readPointing(words: readonly Word[], text: string): Reading | null {
  const plain = plainText(words).text;
  if (
    !/(?:^| )(?:mon|ma|mes|my|notre|nos|our)(?= )/.test(plain) ||
    !/^(?:c|ca|it|there|il|ce) (?:est|etait|sera|is|'s|was|will|y)/.test(plain)
  )
    return null;
  const isCleft = plain.startsWith('c est ') && isNameWord(words[2]) && plain.includes(' qui ');
  if (isCleft)
    return {
      ...nothing,
      kind: 'relation',
      importance: 0.6,
      about: [],
      things: [asWritten(text, words.slice(2, nameEnd(words, 2)))],
    };
  if (!holdsDate(plain) && !(CODE.test(plain) && /\d/.test(plain))) {
    const name = /^(?:c|it) (?:est|is|'s) /.test(plain) && isNameWord(words[2]) ? nameEnd(words, 2) : 0;
    if (name === 0) return null;
    return {
      ...nothing,
      kind: 'relation',
      importance: 0.6,
      about: [],
      things: [asWritten(text, words.slice(2, name))],
    };
  }
  if (!APPOINTMENT.test(plain) && !CODE.test(plain)) return null;
  return {
    ...nothing,
    kind: CODE.test(plain) ? 'fact' : 'event',
    importance: 0.6,
    about: [USER],
    things: [],
  };
}
