import { AppError, type Language } from '../../shared/errors.ts';
import type { ConversationId, FactId, TurnId } from '../../shared/ids.ts';
import { items } from '../items/index.ts';
import type { ItemStores } from '../items/item.ts';
import { arrange, endOfPath } from '../storage/conversations/branches.ts';
import type { Db } from '../storage/database.ts';
import { newId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { termStream } from '../support/text/tokenise.ts';

const TITLES: Readonly<Record<Language, string>> = {
  en: 'Recovered conversation',
  fr: 'Conversation retrouvée',
};

/** SQL: rows of `table` whose `column` names no row of `parent`. */
const orphans = (table: string, column: string, parent: string): string =>
  `FROM ${table} WHERE ${column} IS NOT NULL AND ${column} NOT IN (SELECT id FROM ${parent})`;

/** Rows that follow from others, or only tell what a reply was made from: without the row they belong to they mean nothing. */
const DERIVED = [
  orphans('notes', 'vault_id', 'vaults'),
  ...['chunks', 'links', 'note_names', 'note_tags'].map((table) => orphans(table, 'note_id', 'notes')),
  orphans('fact_subjects', 'fact_id', 'facts'),
  orphans('fact_people', 'fact_id', 'facts'),
  orphans('fact_edges', 'to_id', 'facts'),
  orphans('fact_merges', 'fact_id', 'facts'),
  orphans('fact_sayings', 'fact_id', 'facts'),
  orphans('fact_sayings', 'turn_id', 'turns'),
  orphans('turns_replaced', 'turn_id', 'turns'),
  orphans('fact_reviews', 'fact_id', 'facts'),
  orphans('tombstones', 'key_id', 'tombstone_keys'),
  ...['attachments', 'citations', 'context_blocks', 'context_items', 'prompts', 'memory_retrievals'].map(
    (table) => orphans(table, 'turn_id', 'turns'),
  ),
  orphans('attachment_sections', 'attachment_id', 'attachments'),
  orphans('memory_retrieval_items', 'retrieval_id', 'memory_retrievals'),
];

/** Writes every index of SQLite's again from its table. What it cannot mend stays a finding of the next look. */
export function rebuildIndexes(db: Db, log: Logger): void {
  try {
    db.run('REINDEX');
  } catch (error) {
    if (!(error instanceof AppError) && !(error as { code?: string }).code?.startsWith('SQLITE_CONSTRAINT'))
      throw error;
    log.warn({ err: error }, 'indexes cannot be rebuilt');
  }
}

/**
 * Mends rows without the row they belong to. What holds the user's words gets a new place: turns and messages a conversation, the
 * wordings of a fact the fact. What is derived is erased. References that may be empty are emptied.
 */
export function adoptOrphans(stores: ItemStores, language: Language): void {
  const { db } = stores;
  db.transaction(() => {
    adoptTurns(db, language);
    adoptMessages(stores, language);
    linkTurns(db);
    adoptWordings(stores);
    for (const table of ['facts', 'fact_revisions', 'fact_edges', 'fact_people'])
      db.run(
        `UPDATE ${table} SET turn_id = NULL WHERE turn_id IS NOT NULL AND turn_id NOT IN (SELECT id FROM turns)`,
      );
    for (const rows of DERIVED) db.run(`DELETE ${rows}`);
  });
}

/** A conversation under the id that turns name and nothing has. */
function adoptTurns(db: Db, language: Language): void {
  const missing = db.all<{ id: ConversationId; first: number; last: number; turns: number }>(
    `SELECT conversation_id AS id, min(created_at) AS first, max(created_at) AS last, count(*) AS turns
     ${orphans('turns', 'conversation_id', 'conversations')} GROUP BY conversation_id`,
  );
  for (const { id, first, last, turns } of missing) {
    addConversation(db, { id, title: TITLES[language], first, last });
    db.run('UPDATE conversations SET turn_count = ? WHERE id = ?', turns, id);
    arrange(db, id);
  }
}

/** A turn whose parent is gone follows the turn of its conversation that was made before it. */
function linkTurns(db: Db): void {
  const missing = db.all<{ id: TurnId; conversationId: ConversationId }>(
    `SELECT id, conversation_id AS conversationId ${orphans('turns', 'parent_id', 'turns')}`,
  );
  for (const { id } of missing)
    db.run(
      `UPDATE turns SET (parent_id, parent_version) = (
         SELECT b.id, b.active_version FROM turns b
         WHERE b.conversation_id = turns.conversation_id AND b.ordinal < turns.ordinal ORDER BY b.ordinal DESC LIMIT 1)
       WHERE id = ?`,
      id,
    );
  for (const id of new Set(missing.map(({ conversationId }) => conversationId))) arrange(db, id);
}

/** One conversation for all messages whose turn is gone, with a turn for each that they name. */
function adoptMessages(stores: ItemStores, language: Language): void {
  const { db } = stores;
  const missing = db.all<{ id: string; version: number | null; at: number }>(
    `SELECT turn_id AS id, max(version) AS version, min(created_at) AS at ${orphans('messages', 'turn_id', 'turns')}
     GROUP BY turn_id ORDER BY at, turn_id`,
  );
  const [first] = missing;
  if (!first) return;
  const id = newId('conv') as ConversationId;
  const last = missing.at(-1) ?? first;
  addConversation(db, { id, title: TITLES[language], first: first.at, last: last.at });
  for (const [place, turn] of missing.entries()) {
    const { parentId, parentVersion } = endOfPath(db, id);
    db.run(
      `INSERT INTO turns (id, conversation_id, ordinal, parent_id, parent_version, active_version, created_at, body_terms, term_count)
       VALUES (?, ?, ?, ?, ?, ?, ?, '', 0)`,
      turn.id,
      id,
      place + 1,
      parentId,
      parentVersion,
      turn.version ?? 1,
      turn.at,
    );
    items.turn.terms?.rewrite(stores, turn.id);
  }
}

function addConversation(
  db: Db,
  { id, title, first, last }: { id: ConversationId; title: string; first: number; last: number },
): void {
  db.run(
    `INSERT INTO conversations (id, channel, title, title_terms, created_at, updated_at) VALUES (?, 'chat', ?, ?, ?, ?)`,
    id,
    title,
    termStream(title),
    first,
    last,
  );
}

/** A fact that is gone says again what its last earlier wording said. */
function adoptWordings({ db, facts }: ItemStores): void {
  const missing = db.all<{ id: FactId; content: string; at: number }>(
    `SELECT fact_id AS id, content, max(until) AS at ${orphans('fact_revisions', 'fact_id', 'facts')} GROUP BY fact_id`,
  );
  for (const { id, content, at } of missing) {
    db.run(
      `INSERT INTO facts (id, content, kind, importance, source, created_at, updated_at, subject_terms, body_terms, term_count)
       VALUES (?, ?, 'fact', 0.5, 'manual', ?, ?, '', '', 0)`,
      id,
      content,
      at,
      at,
    );
    facts.writeTerms(id);
  }
}
