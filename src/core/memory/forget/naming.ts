import type { Db } from '../../storage/database.ts';
import { PeopleStore } from '../../storage/people.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, termStream, tokenise } from '../../support/text/tokenise.ts';
import { kinshipAt } from '../extraction/kinship.ts';
import { readWords, type Word } from '../extraction/words.ts';

/** The topics of a subject, which semicolons separate. */
export const topicsOf = (topic: string): string[] => topic.split(';').filter((one) => one.trim() !== '');

/**
 * The forms in which a text may name one of the topics: its own terms, and the other names of a person of that name. Terms are folded and
 * stemmed, so that accents, case and plurals do not matter. A topic of function words only has none: they stand in every text.
 */
export function namesOf(db: Db, topic: string): string[] {
  const others = db
    .all<{ value: string }>(
      "SELECT DISTINCT value FROM fact_people WHERE tie IN ('name', 'alias') AND person IN (SELECT value FROM json_each(?))",
      JSON.stringify(peopleNamed(db, topic)),
    )
    .map(({ value }) => value);
  return [...new Set([...topicsOf(topic), ...others].filter(saysSomething).map(termStream))];
}

const saysSomething = (topic: string): boolean =>
  tokenise(topic).some(({ word }) => !functionWords.has(word));

/** The people whom names or aliases mean, by every slug under which facts speak of them. */
export function peopleNamed(db: Db, topic: string): string[] {
  const people = new PeopleStore(db);
  const names = topicsOf(topic).map(foldedWords);
  // Names that only forgotten facts give are known no longer, but their facts may come back.
  const given = db.all<{ person: string }>(
    "SELECT DISTINCT person FROM fact_people WHERE tie IN ('name', 'alias') AND value IN (SELECT value FROM json_each(?))",
    JSON.stringify(names),
  );
  const known = names.flatMap((name) => people.having(['name', 'alias'], name));
  return [...new Set([...given.map(({ person }) => person), ...known.flatMap((one) => people.slugsOf(one))])];
}

/** How somebody is called, if facts know them by this name, or if only one person stands in this kinship to the user; null otherwise. */
export function nameOf(db: Db, topic: string): string | null {
  if (peopleNamed(db, topic).length > 0) return topic;
  const words = readWords(topic, { start: 0, end: topic.length }, 'fr');
  const kin = kinAt(db, words, 0);
  return kin?.length === words.length ? kin.name : null;
}

/** Something about a person: whom, as `fact_people` calls them, and the terms of what it is. */
export interface Aspect {
  people: readonly string[];
  terms: readonly string[];
}

/** As many words as a name has at most. */
const MOST_NAME_WORDS = 3;

/** Reads a topic such as "my sister's allergy" or « l'adresse de David »; null if it means no known person, or nothing else. */
export function aspectOf(db: Db, topic: string): Aspect | null {
  const words = readWords(topic, { start: 0, end: topic.length }, 'fr');
  const textOf = (from: number, to: number) =>
    words
      .slice(from, to)
      .map(({ plain }) => plain)
      .join(' ');
  for (let at = 0; at < words.length; at += 1) {
    const meant = kinAt(db, words, at) ?? namedAt(db, words.length - at, (length) => textOf(at, at + length));
    if (!meant) continue;
    const rest = `${textOf(0, at)} ${textOf(at + meant.length, words.length)}`;
    const terms = tokenise(rest).filter(({ word }) => !functionWords.has(word));
    return terms.length > 0 ? { people: meant.people, terms: terms.map(({ term }) => term) } : null;
  }
  return null;
}

interface Meant {
  people: string[];
  /** In words. */
  length: number;
}

interface Kin extends Meant {
  /** How they are called; null if no fact tells it. */
  name: string | null;
}

/** The only person who stands in the kinship that is named at a word. */
function kinAt(db: Db, words: readonly Word[], at: number): Kin | null {
  const found = kinshipAt(words, at);
  if (!found) return null;
  const people = new PeopleStore(db);
  const [one, ...others] = people.list().filter(({ kinships }) => kinships.includes(found.kinship));
  if (!one || others.length > 0) return null;
  return { people: people.slugsOf(one.person), length: found.next - at, name: one.names[0] ?? null };
}

function namedAt(db: Db, left: number, textOf: (length: number) => string): Meant | null {
  for (let length = Math.min(MOST_NAME_WORDS, left); length > 0; length -= 1) {
    const text = textOf(length);
    const people = functionWords.has(text) ? [] : peopleNamed(db, text);
    if (people.length > 0) return { people, length };
  }
  return null;
}

/** A root shorter than this begins words that have nothing in common. */
const LEAST_ROOT = 5;

/** Are all terms in a text, which is given as its terms? Two forms that begin alike are one: "allergy" and « allergique ». */
export function holdsAll(text: string, terms: readonly string[]): boolean {
  const held = text.split(' ');
  return terms.every((term) => held.some((one) => one === term || shareRoot(one, term)));
}

function shareRoot(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return shorter.length >= LEAST_ROOT && longer.startsWith(shorter);
}

/** Does a text name one of these? */
export function isNamed(text: string, names: readonly string[]): boolean {
  const terms = ` ${termStream(text)} `;
  return names.some((name) => terms.includes(` ${name} `));
}

/** An SQL condition: a column of space-joined terms holds one of `@names`, a JSON array. */
export const holdsName = (terms: string): string =>
  `EXISTS (SELECT 1 FROM json_each(@names) n WHERE instr(' ' || ${terms} || ' ', ' ' || n.value || ' ') > 0)`;
