import type { Db } from '../../storage/database.ts';
import { PeopleStore } from '../../storage/people.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, termStream, tokenise } from '../../support/text/tokenise.ts';
import { kinshipAt } from '../extraction/kinship.ts';
import { readWords } from '../extraction/words.ts';

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
  const found = kinshipAt(words, 0);
  if (found?.next !== words.length) return null;
  const meant = new PeopleStore(db).list().filter(({ kinships }) => kinships.includes(found.kinship));
  return meant.length === 1 ? (meant[0]?.names[0] ?? null) : null;
}

/** Does a text name one of these? */
export function isNamed(text: string, names: readonly string[]): boolean {
  const terms = ` ${termStream(text)} `;
  return names.some((name) => terms.includes(` ${name} `));
}

/** An SQL condition: a column of space-joined terms holds one of `@names`, a JSON array. */
export const holdsName = (terms: string): string =>
  `EXISTS (SELECT 1 FROM json_each(@names) n WHERE instr(' ' || ${terms} || ' ', ' ' || n.value || ' ') > 0)`;
