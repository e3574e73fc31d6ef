import { genderOf, isAdjective, isCalled, isPet, kinshipAt } from './kinship.ts';
import { isLowerName, isNameWord, nameEnd } from './names.ts';
import type { Mention } from './statement.ts';
import { isVerb } from './verbs.ts';
import { asWritten, type Word } from './words.ts';

export const USER: Mention = { entity: 'user' };

/** What a clause is about. `next` is the index of the first word behind it. */
export type Subject = { next: number } & (
  | { type: 'self' | 'we' | 'generic' | 'it' | 'thing' }
  | { type: 'pronoun'; gender: 'm' | 'f' | null }
  /** People by name or kinship; `isBare` if a name alone says it. */
  | { type: 'person'; people: Mention[]; isBare: boolean }
  /** Something that somebody has: "my car", "ma sœur's birthday", "l’anniversaire de Léa". */
  | { type: 'owned'; noun: string; owner: Mention }
);

const plainAt = (words: readonly Word[], index: number) => words[index]?.plain ?? '';

const SELF = /^(?:je|j|i)$/;
const POSSESSIVE = /^(?:mon|ma|mes|notre|nos|my|our|ours)$/;
const ARTICLE = /^(?:le|la|l|les|the|un|une|a|an|ce|cette|cet|ces|this|that)$/;
const NOUN = /^\p{L}[\p{L}\p{M}']*$/u;
const STOPS_NOUN = /^(?:et|and|ou|or|mais|but|,|;|:|–|\(|\)|qui|que|who|which|that|,)$/;

/** The subject that begins at a word; null if none does. */
export function readSubject(words: readonly Word[], index: number, text: string): Subject | null {
  const first = plainAt(words, index);
  if (first === 'moi' || first === 'perso' || first === 'myself') {
    const next = plainAt(words, index + 1) === ',' ? index + 2 : index + 1;
    if (SELF.test(plainAt(words, next))) return { type: 'self', next: next + 1 };
    if (plainAt(words, next) === 'c') return { type: 'self', next };
  }
  if (/^(?:me|nous)$/.test(first) && plainAt(words, index + 1) === 'voila')
    return { type: 'self', next: index + 2 };
  if (SELF.test(first)) return { type: 'self', next: index + 1 };
  if (first === 'nous' || first === 'we') {
    const isDoubled = first === 'nous' && plainAt(words, index + 1) === ',' ? 2 : 0;
    return { type: 'we', next: index + 1 + isDoubled };
  }
  if (first === 'on') return { type: 'generic', next: index + 1 };
  if (/^(?:il|ils|elle|elles|he|she|they)$/.test(first)) {
    const gender = /^(?:il|he)$/.test(first) ? 'm' : /^(?:elle|she)$/.test(first) ? 'f' : null;
    if (first === 'il' && /^(?:y|faut|fait|parait|pleut|neige|est)$/.test(plainAt(words, index + 1)))
      if (plainAt(words, index + 1) !== 'est' && plainAt(words, index + 1) !== 'fait')
        return { type: 'it', next: index + 1 };
    return { type: 'pronoun', gender, next: index + 1 };
  }
  if (
    /^(?:c|ca|cela|it|there|ce)$/.test(first) &&
    /^(?:est|etait|sera|is|was|'s|will)$/.test(plainAt(words, index + 1))
  )
    return { type: 'it', next: index + 1 };
  return readPeople(words, index, text) ?? readThing(words, index, text);
}

/** One or several people: "mon frère David", "my sister and her husband", "David et Léa"; or what one of them has. */
function readPeople(words: readonly Word[], index: number, text: string): Subject | null {
  const first = readPerson(words, index, text);
  if (!first) return null;
  if (plainAt(words, first.next) === "'s" && !isCopula(words, first.next)) {
    return readOwned(words, first.next + 1, text, first.mention);
  }
  const people = [first.mention];
  let { next } = first;
  while (/^(?:et|and|&)$/.test(plainAt(words, next)) && people.length < 4) {
    const other =
      readPerson(words, next + 1, text) ??
      (/^(?:moi|me|i|je)$/.test(plainAt(words, next + 1)) ? { mention: USER, next: next + 2 } : null);
    if (!other || !hasVerbAhead(words, other.next)) break;
    people.push(other.mention);
    next = other.next;
    if (/^(?:on|nous|we)$/.test(plainAt(words, next)) || plainAt(words, next) === ',') {
      const after = plainAt(words, next) === ',' ? next + 1 : next;
      if (/^(?:on|nous|we)$/.test(plainAt(words, after))) next = after + 1;
    }
  }
  return { type: 'person', people, isBare: first.isBare, next };
}

const hasVerbAhead = (words: readonly Word[], index: number) =>
  [0, 1, 2, 3].some(
    (ahead) => isVerb(plainAt(words, index + ahead)) || /^(?:on|we)$/.test(plainAt(words, index + ahead)),
  );

/** "my brother's allergic", "Léa's moving": here 's is a verb; before a noun it is not. */
function isCopula(words: readonly Word[], index: number): boolean {
  const next = plainAt(words, index + 1);
  return (
    /^(?:a|an|the|in|at|on|not|now|just|been|got|going|getting|so|very|still|really|also|always|never|called|named|allergic|pregnant|vegan|vegetarian|diabetic|from|back|with|off|my|our|about|only|already|finally|retired|married|engaged|divorced|due|born|\d.*)$/.test(
      next,
    ) ||
    (/^.{3,}(?:ing|ed)$/.test(next) &&
      !/^(?:wedding|meeting|building|training|clothing|christening|bed|shed|greeting)$/.test(next)) ||
    (words[index + 1]?.isCapital === true && /ish|ian$/.test(next))
  );
}

interface Person {
  mention: Mention;
  isBare: boolean;
  next: number;
}

/** One person: a possessive with a kinship and a name, or a name alone. */
export function readPerson(words: readonly Word[], index: number, text: string): Person | null {
  let at = index;
  const first = plainAt(words, at);
  if (!POSSESSIVE.test(first) && !/^(?:his|her|their|son|sa|ses)$/.test(first)) {
    return readCalled(words, index, text) ?? readNamed(words, index, text);
  }
  const isOwn = POSSESSIVE.test(first);
  at += 1;
  let kin = kinshipAt(words, at);
  while (!kin && isAdjective(plainAt(words, at)) && at - index < 4) {
    at += 1;
    kin = kinshipAt(words, at);
  }
  if (!kin) return null;
  at = kin.next;
  if (
    /^(?:aine|ainee|cadet|cadette|jumeau|jumelle|adore|adoree|cheri|cherie|traitant|preferee?|biologique)$/.test(
      plainAt(words, at),
    )
  )
    at += 1;
  const kinship = isOwn ? kin.kinship : null;
  const named = readApposition(words, at, text);
  if (named)
    return {
      mention: { entity: 'person', name: named.name, kinship },
      isBare: !isOwn,
      next: skipEmphasis(words, named.next),
    };
  // « La sœur de mon père », "my friend from work", « mon amie du lycée »: what narrows a person belongs to the subject.
  return {
    mention: { entity: 'person', name: null, kinship },
    isBare: !isOwn,
    next: skipEmphasis(words, skipNarrowing(words, at, text)),
  };
}

/** "David", or "David, my brother," with what he is to the user. */
function readNamed(words: readonly Word[], index: number, text: string): Person | null {
  const end = nameEnd(words, index);
  if (end === index || isPet(plainAt(words, index))) return null;
  const name = asWritten(text, words.slice(index, end));
  const bare: Person = { mention: { entity: 'person', name, kinship: null }, isBare: true, next: end };
  if (
    !/^[,(–]$/.test(plainAt(words, end)) ||
    !(
      POSSESSIVE.test(plainAt(words, end + 1)) ||
      (plainAt(words, end) === '(' && /^(?:le|la|the)$/.test(plainAt(words, end + 1)))
    )
  )
    return bare;
  let at = end + 2;
  let kin = kinshipAt(words, at);
  while (!kin && isAdjective(plainAt(words, at)) && at - end < 5) {
    at += 1;
    kin = kinshipAt(words, at);
  }
  if (!kin) return bare;
  at = kin.next;
  while (at < words.length && at - kin.next < 6 && !/^[,)–]$/.test(plainAt(words, at))) at += 1;
  if (!/^[,)–]$/.test(plainAt(words, at))) return bare;
  return {
    mention: { entity: 'person', name, kinship: kin.kinship },
    isBare: false,
    next: skipEmphasis(words, at + 1),
  };
}

/** "dad", « maman », "Aunt Maud": a kinship that stands for a name, before a verb or a name. */
function readCalled(words: readonly Word[], index: number, text: string): Person | null {
  if (!isCalled(plainAt(words, index))) return null;
  const kin = kinshipAt(words, index);
  if (!kin) return null;
  const end = nameEnd(words, kin.next);
  if (end > kin.next) {
    const name = asWritten(text, words.slice(kin.next, end));
    return { mention: { entity: 'person', name, kinship: kin.kinship }, isBare: false, next: end };
  }
  const next = plainAt(words, kin.next);
  if (!isVerb(next) && next !== "'s" && !/^(?:just|will|really|and|et)$/.test(next)) return null;
  return { mention: { entity: 'person', name: null, kinship: kin.kinship }, isBare: false, next: kin.next };
}

/** « mon frère David, lui, … », « ma tante, elle, … ». */
function skipEmphasis(words: readonly Word[], at: number): number {
  let next = at;
  if (plainAt(words, next) === ',') next += 1;
  if (!/^(?:lui|elle|eux|elles|aussi|though|however|also)$/.test(plainAt(words, next))) return at;
  next += 1;
  if (plainAt(words, next) === 'aussi') next += 1;
  return plainAt(words, next) === ','
    ? next + 1
    : /^(?:elle|elles)$/.test(plainAt(words, next - 1)) && next - at < 2
      ? at
      : next;
}

function skipNarrowing(words: readonly Word[], at: number, text: string): number {
  if (!/^(?:de|du|d|des|au|from|at|in|of)$/.test(plainAt(words, at))) return at;
  const other = readPerson(words, at + 1, text);
  if (other) return other.next;
  for (let end = at + 1; end < Math.min(words.length, at + 5); end += 1) {
    if (isVerb(plainAt(words, end))) return end;
    if (plainAt(words, end) === ',' && isNameStart(words, end + 1))
      return readApposition(words, end, '')?.next ?? at;
    if (STOPS_NOUN.test(plainAt(words, end))) return at;
  }
  return at;
}

/** ", Lou et Anna,": where the names of several people end, with the sign that closes them; `start` if there is no such list. */
function endOfList(words: readonly Word[], start: number): number {
  let at = nameEnd(words, start);
  let count = at > start ? 1 : 0;
  while (
    count > 0 &&
    count < 6 &&
    /^(?:et|and|,)$/.test(plainAt(words, at)) &&
    nameEnd(words, at + 1) > at + 1
  ) {
    at = nameEnd(words, at + 1);
    count += 1;
  }
  return count > 1 && /^[,)–]$/.test(plainAt(words, at)) ? at + 1 : start;
}

