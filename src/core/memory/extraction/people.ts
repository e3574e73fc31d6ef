import { genderOf, isAdjective, isCalled, isPet, kinshipAt } from './kinship.ts';
import { isLowerName, isNameWord, nameEnd } from './names.ts';
import type { Mention } from './statement.ts';
import { isVerb } from './verbs.ts';
import { asWritten, type Word } from './words.ts';

export const plainAt = (words: readonly Word[], index: number) => words[index]?.plain ?? '';

export const POSSESSIVE = /^(?:mon|ma|mes|notre|nos|my|our|ours)$/;
export const STOPS_NOUN = /^(?:et|and|ou|or|mais|but|,|;|:|–|\(|\)|qui|que|who|which|that|,)$/;

export const hasVerbAhead = (words: readonly Word[], index: number) =>
  [0, 1, 2, 3].some(
    (ahead) => isVerb(plainAt(words, index + ahead)) || /^(?:on|we)$/.test(plainAt(words, index + ahead)),
  );

interface Person {
  mention: Mention;
  isBare: boolean;
  next: number;
}

/** One person: a possessive with a kinship and a name, or a name alone. */
export function readPerson(words: readonly Word[], index: number, text: string): Person | null {
  let at = index;
  const first = plainAt(words, at);
  const isMa = /^(?:ma|pa)$/.test(first) && isVerb(plainAt(words, at + 1));
  if (isMa || (!POSSESSIVE.test(first) && !/^(?:his|her|their|son|sa|ses)$/.test(first))) {
    return readCalled(words, index, text) ?? readNamed(words, index, text);
  }
  const isOwn = POSSESSIVE.test(first);
  at += 1;
  let kin = kinshipAt(words, at);
  while (!kin && isAdjective(plainAt(words, at)) && at - index < 4) {
    at += 1;
    kin = kinshipAt(words, at);
  }
  if (!kin) return isOwn ? readOurs(words, index, text) : null;
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
  const narrowed = skipNarrowing(words, at, text);
  const late =
    narrowed > at && plainAt(words, narrowed) === ',' ? readApposition(words, narrowed, text) : null;
  return {
    mention: { entity: 'person', name: late?.name ?? null, kinship },
    isBare: !isOwn,
    next: skipEmphasis(words, late?.next ?? narrowed),
  };
}

/** "Our Jess lives in Perth": somebody who is called by name as one's own. */
function readOurs(words: readonly Word[], index: number, text: string): Person | null {
  const end = nameEnd(words, index + 1);
  if (end === index + 1 || !isVerb(plainAt(words, end))) return null;
  const name = asWritten(text, words.slice(index + 1, end));
  return { mention: { entity: 'person', name, kinship: null }, isBare: false, next: end };
}

/** "David", or "David, my brother," with what he is to the user. */
function readNamed(words: readonly Word[], index: number, text: string): Person | null {
  const end = nameEnd(words, index);
  if (end === index || isPet(plainAt(words, index))) return null;
  const name = asWritten(text, words.slice(index, end));
  const bare: Person = { mention: { entity: 'person', name, kinship: null }, isBare: true, next: end };
  const described = endOfDescription(words, end);
  if (
    !/^[,(–]$/.test(plainAt(words, end)) ||
    !(
      POSSESSIVE.test(plainAt(words, end + 1)) ||
      (plainAt(words, end) === '(' && /^(?:le|la|the)$/.test(plainAt(words, end + 1)))
    )
  )
    return { ...bare, next: described };
  let at = end + 2;
  let kin = kinshipAt(words, at);
  while (!kin && isAdjective(plainAt(words, at)) && at - end < 5) {
    at += 1;
    kin = kinshipAt(words, at);
  }
  if (!kin) return { ...bare, next: described };
  at = kin.next;
  while (at < words.length && at - kin.next < 6 && !/^[,)–]$/.test(plainAt(words, at))) at += 1;
  if (!/^[,)–]$/.test(plainAt(words, at))) return bare;
  return {
    mention: { entity: 'person', name, kinship: kin.kinship },
    isBare: false,
    next: skipEmphasis(words, at + 1),
  };
}

/** "Minnow, the tabby, has…", « Valérie, la nouvelle de la compta, a… », "Stanley next door is…": what says who a name is belongs to it. */
function endOfDescription(words: readonly Word[], end: number): number {
  const opens =
    /^[,(]$/.test(plainAt(words, end)) &&
    /^(?:le|la|l|les|the|a|un|une|mon|ma|my|our|notre)$/.test(plainAt(words, end + 1));
  if (opens) {
    for (let at = end + 2; at < Math.min(words.length, end + 10); at += 1)
      if (/^[,)]$/.test(plainAt(words, at))) return hasVerbAhead(words, at + 1) ? at + 1 : end;
    return end;
  }
  if (!/^(?:from|of|at|in|next|downstairs|upstairs|du|de|d|mon|mo|une|un)$/.test(plainAt(words, end)))
    return end;
  for (let at = end + 1; at < Math.min(words.length, end + 6); at += 1) {
    if (isVerb(plainAt(words, at))) return at;
    if (/^[,;:]$/.test(plainAt(words, at))) return end;
  }
  return end;
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
