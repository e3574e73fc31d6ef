import type { ConversationId } from '../../shared/ids.ts';
import { items, KINDS } from '../items/index.ts';
import type { ItemStores } from '../items/item.ts';
import { TOKENISER_VERSION, termStream } from '../support/text/tokenise.ts';

/**
 * Writes the terms of turns, titles and facts again where another tokeniser wrote them, so that questions and rows agree. Notes
 * are read again from the disk by their own version. Gives the number of rows; 0 where nothing was to be done.
 */
export function retokenise(stores: ItemStores): number {
  const { db, conversations } = stores;
  const written = db.get<{ version: number }>("SELECT version FROM text_versions WHERE what = 'tokeniser'");
  if (written?.version === TOKENISER_VERSION) return 0;
  return db.transaction(() => {
    const talks = db.all<{ id: string; title: string }>('SELECT id, title FROM conversations');
    for (const { id, title } of talks) conversations.setTitle(id as ConversationId, title, termStream(title));
    let rows = talks.length;
    for (const kind of KINDS) {
      const { table, rewriteTerms } = items[kind];
      if (!rewriteTerms) continue;
      const ids = db.all<{ id: string }>(`SELECT id FROM ${table}`);
      for (const { id } of ids) rewriteTerms(stores, id);
      rows += ids.length;
    }
    db.run("INSERT OR REPLACE INTO text_versions VALUES ('tokeniser', ?)", TOKENISER_VERSION);
    return rows;
  });
}
