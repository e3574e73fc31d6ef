import { readAlias, readCalledBy, readNickname } from './aliases.ts';
import { isPartner, kinshipAt } from './kinship.ts';
import { nameEnd } from './names.ts';
import { antecedent, readPerson } from './people.ts';
import { readPredicate } from './predicate.ts';
import { type Context, nothing, type Reading } from './reading.ts';
import type { Mention, SingleValued, Statement } from './statement.ts';
import { readValue, type Value } from './states.ts';
import { readSubject, type Subject, USER } from './subjects.ts';
import { readAttribute, readContact } from './values.ts';
import { isVerb } from './verbs.ts';
import { asWritten, plainText, type Word } from './words.ts';

/** Of the user; what is said of others counts 0.7 at most. */
const IMPORTANCE: Readonly<Record<SingleValued, number>> = {
  name: 1,
  home: 0.9,
  employer: 0.8,
  job: 0.8,
  birthday: 0.8,
  partner: 0.8,
  phone: 0.8,
  email: 0.8,
  age: 0.7,
};

/** What a clause says for certain: a name, another name, the value of a single-valued relation. Null if it says none. */
export function readCertain(
  words: readonly Word[],
  subject: Subject | null,
  context: Context,
): Reading | null {
  const { text } = context;
  return (
    readNames(words, text) ??
    readIntroduction(words, context) ??
    readWhere(words, text) ??
    readWhoIs(words, text) ??
    readLabelled(words, text) ??
    (subject ? readBySubject(words, subject, context) : readTelegraphic(words, text))
  );
}

function readBySubject(words: readonly Word[], subject: Subject, context: Context): Reading | null {
  const { text } = context;
  const rest = words.slice(subject.next);
  switch (subject.type) {
    case 'self':
    case 'we':
    case 'generic':
      return readTold(rest, context) ?? stateReading([USER], rest, text) ?? identityReading(rest, text);
    case 'pronoun': {
      const person = antecedent(context.people, subject.gender);
      if (person?.entity !== 'person') return null;
      const reading = stateReading([person], rest, text);
      const [word] = words;
      const by = person.name ?? context.kin;
      return reading && word && by ? { ...reading, replaces: { word, by } } : reading;
    }
    case 'person':
      return (
        readTold(rest, { ...context, people: subject.people }) ?? stateReading(subject.people, rest, text)
      );
    case 'owned':
      return readOwned(subject, rest, context);
    default:
      return null;
  }
}

function stateReading(people: readonly Mention[], rest: readonly Word[], text: string): Reading | null {
  const [who, other] = people;
  if (!who) return null;
  const predicate = readPredicate(rest);
  const isCouple =
    who.entity === 'person' &&
    who.name !== null &&
    other?.entity === 'user' &&
    /(?:^| )(?:together|ensemble|married|maries|mariees|pacses|pacsees|engaged|fiances)(?= |$)/.test(
      predicate.text,
    );
  if (isCouple) return asReading({ of: USER, relation: 'partner', value: who.name ?? '' }, predicate.isPast);
  if (
    people.length > 1 ||
    (who.entity === 'person' &&
      who.kinship !== null &&
      /(?:s|children)$/.test(who.kinship) &&
      who.kinship !== 'boss')
  )
    return null;
  const named =
    who.entity === 'person' && who.kinship !== null && who.name === null ? readCalled(rest, text) : null;
  if (named) return valueReading(who, { relation: 'name', value: named });
  for (const part of partsOf(rest)) {
    const value = readPhone(part, text) ?? readValue(readPredicate(part), text);
    if (value) return valueReading(who, value, predicate.isPast);
  }
  return null;
}

