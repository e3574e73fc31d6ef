import type { ConversationId } from '../../shared/ids.ts';
import { items, KINDS, type Kind } from '../items/index.ts';
import type { ItemStores } from '../items/item.ts';
import type { Db } from '../storage/database.ts';
import { TOKENISER_VERSION, termStream } from '../support/text/tokenise.ts';

const TOKENISER = 'tokeniser';

/**
 * Rewrites terms and full text if another tokeniser wrote them, or if a kind's rows now give other text, so that questions and
 * rows use the same terms. Passages are not included: notes store the version of their chunker and are read again from disk.
 * @returns how many rows were rewritten
 */
export function retokenise(stores: ItemStores): number {
  const { db } = stores;
  const written = readVersions(db);
  const everything = written.get(TOKENISER) !== TOKENISER_VERSION;
  const due = KINDS.filter((kind) => {
    const { terms } = items[kind];
    return terms && (everything || written.get(kind) !== terms.version);
  });
  if (!everything && due.length === 0) return 0;
  return db.transaction(() => {
    const titles = everything ? rewriteTitles(stores) : 0;
    const rows = due.map((kind) => rewriteKind(stores, kind, everything ? undefined : written.get(kind)));
    writeVersion(db, TOKENISER, TOKENISER_VERSION);
    return rows.reduce((sum, count) => sum + count, titles);
  });
}

function rewriteTitles({ db, conversations }: ItemStores): number {
  const rows = db.all<{ id: string; title: string }>('SELECT id, title FROM conversations');
  for (const { id, title } of rows) conversations.setTitle(id as ConversationId, title, termStream(title));
  return rows.length;
}

/** @param version that wrote the rows, if the same tokeniser did; of all others every row is written again */
function rewriteKind(stores: ItemStores, kind: Kind, version: number | undefined): number {
  const { table, terms } = items[kind];
  if (!terms) return 0;
  const changed = terms.changed?.since === version ? terms.changed?.rows : undefined;
  const rows = stores.db.all<{ id: string }>(`SELECT r.id FROM ${table} r WHERE ${changed ?? '1'}`);
  for (const { id } of rows) terms.rewrite(stores, id);
  writeVersion(stores.db, kind, terms.version);
  return rows.length;
}

function readVersions(db: Db): Map<string, number> {
  const rows = db.all<{ what: string; version: number }>('SELECT what, version FROM text_versions');
  return new Map(rows.map(({ what, version }) => [what, version]));
}

function writeVersion(db: Db, what: string, version: number): void {
  db.run('INSERT OR REPLACE INTO text_versions VALUES (?, ?)', what, version);
}
