import type { Db } from '../../storage/database.ts';
import { foldedWords, termStream } from '../../support/text/tokenise.ts';

/**
 * The forms in which a text may name a topic: its own terms, and the other names of a person of that name. Terms are folded and stemmed, so
 * that accents, case and plurals do not matter.
 */
export function namesOf(db: Db, topic: string): string[] {
  const others = db
    .all<{ value: string }>(
      `SELECT DISTINCT o.value FROM fact_people p JOIN fact_people o ON o.person = p.person
       WHERE p.tie IN ('name', 'alias') AND p.value = ? AND o.tie IN ('name', 'alias')`,
      foldedWords(topic),
    )
    .map(({ value }) => value);
  return [...new Set([topic, ...others].map(termStream).filter((terms) => terms !== ''))];
}

/** The people whom a name or alias means. */
export function peopleNamed(db: Db, name: string): string[] {
  return db
    .all<{ person: string }>(
      "SELECT DISTINCT person FROM fact_people WHERE tie IN ('name', 'alias') AND value = ?",
      foldedWords(name),
    )
    .map(({ person }) => person);
}

/** Does a text name one of these? */
export function isNamed(text: string, names: readonly string[]): boolean {
  const terms = ` ${termStream(text)} `;
  return names.some((name) => terms.includes(` ${name} `));
}

/** An SQL condition: a column of space-joined terms holds one of `@names`, a JSON array. */
export const holdsName = (terms: string): string =>
  `EXISTS (SELECT 1 FROM json_each(@names) n WHERE instr(' ' || ${terms} || ' ', ' ' || n.value || ' ') > 0)`;
