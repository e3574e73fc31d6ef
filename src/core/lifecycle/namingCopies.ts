import BetterSqlite3 from 'better-sqlite3';
import { termStream } from '../support/text/tokenise.ts';

/**
 * The copies of the database in which a turn, a summary, a title or a fact names something, and those that cannot be read: they may.
 * @param names space-joined terms
 */
export function namingCopies(paths: readonly string[], names: readonly string[]): string[] {
  return paths.filter((path) => {
    let copy: BetterSqlite3.Database | undefined;
    try {
      copy = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
      return isNamedIn(copy, names);
    } catch {
      return true;
    } finally {
      copy?.close();
    }
  });
}

/** Where terms stand, in every schema with facts; in an older one SQLite finds no such table. */
const TERMS: Readonly<Record<string, string>> = {
  turns: 'r.body_terms',
  conversations: 'r.title_terms',
  facts: "r.subject_terms || ' ' || r.body_terms",
};

/** Where texts stand of which no terms are kept, in schemas that have them. */
const TEXTS: Readonly<Record<string, string>> = {
  fact_revisions: 'content',
  forgotten_titles: 'title',
  summaries: "text || ' ' || findings || ' ' || files || ' ' || topics || ' ' || coalesce(sent_text, '')",
  forgotten_summaries: "text || ' ' || findings || ' ' || files || ' ' || topics",
};

function isNamedIn(copy: BetterSqlite3.Database, names: readonly string[]): boolean {
  for (const [table, terms] of Object.entries(TERMS)) {
    const found = copy
      .prepare(
        `SELECT 1 FROM ${table} r, json_each(?) n WHERE instr(' ' || ${terms} || ' ', ' ' || n.value || ' ') > 0 LIMIT 1`,
      )
      .get(JSON.stringify(names));
    if (found !== undefined) return true;
  }
  const tables = new Set(copy.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all());
  for (const [table, content] of Object.entries(TEXTS)) {
    if (!tables.has(table)) continue;
    for (const text of copy.prepare<[], string>(`SELECT ${content} FROM ${table}`).pluck().iterate()) {
      const said = ` ${termStream(text)} `;
      if (names.some((name) => said.includes(` ${name} `))) return true;
    }
  }
  return false;
}
