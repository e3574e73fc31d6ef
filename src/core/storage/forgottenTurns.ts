import { DEFAULT_CHANNEL } from '../../shared/channels.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import { newId } from '../support/ids.ts';
import { termStream } from '../support/text/tokenise.ts';
import { arrange, giveUpChildren, writeFullText } from './conversations/branches.ts';
import type { ConversationStore } from './conversations.ts';
import type { Db } from './database.ts';
import { renderAnew } from './renderedText.ts';

interface Place {
  turn_id: TurnId;
  conversation_id: ConversationId;
  ordinal: number;
}

/** What stands for a title that was forgotten; the same word in English and French. */
export const UNTITLED = 'Conversation';

/** Turns and titles that were forgotten while their conversation goes on. */
export class ForgottenTurns {
  readonly #db: Db;
  readonly #conversations: ConversationStore;

  constructor(db: Db, conversations: ConversationStore) {
    this.#db = db;
    this.#conversations = conversations;
  }

  /** Takes turns of a conversation out of use: the conversation as a whole if these are all it has. In the caller's transaction. */
  forget(ids: readonly TurnId[], from: ConversationId, at: number): void {
    if (this.#conversations.get(from) && this.#hasOnly(ids, from)) this.#conversations.setRemovedAt(from, at);
    else this.#take(ids, from, at);
  }

  /** Takes turns out of their conversation, into a removed one of their own. */
  #take(ids: readonly TurnId[], from: ConversationId, at: number): void {
    const bin = newId('conv') as ConversationId;
    const channel =
      this.#db.get<{ channel: string }>('SELECT channel FROM conversations WHERE id = ?', from)?.channel ??
      DEFAULT_CHANNEL;
    this.#conversations.insert({ id: bin, channel, title: '', titleTerms: '', createdAt: at });
    this.#db.run(
      `INSERT INTO forgotten_turns (turn_id, conversation_id, ordinal) SELECT id, conversation_id, ordinal FROM turns
       WHERE conversation_id = ? AND id IN (SELECT value FROM json_each(?))`,
      from,
      JSON.stringify(ids),
    );
    for (const [place, id] of ids.entries()) this.#move(id, { to: bin, ordinal: place + 1 });
    this.#conversations.setRemovedAt(bin, at);
    arrange(this.#db, from);
  }

  #hasOnly(ids: readonly TurnId[], conversationId: ConversationId): boolean {
    const others = 'conversation_id = ? AND id NOT IN (SELECT value FROM json_each(?))';
    return !this.#db.get(`SELECT 1 FROM turns WHERE ${others}`, conversationId, JSON.stringify(ids));
  }

  /**
   * Puts the turns of a removed conversation back where they came from. What came from a conversation that is gone stays together in
   * this one. In the caller's transaction.
   * @returns false if it holds no such turns: it was removed as a whole
   */
  putBack(bin: ConversationId): boolean {
    const places = this.#db.all<Place>(
      `SELECT f.* FROM forgotten_turns f JOIN turns t ON t.id = f.turn_id WHERE t.conversation_id = ? ORDER BY f.ordinal`,
      bin,
    );
    if (places.length === 0) return false;
    for (const { turn_id: id, conversation_id: to, ordinal } of places) {
      this.#db.run('DELETE FROM forgotten_turns WHERE turn_id = ?', id);
      if (!this.#conversations.exists(to)) continue;
      const isTaken = this.#db.get(
        'SELECT 1 FROM turns WHERE conversation_id = ? AND ordinal = ?',
        to,
        ordinal,
      );
      const last = this.#db.get<{ n: number | null }>(
        'SELECT max(ordinal) AS n FROM turns WHERE conversation_id = ?',
        to,
      );
      this.#move(id, { to, ordinal: isTaken ? (last?.n ?? 0) + 1 : ordinal });
    }
    for (const id of new Set([bin, ...places.map((place) => place.conversation_id)])) arrange(this.#db, id);
    const isEmpty = !this.#db.get('SELECT 1 FROM turns WHERE conversation_id = ?', bin);
    if (isEmpty) this.#db.run('DELETE FROM conversations WHERE id = ?', bin);
    else this.#conversations.setRemovedAt(bin, null);
    return true;
  }

  /** Gives a conversation another title, and keeps the one before until what it named is erased. */
  replaceTitle(id: ConversationId, title: string, at: number): void {
    const row = this.#db.get<{ title: string }>('SELECT title FROM conversations WHERE id = ?', id);
    const before = row?.title ?? '';
    this.#db.run('INSERT OR REPLACE INTO forgotten_titles VALUES (?, ?, ?)', id, before, at);
    this.#conversations.setTitle(id, title, termStream(title));
  }

  /** Brings back titles that were replaced. @returns them */
  restoreTitles(ids: readonly ConversationId[]): string[] {
    const those = 'conversation_id IN (SELECT value FROM json_each(?))';
    const titles = this.#db.all<{ id: ConversationId; title: string }>(
      `SELECT conversation_id AS id, title FROM forgotten_titles WHERE ${those}`,
      JSON.stringify(ids),
    );
    for (const { id, title } of titles) this.#conversations.setTitle(id, title, termStream(title));
    this.#db.run(`DELETE FROM forgotten_titles WHERE ${those}`, JSON.stringify(ids));
    return titles.map(({ title }) => title);
  }

  #move(id: TurnId, { to, ordinal }: { to: ConversationId; ordinal: number }): void {
    this.#db.run(
      'UPDATE turns SET conversation_id = ?, ordinal = ?, active = 1, fork = NULL, replaced = 0 WHERE id = ?',
      to,
      ordinal,
      id,
    );
    // A turn is found by the title of its conversation too.
    writeFullText(this.#db, [id]);
  }
}