/** « Ma copine, c’est Jade », "my boss is Lorraine": the name of somebody of whom only a kinship was said. */
function readCalled(rest: readonly Word[], text: string): string | null {
  const match = /^(?:, )?(?:c est|est|is|'s)(?: (?:now|maintenant|desormais|called))? /.exec(
    plainText(rest).text,
  );
  if (!match) return null;
  const at = plainText(rest).at(match[0].length);
  const end = nameEnd(rest, at);
  const isNationality = /(?:ais|aise|ois|oise|ien|ienne|ish|ian|ean|ese|ch|can)$/.test(rest[at]?.plain ?? '');
  return end > at && !isNationality ? asWritten(text, rest.slice(at, end)) : null;
}

/** A predicate, then what "and" or a comma joins to it of the same person: "quit cooking and he's a mailman now". */
function partsOf(rest: readonly Word[]): Word[][] {
  const parts = [[...rest]];
  for (const [index, { plain }] of rest.entries()) {
    if (!/^(?:et|and|,)$/.test(plain)) continue;
    const isPronoun = /^(?:il|elle|he|she|je|j|i|le|la)$/.test(rest[index + 1]?.plain ?? '');
    const next = index + (isPronoun ? 2 : 1);
    const first = rest[next]?.plain ?? '';
    if (isVerb(first) || /^(?:s|m|voila)$/.test(first)) parts.push(rest.slice(next));
  }
  return parts;
}

/** « A un nouveau numéro, le 06… »: where somebody can be rung. */
function readPhone(part: readonly Word[], text: string): Value | null {
  if (!/(?:^| )(?:numero|number|num|tel|telephone|phone|mobile|portable)(?= )/.test(plainText(part).text))
    return null;
  const digits = /\+?\d[\d .()-]{6,20}\d/.exec(asWritten(text, part))?.[0];
  return digits ? { relation: 'phone', value: digits } : null;
}

/** "My wife is called Ana" gives the user's partner; "my brother is called Luc" only says who is who. */
function valueReading(who: Mention, { relation, value }: Value, isPast = false): Reading {
  if (who.entity === 'user' || relation !== 'name') return asReading({ of: who, relation, value }, isPast);
  const about = [{ ...who, name: who.name ?? value }];
  if (isPartner(who.kinship)) return { ...asReading({ of: USER, relation: 'partner', value }), about };
  return { ...nothing, kind: 'relation', importance: 0.7, about, things: [value], isPast };
}

/** The reading that gives a relation its value. */
function asReading(states: NonNullable<Statement['states']>, isPast = false): Reading {
  const { of, relation, value } = states;
  const isUser = of.entity === 'user';
  const importance = isUser ? IMPORTANCE[relation] : Math.min(0.7, IMPORTANCE[relation]);
  const kind = isUser ? 'identity' : 'relation';
  return { ...nothing, kind, importance, about: [of], things: [value], states, isPast };
}

/** "My sister told me she is moving to Lyon", « ma mère m’a dit qu’elle déménage »: what is told is said of who tells it. */
function readTold(rest: readonly Word[], context: Context): Reading | null {
  const { text, at } = plainText(rest);
  const told =
    /^(?:(?:vient de )?m a (?:dit|annonce|appris|confirme|ecrit|prevenue?)(?: que| qu)|(?:has |have )?(?:just )?(?:told|texted|messaged|called to tell|informed) (?:me|us)(?: that)?|nous a (?:dit|annonce|appris)(?: que| qu)) /.exec(
      text,
    );
  if (!told) return null;
  const inner = rest.slice(at(told[0].length));
  const subject = readSubject(inner, 0, context.text);
  const person = context.people.at(-1);
  if (subject?.type !== 'pronoun' || !person) return null;
  return stateReading([person], inner.slice(subject.next), context.text);
}

/** What somebody has: « mon numéro est le… », "my sister's birthday is on 3 May". */
function readOwned(
  subject: Subject & { type: 'owned' },
  rest: readonly Word[],
  context: Context,
): Reading | null {
  const isTheirs =
    subject.owner.entity === 'person' && subject.owner.name === null && subject.owner.kinship === null;
  const owner =
    (isTheirs ? context.people.findLast((one) => one.entity === 'person') : null) ?? subject.owner;
  const value = readAttribute(subject.noun, rest, context.text);
  const after = plainText(rest).text;
  const isBroken = /(?:^| )(?:pas|plus|not|never|marche|works?)(?= |$)/.test(after);
  if (!value || (value.relation === 'home' && isBroken)) return null;
  return valueReading(owner, value);
}

