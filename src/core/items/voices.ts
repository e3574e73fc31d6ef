import type { Db } from '../storage/database.ts';

/** A message of a turn in which somebody with a name speaks. */
export interface Voice {
  /** Row id of the turn. */
  rowid: number;
  /** Null for a message without a name beside one that has one. */
  author: string | null;
  /** 1 if it ends in a question mark. */
  asks: number;
}

/** What may stand after the question mark that a message ends in. */
const AFTER_QUESTION_MARK = ' !»"”)\n';

/** The shown messages of those among some turns in which somebody with a name speaks: of imported talk, as a rule. */
export function voicesIn(db: Db, rowids: readonly number[]): Voice[] {
  // Most histories have no names at all, which the index of names tells at once.
  if (!db.get('SELECT 1 FROM messages WHERE author IS NOT NULL LIMIT 1')) return [];
  const voices = db.all<Voice>(
    `SELECT t.rowid, m.author, rtrim(m.content, @after) LIKE '%?' AS asks
     FROM json_each(@rowids) j CROSS JOIN turns t ON t.rowid = j.value CROSS JOIN messages m ON m.turn_id = t.id
     WHERE (m.version IS NULL OR m.version = t.active_version) AND m.content <> ''`,
    { rowids: JSON.stringify(rowids), after: AFTER_QUESTION_MARK },
  );
  const named = new Set(voices.filter(({ author }) => author !== null).map(({ rowid }) => rowid));
  return voices.filter(({ rowid }) => named.has(rowid));
}
