import { isAdjective, kinshipAt } from './kinship.ts';
import { hasVerbAhead, POSSESSIVE, plainAt, readPerson, STOPS_NOUN } from './people.ts';
import type { Mention } from './statement.ts';
import { isVerb, isVerbBehind } from './verbs.ts';
import type { Word } from './words.ts';

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

const SELF = /^(?:je|j|i)$/;
const ARTICLE = /^(?:le|la|l|les|the|un|une|a|an|ce|cette|cet|ces|this|that)$/;
const NOUN = /^\p{L}[\p{L}\p{M}']*$/u;
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
  if (first === 'on' && words[index]?.language === 'fr') return { type: 'generic', next: index + 1 };
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

/** "my brother's allergic", "Léa's moving": here 's is a verb; before a noun it is not. */
function isCopula(words: readonly Word[], index: number): boolean {
  const next = plainAt(words, index + 1);
  return (
    /^(?:a|an|the|in|at|on|not|now|just|been|got|going|getting|so|very|still|really|also|always|never|called|named|allergic|pregnant|vegan|vegetarian|diabetic|from|back|with|off|out|away|up|down|gone|done|ill|sick|poorly|useless|left|hard|deaf|blind|my|our|about|only|already|finally|retired|married|engaged|divorced|due|born|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d.*)$/.test(
      next,
    ) ||
    (/^.{3,}(?:ing|ed)$/.test(next) &&
      !/^(?:wedding|meeting|building|training|clothing|christening|bed|shed|greeting)$/.test(next)) ||
    (words[index + 1]?.isCapital === true && /ish|ian$/.test(next))
  );
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
    if (
      nouns.length > 0 &&
      (isVerbBehind(plainAt(words, at - 1), plainAt(words, at)) || plainAt(words, at) === 'c')
    )
      break;
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
  const owned = /^(?:un|une|a|an)$/.test(first) ? null : readOwnedBy(words, index, text);
  if (owned) return owned;
  for (let at = index + 1; at < Math.min(words.length, index + 12); at += 1) {
    const plain = plainAt(words, at);
    if (at > index + 1 && isVerbBehind(plainAt(words, at - 1), plain)) return { type: 'thing', next: at };
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