/** Names, nicknames and addresses by which people are called and reached, whatever form the sentence has. */
export function readNames(words: readonly Word[], text: string): Reading | null {
  const contact = readContact(plainText(words).text, words, text);
  if (contact) return asReading({ of: USER, ...contact });
  const nickname = readNickname(words, text);
  if (nickname) {
    const { name, isWanted } = nickname;
    if (isWanted) return asReading({ of: USER, relation: 'name', value: name });
    return { ...nothing, kind: 'identity', importance: 0.9, about: [USER], things: [name] };
  }
  const called = readCalledBy(words, text);
  if (called) return { ...nothing, kind: 'relation', importance: 0.7, about: [called], things: [] };
  const alias = readAlias(words, text);
  if (!alias) return null;
  const about: Mention[] = [{ entity: 'person', name: alias.of, kinship: null }];
  return { ...nothing, kind: 'relation', importance: 0.7, about, things: [alias.name, alias.of], alias };
}

/** "Dr Hale is our vet", « Jade est ma copine »: somebody who is said to be the user's. */
function readWhoIs(words: readonly Word[], text: string): Reading | null {
  const { text: plain, at } = plainText(words);
  const match =
    /^(?:\S+ ){1,5}?(?:, )?(?:is|'s|est|c est) (?:(?:encore|toujours|also|aussi|still|now|desormais|maintenant) )?(?:my|our|mon|ma|notre) /.exec(
      plain,
    );
  const end = nameEnd(words, 0);
  if (!match || end === 0) return null;
  const next = at(match[0].length);
  const kin = [0, 1, 2].map((ahead) => kinshipAt(words, next + ahead)).find((found) => found !== null);
  if (!kin) return null;
  const name = asWritten(text, words.slice(0, end));
  if (isPartner(kin.kinship)) return asReading({ of: USER, relation: 'partner', value: name });
  const about: Mention[] = [{ entity: 'person', name, kinship: kin.kinship }];
  return { ...nothing, kind: 'relation', importance: 0.7, about, things: [name] };
}

