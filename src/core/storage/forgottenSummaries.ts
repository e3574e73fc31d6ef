import type { SummaryId } from '../../shared/ids.ts';
import type { Db } from './database.ts';
import { renderAnew } from './renderedText.ts';
import { SummaryStore, writeSummaryTerms } from './summaries.ts';
import type { Tombstones } from './tombstones.ts';
import { renewLabels } from './turnLabels.ts';

const CONTENT = ['text', 'findings', 'files', 'tools', 'topics', 'made_by', 'updated_at'].join(', ');

/** What summaries said that were forgotten while their turns stay. Every method is to be called in a transaction. */
export class ForgottenSummaries {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Keeps what a summary says now until it is erased. @param before until when its wordings had been forgotten already */
  keep(id: SummaryId, at: number, before: number | null = null): void {
    this.#db.run(
      `INSERT OR REPLACE INTO forgotten_summaries (summary_id, at, forgotten_before, ${CONTENT})
       SELECT id, @at, @before, ${CONTENT} FROM summaries WHERE id = @id`,
      { id, at, before },
    );
  }

  /** Summaries that were forgotten at a moment, and can say again what they said: those above others first. */
  at(at: number): SummaryId[] {
    return this.#db
      .all<{ id: SummaryId }>(
        `SELECT f.summary_id AS id FROM forgotten_summaries f JOIN summaries s ON s.id = f.summary_id
         WHERE f.at = ? ORDER BY s.level DESC, s.id`,
        at,
      )
      .map(({ id }) => id);
  }

  /** When a summary was last forgotten that can be put back; null if there is none. */
  latest(): number | null {
    return this.#db.get<{ at: number | null }>('SELECT max(at) AS at FROM forgotten_summaries')?.at ?? null;
  }

  /** Has a summary say nothing until it is written again, and what was made of it made again. */
  blank(id: SummaryId): void {
    const summaries = new SummaryStore(this.#db);
    summaries.dropAbove(id);
    const { changes } = this.#db.run(
      `UPDATE summaries SET text = '', findings = '[]', files = '[]', tools = '[]', topics = '[]', made_by = 'rules', sent_text = NULL,
         updated_at = updated_at + 1 WHERE id = ?`,
      id,
    );
    // One that was made of another goes with it.
    if (changes === 0) return;
    renewLabels(this.#db, id);
    writeSummaryTerms(this.#db, id);
    summaries.noteDue(summaries.madeOf(id).conversationId);
  }

  /** Summaries, with when they were forgotten, that say what they said then. */
  said(tombstones: Tombstones): { id: SummaryId; at: number }[] {
    return this.#db
      .all<{ id: SummaryId; updatedAt: number }>(
        "SELECT id, updated_at AS updatedAt FROM summaries WHERE removed_at IS NULL AND text <> ''",
      )
      .flatMap(({ id, updatedAt }) => {
        const at = tombstones.forgottenAt({ kind: 'summary', id });
        return at !== null && updatedAt <= at ? [{ id, at }] : [];
      });
  }

  /**
   * Has a summary say again what was forgotten at a moment.
   * @returns until when its wordings had been forgotten before, null if none had been; undefined if it cannot be put back
   */
  putBack(id: SummaryId, at: number): number | null | undefined {
    const kept = this.#db.get<{ before: number | null }>(
      'SELECT forgotten_before AS before FROM forgotten_summaries WHERE summary_id = ? AND at = ?',
      id,
      at,
    );
    if (!kept) return undefined;
    this.#db.run(
      `UPDATE summaries AS s SET (${CONTENT}) = (SELECT ${CONTENT} FROM forgotten_summaries WHERE summary_id = s.id AND at = @at),
         sent_text = NULL, removed_at = NULL
       WHERE s.id = @id`,
      { id, at },
    );
    writeSummaryTerms(this.#db, id);
    this.#db.run('DELETE FROM forgotten_summaries WHERE summary_id = ? AND at = ?', id, at);
    return kept.before;
  }
}

/**
 * Erases what summaries said that were forgotten in a stretch of time (both ends included), also where a block or the result of a tool
 * quotes it. In the caller's transaction.
 * @returns whether there were any
 */
export function eraseForgottenSummaries(db: Db, range: { from: number; to: number }): boolean {
  const forgotten = 'SELECT summary_id FROM forgotten_summaries WHERE at BETWEEN @from AND @to';
  // What quotes the present wording stays.
  const quoting = `i.kind = 'summary' AND i.item_id IN (${forgotten})
    AND i.text_hash <> (SELECT s.text_hash FROM summaries s WHERE s.id = i.item_id)`;
  renderAnew(db, quoting, range);
  for (const table of ['context_items', 'tool_items'])
    db.run(`DELETE FROM ${table} AS i WHERE ${quoting}`, range);
  return db.run('DELETE FROM forgotten_summaries WHERE at BETWEEN @from AND @to', range).changes > 0;
}
