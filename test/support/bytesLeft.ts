import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { fold, tokenise } from '../../src/core/support/text/tokenise.ts';

/** Words shorter than this may stand anywhere by chance. */
const LEAST_LETTERS = 5;

/**
 * Where anything of a text is left in a folder: the text itself, its words that none of the `others` has, folded and not, and their
 * stems, as bytes of UTF-8 and of UTF-16, and as terms of the full text. Full text stores terms in order and shortens them by what they
 * share with the one before, so it is asked as well.
 * @param also other traces of it, such as an id or a hash
 * @returns a line for each file and trace; nothing if all of it is gone
 */
export function bytesLeft(
  folder: string,
  text: string,
  { others = [], also = [] }: { others?: readonly string[]; also?: readonly string[] } = {},
): string[] {
  const elsewhere = new Set(others.flatMap((other) => tokenise(other).map(({ word }) => word)));
  const words = tokenise(text).filter(({ word }) => word.length >= LEAST_LETTERS && !elsewhere.has(word));
  const terms = new Set(words.map(({ term }) => term));
  const traces = new Set([
    text,
    ...also,
    ...words.flatMap(({ term, word, start, end }) => {
      const said = text.slice(start, end);
      return [term, word, said, said.toLowerCase(), said.toUpperCase(), fold(said)];
    }),
  ]);
  const left: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readUnlessGone(path);
    if (bytes === null) continue;
    const name = relative(folder, path);
    for (const trace of traces)
      for (const encoding of ['utf8', 'utf16le'] as const)
        if (bytes.includes(trace, 0, encoding)) left.push(`${name}: ${trace} (${encoding})`);
    if (bytes.subarray(0, 15).toString() === 'SQLite format 3')
      for (const term of termsIn(path)) if (terms.has(term)) left.push(`${name}: term ${term}`);
  }
  return left;
}

/** Null for a file of a running program that has gone since it was listed. */
function readUnlessGone(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Every term of every full text of a database. */
function termsIn(path: string): string[] {
  const db = new BetterSqlite3(path, { readonly: true });
  try {
    return db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE name LIKE '%_vocabulary'")
      .all()
      .flatMap(({ name }) => db.prepare(`SELECT term FROM ${name}`).pluck().all() as string[]);
  } finally {
    db.close();
  }
}
