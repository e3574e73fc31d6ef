import type { ItemKind } from '../../shared/contract/retrieval.ts';
import type { Db } from './database.ts';

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
      eraseFromBlocks(db, items, range);
      eraseFromResults(db, items, range);
      db.run(
        `UPDATE citations AS i SET title = '', heading = '[]', path = NULL, text_hash = NULL
         WHERE i.turn_id IN (SELECT id FROM turns WHERE rowid BETWEEN @from AND @to) AND i.kind = @kind
           AND (i.title <> '' OR i.path IS NOT NULL) AND ${items.isErased({ id: 'i.item_id', path: 'i.path' })}`,
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

function eraseFromBlocks(db: Db, items: ErasedItems, range: { from: number; to: number }): void {
  const erased = `FROM context_items i WHERE i.turn_id IN (SELECT id FROM turns WHERE rowid BETWEEN @from AND @to)
    AND i.kind = @kind AND ${items.isErased({ id: 'i.item_id', path: 'i.origin' })}`;
  const params = { ...range, kind: items.kind };
  db.run(
    `UPDATE context_blocks SET text = NULL WHERE (turn_id, version) IN (SELECT i.turn_id, i.version ${erased})`,
    params,
  );
  db.run(
    `DELETE FROM context_items WHERE (turn_id, version, ordinal) IN (SELECT i.turn_id, i.version, i.ordinal ${erased})`,
    params,
  );
}

function eraseFromResults(db: Db, items: ErasedItems, range: { from: number; to: number }): void {
  const erased = `FROM tool_items i WHERE i.turn_id IN (SELECT id FROM turns WHERE rowid BETWEEN @from AND @to)
    AND i.kind = @kind AND ${items.isErased({ id: 'i.item_id', path: 'i.origin' })}`;
  const params = { ...range, kind: items.kind };
  db.run(
    `UPDATE tool_calls SET text = NULL
     WHERE (turn_id, version, ordinal) IN (SELECT i.turn_id, i.version, i.call ${erased})`,
    params,
  );
  db.run(
    `DELETE FROM tool_items
     WHERE (turn_id, version, call, ordinal) IN (SELECT i.turn_id, i.version, i.call, i.ordinal ${erased})`,
    params,
  );
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
