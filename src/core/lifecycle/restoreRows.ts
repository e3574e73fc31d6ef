import type { ConversationId, FactId, TurnId } from '../../shared/ids.ts';
import { items } from '../items/index.ts';
import type { ItemStores } from '../items/item.ts';
import { writeAttachmentTerms } from '../storage/attachments.ts';
import { arrange } from '../storage/conversations/branches.ts';
import type { Db } from '../storage/database.ts';
import type { SummedTable } from '../storage/migrations/0023-row-sums.ts';
import type { DamagedDerivation, Remedy } from '../storage/rowCheck.ts';
import { keyParts, type SumKind, type SummedRows, tablesOf } from '../storage/rowSums.ts';
import { writeSummaryTerms } from '../storage/summaries.ts';
import type { Logger } from '../support/logger.ts';
import { termStream } from '../support/text/tokenise.ts';

/** Columns that follow from others and must have a value before they are derived. */
const BLANK: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  conversations: { updated_at: 0 },
  turns: { body_terms: '', term_count: 0 },
  facts: { subject_terms: '', body_terms: '', term_count: 0 },
};

/**
 * Brings damaged rows back as they were, from copies or from under a damaged key. What cannot be brought back stays as it is, and is
 * summed as it is: it was told.
 * @returns what was not brought back
 */
export function restoreRows(stores: ItemStores, remedies: readonly Remedy[], log: Logger): Remedy[] {
  return remedies.filter((remedy) => {
    try {
      stores.db.transaction(() => apply(stores, remedy));
      return remedy.kind === 'none';
    } catch (error) {
      // A row of the same key, or the one that it belongs to, stands in the way.
      if (!(error as { code?: string }).code?.startsWith('SQLITE_CONSTRAINT')) throw error;
      log.warn(
        { kind: remedy.row.kind, key: remedy.row.key, err: error },
        'a damaged row cannot be restored',
      );
      stores.db.transaction(() => sumAgain(stores.db, remedy.row));
      return true;
    }
  });
}

/** Derives again what does not fit its hash: passages at the next reading of their note, terms at once. */
export function deriveAgain(stores: ItemStores, derived: readonly DamagedDerivation[]): void {
  const { db, notes } = stores;
  db.transaction(() => {
    for (const { kind, id } of derived) {
      if (kind === 'note') {
        // Passages that did not change would keep their rows.
        notes.chunks.eraseOfNote(id as Parameters<typeof notes.chunks.eraseOfNote>[0]);
        notes.setPending([id as Parameters<typeof notes.setPending>[0][number]]);
      } else rewriteTerms(stores, kind, id);
    }
  });
}

function apply(stores: ItemStores, remedy: Remedy): void {
  const { db } = stores;
  const { kind, key } = remedy.row;
  if (remedy.kind === 'copied') writeRows(db, remedy.row, remedy.rows);
  else if (remedy.kind === 'moved') moveRows(db, kind, { from: remedy.at, to: key });
  sumAgain(db, remedy.row);
  if (remedy.kind !== 'whole') rewriteTerms(stores, kind, keyParts(kind, key)[0] ?? '');
}

function sumAgain(db: Db, { kind, key }: { kind: SumKind; key: string }): void {
  db.run('INSERT INTO sums_due VALUES (?, ?) ON CONFLICT DO NOTHING', kind, key);
}

function writeRows(db: Db, { kind, key }: { kind: SumKind; key: string }, rows: SummedRows): void {
  const parts = keyParts(kind, key);
  for (const [index, table] of tablesOf(kind).entries()) {
    if (table.order)
      db.run(
        `DELETE FROM ${table.table} WHERE ${table.key.map((one) => `${one} = ?`).join(' AND ')}`,
        ...parts,
      );
    for (const values of rows[index] ?? [])
      writeRow(db, table, [...parts, ...(values as (string | number | null)[])]);
  }
}

/** Writes a row over the one of its key, if it has one: rows that belong to it stay. */
function writeRow(
  db: Db,
  { table, key, columns, order }: SummedTable,
  values: (string | number | null)[],
): void {
  const blank = BLANK[table] ?? {};
  const all = [...key, ...columns, ...Object.keys(blank)];
  const conflict = order
    ? ''
    : `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${columns.map((one) => `${one} = excluded.${one}`).join(', ')}`;
  db.run(
    `INSERT INTO ${table} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')}) ${conflict}`,
    ...values,
    ...Object.values(blank),
  );
}

function moveRows(db: Db, kind: SumKind, { from, to }: { from: string; to: string }): void {
  for (const { table, key } of tablesOf(kind))
    db.run(
      `UPDATE ${table} SET ${key.map((one) => `${one} = ?`).join(', ')} WHERE ${key.map((one) => `${one} = ?`).join(' AND ')}`,
      ...keyParts(kind, to),
      ...keyParts(kind, from),
    );
}

/** Terms and full text of what the row `id` belongs to. */
function rewriteTerms(stores: ItemStores, kind: SumKind | DamagedDerivation['kind'], id: string): void {
  const { db, conversations, facts } = stores;
  if (kind === 'fact') facts.writeTerms(id as FactId);
  else if (kind === 'summary') writeSummaryTerms(db, id);
  else if (kind === 'attachment') writeAttachmentTerms(db, id);
  else if (kind === 'conversation') {
    db.run(
      `UPDATE conversations SET updated_at = max(updated_at, created_at,
         coalesce((SELECT max(t.created_at) FROM turns t WHERE t.conversation_id = conversations.id), 0)),
         turn_count = (SELECT count(*) FROM turns t WHERE t.conversation_id = conversations.id AND t.active = 1) WHERE id = ?`,
      id,
    );
    const title = db.get<{ title: string }>('SELECT title FROM conversations WHERE id = ?', id)?.title;
    if (title !== undefined) conversations.setTitle(id as ConversationId, title, termStream(title));
  } else if (kind === 'turn' || kind === 'message') {
    // Terms that are damaged are not compared with those that are right.
    db.run(
      "UPDATE turns SET body_terms = '', text_hash = sha256(''), term_count = 0, tool_terms = 0 WHERE id = ?",
      id,
    );
    items.turn.terms?.rewrite(stores, id);
    const turn = conversations.turn(id as TurnId);
    if (turn && kind === 'turn') arrange(db, turn.conversationId);
  }
}
