import type { Db } from '../storage/database.ts';
import { attachment, type SectionRow } from './attachment.ts';
import { type FactRow, fact } from './fact.ts';
import type { ItemDescription } from './item.ts';
import { type PassageRow, passage } from './passage.ts';
import { type SummaryRow, summary } from './summary.ts';
import { type TurnRow, turn } from './turn.ts';

/** Every kind of item that can be remembered, by its name in the contract (`note` is a passage of a note). */
export const items: { readonly [K in Kind]: ItemDescription<RowOf<K>> } = {
  note: passage,
  turn,
  summary,
  fact,
  attachment,
};

/** The row that search reads of each kind. */
interface Rows {
  note: PassageRow;
  turn: TurnRow;
  summary: SummaryRow;
  fact: FactRow;
  attachment: SectionRow;
}
export type Kind = keyof Rows;
export type RowOf<K extends Kind> = Rows[K];

export const KINDS = Object.keys(items) as readonly Kind[];

/** Does anything describe this kind? The contract knows more kinds than there are. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(items, name);
}

/** The kind of this name in keys of vectors and in rows of the outbox; undefined if there is none. */
export function kindStoredAs(name: string): Kind | undefined {
  return KINDS.find((kind) => items[kind].storedAs === name);
}

/** For each item, the hash of what a block quotes of it now; null if it is gone or not in use. */
export function quotedHashes(
  db: Db,
  refs: readonly { kind: string; id: string }[],
  now: number,
): (string | null)[] {
  if (refs.length === 0) return [];
  return db
    .all<{ hash: string | null }>(
      `SELECT ${QUOTED_HASH} AS hash FROM (SELECT j.key AS place, j.value ->> 'kind' AS kind, j.value ->> 'id' AS item_id
       FROM json_each(@refs) j) i ORDER BY i.place`,
      { refs: JSON.stringify(refs), now },
    )
    .map((row) => row.hash);
}

/**
 * An SQL expression over a row `i` with `kind` and `item_id`: the hash of what a context block quotes of that item, to be compared
 * with the one at the time when it was quoted. NULL if the item is no longer in use. Takes `@now`.
 */
export const QUOTED_HASH = `CASE i.kind ${KINDS.map(
  (kind) => `WHEN '${kind}' THEN ${items[kind].quotedHash('i.item_id')}`,
).join(' ')} END`;
