import type { ItemKind } from '../../shared/contract/retrieval.ts';
import type { Db } from './database.ts';
import { renderAnew } from './renderedText.ts';

/** What makes out the items of a kind that were erased, as their description says it. */
export interface ErasedItems {
  kind: ItemKind;
  /** An SQL condition on the expressions of an item's id and of its note's path. */
  isErased(item: { id: string; path: string }): string;
}

/** Rows of turns or retrievals that are looked through in one statement: a few milliseconds. */
const ROWS_AT_ONCE = 500;

/**
 * Takes what items that were erased said out of the rows that quote them, some at a time. Which those are follows from the rows alone, so
 * that it can be interrupted and begun again. Blocks lose the items and are rendered again if they are sent again; traces and citations
 * keep their line, without a word of what it said.
 */
export function* eraseMentions(db: Db, items: ErasedItems): Generator<void> {
  for (const range of rangesOf(db, 'turns')) {
    db.transaction(() => {
      eraseFromQuotes(db, items, range);
      db.run(
        `UPDATE citations AS i SET title = '', heading = '[]', path = NULL, text_hash = NULL
         WHERE i.turn_id IN (SELECT id FROM turns WHERE rowid BETWEEN @from AND @to) AND i.kind = @kind
           AND (i.title <> '' OR i.path IS NOT NULL) AND ${items.isErased({ id: 'i.item_id', path: 'i.path' })}`,
        { ...range, kind: items.kind },
      );
      db.run(
        `DELETE FROM item_marks AS i WHERE i.turn_id IN (SELECT id FROM turns WHERE rowid BETWEEN @from AND @to) AND i.kind = @kind
           AND ${items.isErased({ id: 'i.item_id', path: "''" })}`,
        { ...range, kind: items.kind },
      );
    });
    yield;
  }
  for (const range of rangesOf(db, 'memory_retrievals')) {
    db.run(
      `UPDATE memory_retrieval_items AS i SET title = '', heading = '[]', path = NULL
       WHERE i.retrieval_id IN (SELECT id FROM memory_retrievals WHERE rowid BETWEEN @from AND @to) AND i.kind = @kind
         AND (i.title <> '' OR i.path IS NOT NULL) AND ${items.isErased({ id: 'i.item_id', path: 'i.path' })}`,
      { ...range, kind: items.kind },
    );
    yield;
  }
}

/** Takes items out of the blocks and out of the results of tools that quote them. */
function eraseFromQuotes(db: Db, items: ErasedItems, range: { from: number; to: number }): void {
  const erased = `i.turn_id IN (SELECT id FROM turns WHERE rowid BETWEEN @from AND @to)
    AND i.kind = @kind AND ${items.isErased({ id: 'i.item_id', path: 'i.origin' })}`;
  const params = { ...range, kind: items.kind };
  renderAnew(db, erased, params);
  for (const table of ['context_items', 'tool_items'])
    db.run(`DELETE FROM ${table} AS i WHERE ${erased}`, params);
}

/** The row ids of a table in stretches of so many rows. */
function* rangesOf(db: Db, table: 'turns' | 'memory_retrievals'): Generator<{ from: number; to: number }> {
  let from = 0;
  for (;;) {
    const to = db.get<{ to: number | null }>(
      `SELECT max(rowid) AS "to" FROM (SELECT rowid FROM ${table} WHERE rowid >= ? ORDER BY rowid LIMIT ?)`,
      from,
      ROWS_AT_ONCE,
    )?.to;
    if (to === null || to === undefined) return;
    yield { from, to };
    from = to + 1;
  }
}
