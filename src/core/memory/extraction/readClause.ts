import { readAlias, readCalledBy, readNickname } from './aliases.ts';
import { holdsDate } from './expiry.ts';
import { isPartner, kinshipAt } from './kinship.ts';
import { nameEnd } from './names.ts';
import { antecedent, readPerson } from './people.ts';
import { readPredicate } from './predicate.ts';
import { type Context, nothing, type Reading } from './reading.ts';
import type { Mention, SingleValued, Statement } from './statement.ts';
import { readValue, type Value } from './states.ts';
import { readSubject, type Subject, USER } from './subjects.ts';
import { readAttribute, readContact } from './values.ts';
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
      return readTold(rest, context) ?? stateReading([USER], rest, text) ?? readIdentity(rest, text);
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
  const value = people.length === 1 ? readValue(predicate, text) : null;
  return value && valueReading(who, value, predicate.isPast);
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

/** "I'm Léa", « moi c’est Théo »: a name alone behind the verb. */
function readIdentity(rest: readonly Word[], text: string): Reading | null {
  const match = /^(?:c est|suis|am|'s|is) /.exec(plainText(rest).text);
  if (!match) return null;
  const index = match[0].startsWith('c ') ? 2 : 1;
  const end = nameEnd(rest, index);
  const isNationality = /(?:ais|aise|ois|oise|ien|ienne|ish|ian|ean|ese|ch)$/.test(rest[index]?.plain ?? '');
  if (end === index || end > index + 3 || isNationality) return null;
  const next = rest[end]?.plain ?? ',';
  if (!/^(?:,|from|de|du|et|and|by|now|maintenant|desormais|;|–|\()$/.test(next)) return null;
  return asReading({ of: USER, relation: 'name', value: asWritten(text, rest.slice(index, end)) });
}

const NO_SUBJECT =
  /^(?:(?:just|recently|finally|officially|am|been|now|tout juste) )*(?:moved|moving|started|starting|working|living|joined|born|married|engaged|ne|nee|mariee?|demenage|embauchee?|based|basee?)(?= )/;

/** "Just moved to Leeds": what people write of themselves without a subject. */
function readTelegraphic(words: readonly Word[], text: string): Reading | null {
  return NO_SUBJECT.test(plainText(words).text) ? stateReading([USER], words, text) : null;
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

/** What a clause that is kept says in general: whom it is about, and of which kind it is. */
export function readGeneral(
  words: readonly Word[],
  subject: Subject | null,
  { classes, context }: { classes: ReadonlySet<string>; context: Context },
): Reading {
  const { text: plain } = plainText(words);
  const predicate = readPredicate(subject ? words.slice(subject.next) : words);
  const about = aboutOf(words, subject, context);
  const [who] = about;
  const base = { ...nothing, about, isPast: predicate.isPast };
  const things = thingsOf(words, subject, context.text);
  const [word] = words;
  const by = subject?.type === 'pronoun' && who?.entity === 'person' ? (who.name ?? context.kin) : null;
  const replaces = word && by ? { word, by } : null;
  const is = (name: string) => classes.has(name);
  if (is('health'))
    return { ...base, replaces, things, kind: who?.entity === 'user' ? 'fact' : 'relation', importance: 0.8 };
  if (is('taste')) return { ...base, replaces, things, kind: 'preference', importance: 0.6 };
  if (is('decision')) return { ...base, replaces, things, kind: 'decision', importance: 0.6 };
  if (is('goal')) return { ...base, replaces, things, kind: 'goal', importance: 0.6 };
  if (holdsDate(plain)) return { ...base, replaces, things, kind: 'event', importance: 0.6 };
  return { ...base, replaces, things, kind: who?.entity === 'person' ? 'relation' : 'fact', importance: 0.6 };
}

function aboutOf(words: readonly Word[], subject: Subject | null, context: Context): Mention[] {
  const isOwn = /(?:^| )(?:je|j|i|me|m|moi|nous|we|us|mon|ma|mes|my|our|notre|nos)(?= |$)/.test(
    plainText(words).text,
  );
  switch (subject?.type) {
    case 'self':
    case 'we':
    case 'generic':
      return [USER];
    case 'person':
      return [...subject.people];
    case 'pronoun': {
      const person = antecedent(context.people, subject.gender);
      return person ? [person] : [];
    }
    case 'owned': {
      const isTheirs =
        subject.owner.entity === 'person' && subject.owner.name === null && subject.owner.kinship === null;
      const owner = isTheirs ? context.people.findLast((one) => one.entity === 'person') : subject.owner;
      return owner ? [owner] : [];
    }
    default:
      return isOwn ? [USER] : [];
  }
}

const OBJECT_OF =
  /(?:^| )(?:allergi\S*|intoleran\S*|aime|aimes|adore|adores|deteste|detestes|prefere|preferes|raffole|kiffe|supporte|love|loves|like|likes|hate|hates|prefer|prefers|enjoy|enjoys|stand|bear|fan) (?:(?:le|la|l|les|the|a|an|au|aux|de|du|des|d|un|une|to|of|my|any|trop|beaucoup|pas) )*/;

/** What the clause is about, as written: a thing that is its subject, else what is liked, avoided or borne badly. */
function thingsOf(words: readonly Word[], subject: Subject | null, text: string): string[] {
  if (subject?.type === 'thing' || (subject?.type === 'owned' && subject.owner.entity === 'user')) {
    const noun = words.slice(0, subject.next).filter(({ plain }) => !DETERMINER.test(plain));
    return noun.length > 0 && noun.length <= 4 ? [asWritten(text, noun)] : [];
  }
  const { text: plain, at } = plainText(words);
  const match = OBJECT_OF.exec(plain);
  if (!match) return [];
  const from = at(match.index + match[0].length);
  let to = from;
  while (to < words.length && to - from < 3 && !STOPS.test(words[to]?.plain ?? '')) to += 1;
  return to > from ? [asWritten(text, words.slice(from, to))] : [];
}

const DETERMINER = /^(?:le|la|l|les|the|a|an|un|une|mon|ma|mes|my|our|notre|nos|ce|cette|cet|this|that|,)$/;

const STOPS =
  /^(?:,|;|:|–|\(|\)|et|and|or|ou|mais|but|depuis|since|avec|with|car|because|parce|pour|for|qui|que|who|which|that|in|on|at|le|la|les|the|a|au|en|dans|so|when|quand|anymore|now|maintenant|too|aussi)$/;

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