/** Erases turns, full text included, while their conversations go on. In the caller's transaction. */
export function eraseTurns(db: Db, ids: readonly TurnId[]): void {
  const list = JSON.stringify(ids);
  const those = 'IN (SELECT value FROM json_each(?))';
  db.run(`DELETE FROM turn_fts WHERE rowid IN (SELECT rowid FROM turns WHERE id ${those})`, list);
  for (const table of ['context_items', 'tool_items'])
    db.run(`UPDATE ${table} SET text_hash = '' WHERE kind = 'turn' AND item_id ${those}`, list);
  const changed = giveUpChildren(db, ids);
  const left = db
    .all<{ id: ConversationId }>(`SELECT DISTINCT conversation_id AS id FROM turns WHERE id ${those}`, list)
    .map(({ id }) => id);
  db.run(`DELETE FROM turns WHERE id ${those}`, list);
  for (const id of new Set([...changed, ...left])) arrange(db, id);
  db.run(
    `UPDATE conversations AS v SET turn_count = (SELECT count(*) FROM turns t WHERE t.conversation_id = v.id AND t.active = 1)
     WHERE v.turn_count <> (SELECT count(*) FROM turns t WHERE t.conversation_id = v.id AND t.active = 1)`,
  );
  db.run(
    'DELETE FROM conversations AS v WHERE v.removed_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.conversation_id = v.id)',
  );
}

/**
 * Erases the titles that were replaced in a stretch of time (both ends included), also where a block, a trace or a citation shows
 * them. In the caller's transaction.
 * @returns whether there were any
 */
export function eraseTitles(db: Db, range: { from: number; to: number }): boolean {
  const titles = db.all<{ id: string; before: string; now: string }>(
    `SELECT f.conversation_id AS id, f.title AS before, v.title AS now FROM forgotten_titles f
     JOIN conversations v ON v.id = f.conversation_id WHERE f.at BETWEEN @from AND @to`,
    range,
  );
  const quoting = `i.title = @before AND i.kind = 'turn' AND i.item_id IN (SELECT id FROM turns WHERE conversation_id = @id)`;
  for (const { id, before, now } of titles) {
    renderAnew(db, quoting, { id, before });
    for (const table of ['context_items', 'tool_items', 'citations', 'memory_retrieval_items'])
      db.run(`UPDATE ${table} AS i SET title = @now WHERE ${quoting}`, { id, before, now });
  }
  db.run('DELETE FROM forgotten_titles WHERE at BETWEEN @from AND @to', range);
  return titles.length > 0;
}