/** Folded words that stand before the name of whoever writes. */
const INTRODUCES =
  /^(?:c est moi ,|(?:moi )?c est|ici|this is|it (?:'s|is) me ,|it (?:'s|is)|(?:(?:the|my) )?name (?:is|'s)|le nom c est|prenom|mon (?:nom|prenom) est) /;
/** These name the user wherever they stand; others do at the beginning of a message alone. */
const NAMES_USER = /^(?:the |my |mon |le )?(?:name|nom|prenom)/;

/** "This is Agnieszka", "Sanne here, 33", « ici Léon »: how people say who is writing. */
function readIntroduction(words: readonly Word[], { text, isBeginning }: Context): Reading | null {
  const { text: plain, at } = plainText(words);
  const [lead] = INTRODUCES.exec(plain) ?? [];
  if (!isBeginning && !(lead && NAMES_USER.test(lead))) return null;
  const start = lead === undefined ? 0 : at(lead.length);
  const end = nameEnd(words, start);
  const isHere = words[end]?.plain === 'here';
  if (end === start || end > start + MOST_NAMES || (lead === undefined && !isHere)) return null;
  const next = words[end + Number(isHere)]?.plain ?? ',';
  if (!/^(?:,|;|–|\(|and|et|but|mais)$/.test(next)) return null;
  return asReading({ of: USER, relation: 'name', value: asWritten(text, words.slice(start, end)) });
}

/** "Cork is where I live", « Marseille, où je vis maintenant »: a home that is named first. */
function readWhere(words: readonly Word[], text: string): Reading | null {
  const { text: plain, at } = plainText(words);
  const match =
    /(?:^| )(\S+)(?: is)?(?: ,)? (?:where|ou|la ou) (?:i|we|je|j|nous|on) (?:now |currently )?(?:live|vis|habite|habitons|vivons)(?= |$)/.exec(
      plain,
    );
  const start = match ? at(match.index === 0 ? 0 : match.index + 1) : -1;
  if (words[start]?.isCapital !== true) return null;
  return asReading({ of: USER, relation: 'home', value: asWritten(text, words.slice(start, start + 1)) });
}

/** In any part of what is said: "I changed my name, I'm Juno Ashdown now". */
function identityReading(rest: readonly Word[], text: string): Reading | null {
  return (
    partsOf(rest)
      .map((part) => readIdentity(part, text))
      .find((reading) => reading !== null) ?? null
  );
}

/** Words of the name of a person who is introduced. */
const MOST_NAMES = 3;

/** "I'm Léa", « moi c’est Théo »: a name alone behind the verb. */
function readIdentity(rest: readonly Word[], text: string): Reading | null {
  const match = /^(?:c est|suis|am|'s|is) /.exec(plainText(rest).text);
  if (!match) return null;
  const index = match[0].startsWith('c ') ? 2 : 1;
  const end = nameEnd(rest, index);
  const isNationality = /(?:ais|aise|ois|oise|ien|ienne|ish|ian|ean|ese|ch)$/.test(rest[index]?.plain ?? '');
  if (end === index || end > index + MOST_NAMES || isNationality) return null;
  const next = rest[end]?.plain ?? ',';
  if (!/^(?:,|from|de|du|et|and|by|now|maintenant|desormais|;|–|\()$/.test(next)) return null;
  return asReading({ of: USER, relation: 'name', value: asWritten(text, rest.slice(index, end)) });
}

const NO_SUBJECT =
  /^(?:(?:just|recently|finally|officially|am|been|now|tout juste) )*(?:moved|moving|started|starting|working|living|joined|born|married|engaged|ne|nee|mariee?|demenage|embauchee?|based|basee?)(?= )/;

/** "Just moved to Leeds": what people write of themselves without a subject. */
function readTelegraphic(words: readonly Word[], text: string): Reading | null {
  const { text: plain, at } = plainText(words);
  const firstDay = /^(?:(?:my |mon )?(?:first day|premier jour)) (?:chez|at) /.exec(plain);
  if (firstDay) {
    const start = at(firstDay[0].length);
    const value = asWritten(text, words.slice(start, nameEnd(words, start)));
    return value === '' ? null : asReading({ of: USER, relation: 'employer', value });
  }
  return NO_SUBJECT.test(plain) ? stateReading([USER], words, text) : null;
}

/** « Nouveau numéro de Luc : 06… », "new address: 8 High Street". */
function readLabelled(words: readonly Word[], text: string): Reading | null {
  const { text: plain, at } = plainText(words);
  const label =
    /^(?:(?:nouvelle?|nouveau|new|le|la|l|the|mon|ma|my) )*((?:adresse|address|numero|number|telephone|phone|tel|mail|email|employeur|employer|metier|job)(?: (?:mail|email|de telephone|de portable))?)((?: \S+){0,6}?) (?::|,? ?c est|,? ?c) /.exec(
      plain,
    );
  if (!label) return null;
  const value = readAttribute(label[1] ?? '', words.slice(at(label[0].length)), text);
  if (!value) return null;
  const whose = /^ (?:de|d|of) /.exec(label[2] ?? '');
  const person = whose ? readPerson(words, at(plain.indexOf(whose[0]) + whose[0].length), text) : null;
  const of = person?.mention ?? (label[2] ? null : USER);
  return of && asReading({ of, ...value });
}

/** Is it the name of somebody of whom facts are known, or who was named before? */
export const isKnownPerson = (people: readonly Mention[], context: Context): boolean =>
  people.some(
    (one) =>
      one.entity === 'user' ||
      (one.name !== null && context.isKnownName(one.name)) ||
      context.known.some(
        (other) => other.entity === 'person' && one.name !== null && one.name === other.name,
      ),
  );