const isNameStart = (words: readonly Word[], index: number) => nameEnd(words, index) > index;

/** The name behind a kinship: "David", ", Léa,", "(Paul)", "david" before a verb. */
function readApposition(
  words: readonly Word[],
  at: number,
  text: string,
): { name: string | null; next: number } | null {
  const sign = plainAt(words, at);
  const opens = sign === ',' || sign === '(' || sign === '–';
  const start = opens ? at + 1 : at;
  const end = nameEnd(words, start);
  const closes = opens && /^[,)–]$/.test(plainAt(words, end));
  if (end > start && (!opens || closes || end === words.length || (hasVerbAhead(words, end) && sign !== ',')))
    return { name: asWritten(text, words.slice(start, end)), next: closes ? end + 1 : end };
  const listed = opens ? endOfList(words, start) : start;
  if (listed > end) return { name: null, next: listed };
  if (isLowerName(words, at)) return { name: asWritten(text, words.slice(at, at + 1)), next: at + 1 };
  return null;
}

/** The noun that somebody has, with what narrows it: "my dentist appointment", « mon rendez-vous chez le dentiste ». */
function readOwned(words: readonly Word[], index: number, text: string, owner: Mention): Subject | null {
  let at = index;
  while (isAdjective(plainAt(words, at)) && at - index < 3) at += 1;
  const nouns: string[] = [];
  while (
    at < words.length &&
    NOUN.test(plainAt(words, at)) &&
    !STOPS_NOUN.test(plainAt(words, at)) &&
    nouns.length < 9
  ) {
    if (nouns.length > 0 && (isVerb(plainAt(words, at)) || plainAt(words, at) === 'c')) break;
    nouns.push(plainAt(words, at));
    at += 1;
  }
  if (nouns.length === 0) return null;
  const of = nouns.findIndex((noun) => /^(?:de|d|of)$/.test(noun));
  const other = of > 0 ? readPerson(words, at - nouns.length + of + 1, text) : null;
  return { type: 'owned', noun: nouns.join(' '), owner: other?.mention ?? owner, next: at };
}

