import type { ConversationId, FactId, TurnId } from '../../shared/ids.ts';
import { turnText } from '../items/turnText.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import { TOKENISER_VERSION, termStream } from '../support/text/tokenise.ts';

/**
 * Writes the terms of turns, titles and facts again where another tokeniser wrote them, so that questions and rows agree. Notes
 * are read again from the disk by their own version. Gives the number of rows; 0 where nothing was to be done.
 */
export function retokenise(db: Db, conversations: ConversationStore, facts: FactStore): number {
  const written = db.get<{ version: number }>("SELECT version FROM text_versions WHERE what = 'tokeniser'");
  if (written?.version === TOKENISER_VERSION) return 0;
  return db.transaction(() => {
    const talks = db.all<{ id: string; title: string }>('SELECT id, title FROM conversations');
    for (const { id, title } of talks) conversations.setTitle(id as ConversationId, title, termStream(title));
    const turns = db.all<{ id: string }>('SELECT id FROM turns');
    for (const { id } of turns) {
      const turnId = id as TurnId;
      conversations.setTerms(turnId, termStream(turnText(db, turnId, conversations.messages(turnId))));
    }
    const known = db.all<{ id: string }>('SELECT id FROM facts');
    for (const { id } of known) facts.writeTerms(id as FactId);
    db.run("INSERT OR REPLACE INTO text_versions VALUES ('tokeniser', ?)", TOKENISER_VERSION);
    return talks.length + turns.length + known.length;
  });
}