function readThing(words: readonly Word[], index: number, text: string): Subject | null {
  const first = plainAt(words, index);
  if (POSSESSIVE.test(first)) return readOwned(words, index + 1, '', USER);
  if (/^(?:his|her|son|sa|ses|leur|their)$/.test(first))
    return readOwned(words, index + 1, '', { entity: 'person', name: null, kinship: null });
  if (!ARTICLE.test(first)) return null;
  const owned = readOwnedBy(words, index, text);
  if (owned) return owned;
  for (let at = index + 1; at < Math.min(words.length, index + 12); at += 1) {
    const plain = plainAt(words, at);
    if (at > index + 1 && isVerb(plain)) return { type: 'thing', next: at };
    if (/^[,;:–]$/.test(plain))
      return plain === ',' && plainAt(words, at + 1) === 'c' ? { type: 'thing', next: at + 1 } : null;
  }
  return null;
}

/** Kinships that people tell of those near them: "Leon's teacher". */
const CARERS = new Set([
  'teacher',
  'childminder',
  'doctor',
  'boyfriend',
  'girlfriend',
  'coach',
  'therapist',
  'dentist',
  'vet',
  'boss',
]);

/** « L’anniversaire de Jeanne », "the birthday of my mother": what a person has, or somebody of theirs. */
function readOwnedBy(words: readonly Word[], index: number, text: string): Subject | null {
  for (let at = index + 2; at < Math.min(words.length, index + 5); at += 1) {
    if (!/^(?:de|d|of)$/.test(plainAt(words, at))) continue;
    const person = readPerson(words, at + 1, text);
    const next = person && plainAt(words, person.next);
    if (!person || !next || !(isVerb(next) || next === 'c')) return null;
    const noun = words
      .slice(index + 1, at)
      .map(({ plain }) => plain)
      .join(' ');
    const kin = kinshipAt(words, index + 1);
    if (kin)
      return {
        type: 'person',
        people: [{ entity: 'person', name: null, kinship: null }],
        isBare: person.isBare && !CARERS.has(kin.kinship),
        next: person.next,
      };
    return { type: 'owned', noun, owner: person.mention, next: person.next };
  }
  return null;
}

/** The person a pronoun stands for: the last one named whose gender it may be. */
export function antecedent(people: readonly Mention[], gender: 'm' | 'f' | null): Mention | null {
  for (const person of people.toReversed()) {
    if (person.entity !== 'person') continue;
    const known = genderOf(person.kinship);
    if (gender === null ? person.kinship?.endsWith('s') : known === null || known === gender) return person;
  }
  return null;
}

/** Everyone that a clause names: kinships with or without name, and names that stand where only people stand. */
export function peopleIn(words: readonly Word[], text: string): Mention[] {
  const found: Mention[] = [];
  for (let index = 0; index < words.length; index += 1) {
    if (!POSSESSIVE.test(plainAt(words, index)) && !isKinBefore(words, index)) continue;
    const person = isKinBefore(words, index)
      ? readNamedKin(words, index, text)
      : readPerson(words, index, text);
    if (!person) continue;
    found.push(person.mention);
    index = Math.max(index, person.next - 1);
  }
  return found;
}

/** "un frère, David", "a sister called Léa", « une fille nommée Zoé »: a kinship with an article, named at once. */
const isKinBefore = (words: readonly Word[], index: number) => /^(?:un|une|a)$/.test(plainAt(words, index));

function readNamedKin(words: readonly Word[], index: number, text: string): Person | null {
  let at = index + 1;
  while (isAdjective(plainAt(words, at)) && at - index < 4) at += 1;
  const kin = kinshipAt(words, at);
  if (!kin) return null;
  at = kin.next;
  if (/^(?:called|named|nomme|nommee|prenomme|prenommee)$/.test(plainAt(words, at))) at += 1;
  else if (/^(?:qui|who)$/.test(plainAt(words, at))) {
    const verb = words
      .slice(at + 1, at + 4)
      .findIndex(({ plain }) => /^(?:appelle|called|named)$/.test(plain));
    if (verb === -1) return null;
    at += verb + 2;
  } else if (/^[,(]$/.test(plainAt(words, at))) at += 1;
  if (!isNameWord(words[at])) return null;
  const end = nameEnd(words, at);
  const name = asWritten(text, words.slice(at, end));
  return { mention: { entity: 'person', name, kinship: kin.kinship }, isBare: false, next: end };
}
