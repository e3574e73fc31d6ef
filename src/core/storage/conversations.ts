import type { Role } from '../../shared/contract/chat.ts';
import type { ItemKind, SearchScope } from '../../shared/contract/retrieval.ts';
import type { ErrorCode, ErrorParams, Language } from '../../shared/errors.ts';
import type {
  ChunkId,
  ConversationId,
  FactId,
  MessageId,
  NoteId,
  TurnId,
  VaultId,
} from '../../shared/ids.ts';
import { sha256 } from '../support/ids.ts';
import { countTerms } from '../support/text/tokenise.ts';
import type { Db } from './database.ts';

export interface ConversationRecord {
  id: ConversationId;
  channel: string;
  title: string;
  turns: number;
  pinned: boolean;
  archived: boolean;
  createdAt: number;
  updatedAt: number;
}

type ConversationColumns = Omit<ConversationRecord, 'pinned' | 'archived'> & {
  pinned: number;
  archived: number;
};

const toConversation = (row: ConversationColumns): ConversationRecord => ({
  ...row,
  pinned: row.pinned === 1,
  archived: row.archived === 1,
});

export type MessageState = 'pending' | 'complete' | 'stopped' | 'failed' | 'interrupted';

export interface MessageRecord {
  id: MessageId;
  turnId: TurnId;
  role: Role;
  author: string | null;
  content: string;
  createdAt: number;
  /** Set on replies that this app wrote: 1 for the first, one more for each regeneration. */
  version: number | null;
  state: MessageState;
  model: string | null;
  language: Language | null;
  scope: SearchScope | null;
  error: StoredError | null;
  promptTokens: number | null;
  completionTokens: number | null;
  reasoning: string;
  promptCut: PromptCut | null;
}

/** Tokens of a prompt that the server cut silently: as they were estimated when it was sent, and as the server counted them. */
export interface PromptCut {
  sent: number;
  reported: number;
}

/** A coded error as it is kept with a reply. */
export interface StoredError {
  code: ErrorCode;
  params: ErrorParams;
}

export interface TurnRecord {
  id: TurnId;
  conversationId: ConversationId;
  ordinal: number;
  activeVersion: number;
  createdAt: number;
}

export interface CitationRecord {
  ordinal: number;
  kind: ItemKind;
  itemId: ChunkId | TurnId | FactId;
  noteId: NoteId | null;
  vaultId: VaultId | null;
  path: string | null;
  title: string;
  heading: string[];
  textHash: string | null;
  score: number;
}

export interface NewMessage {
  id: MessageId;
  role: Role;
  author: string | null;
  content: string;
  createdAt: number;
}

export interface NewReply {
  id: MessageId;
  turnId: TurnId;
  version: number;
  model: string;
  language: Language;
  createdAt: number;
}

export interface ReplyEnd {
  state: MessageState;
  content: string;
  /** What the model thought aloud. */
  reasoning: string;
  scope: SearchScope | null;
  citations: readonly CitationRecord[];
  error: StoredError | null;
  usage: { promptTokens: number | null; completionTokens: number | null } | null;
  /** Null unless the server cut the prompt. */
  promptCut: PromptCut | null;
}

interface TurnColumns {
  id: string;
  conversation_id: string;
  ordinal: number;
  active_version: number;
  created_at: number;
}

const toTurn = (row: TurnColumns): TurnRecord => ({
  id: row.id as TurnId,
  conversationId: row.conversation_id as ConversationId,
  ordinal: row.ordinal,
  activeVersion: row.active_version,
  createdAt: row.created_at,
});

interface MessageColumns {
  id: string;
  turn_id: string;
  role: Role;
  author: string | null;
  content: string;
  created_at: number;
  version: number | null;
  state: MessageState;
  model: string | null;
  language: Language | null;
  scope: string | null;
  error: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  reasoning: string;
  prompt_cut: string | null;
}

const toMessage = (row: MessageColumns): MessageRecord => ({
  id: row.id as MessageId,
  turnId: row.turn_id as TurnId,
  role: row.role,
  author: row.author,
  content: row.content,
  createdAt: row.created_at,
  version: row.version,
  state: row.state,
  model: row.model,
  language: row.language,
  scope: row.scope === null ? null : (JSON.parse(row.scope) as SearchScope),
  error: row.error === null ? null : (JSON.parse(row.error) as StoredError),
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  reasoning: row.reasoning,
  promptCut: row.prompt_cut === null ? null : (JSON.parse(row.prompt_cut) as PromptCut),
});

const CONVERSATION = `SELECT v.id, v.channel, v.title, v.created_at AS createdAt, v.updated_at AS updatedAt,
  v.pinned_at IS NOT NULL AS pinned, v.archived_at IS NOT NULL AS archived,
  (SELECT count(*) FROM turns t WHERE t.conversation_id = v.id) AS turns FROM conversations v`;

export type ConversationStore = ReturnType<typeof createConversationStore>;

export function createConversationStore(db: Db) {
  const nextMessageOrdinal = (turnId: TurnId) =>
    db.get<{ n: number }>('SELECT coalesce(max(ordinal), 0) + 1 AS n FROM messages WHERE turn_id = ?', turnId)
      ?.n ?? 1;

  const writeTerms = (id: TurnId, bodyTerms: string) => {
    const row = db.get<{ rowid: number; title_terms: string; body_terms: string }>(
      `SELECT t.rowid, t.body_terms, v.title_terms FROM turns t JOIN conversations v ON v.id = t.conversation_id
       WHERE t.id = ?`,
      id,
    );
    if (!row || row.body_terms === bodyTerms) return;
    db.run(
      'UPDATE turns SET body_terms = ?, text_hash = ?, term_count = ? WHERE id = ?',
      bodyTerms,
      sha256(bodyTerms),
      countTerms(bodyTerms),
      id,
    );
    db.run('DELETE FROM turn_fts WHERE rowid = ?', row.rowid);
    db.run(
      'INSERT INTO turn_fts (rowid, title, body) VALUES (?, ?, ?)',
      row.rowid,
      row.title_terms,
      bodyTerms,
    );
  };

  const insertMessage = (turnId: TurnId, ordinal: number, message: NewMessage) => {
    db.run(
      'INSERT INTO messages (id, turn_id, ordinal, role, author, content, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      message.id,
      turnId,
      ordinal,
      message.role,
      message.author,
      message.content,
      message.createdAt,
    );
  };

  return {
    /** Conversations in use, pattern found in title or messages; pinned ones first, then the latest. */
    list: (wanted: {
      text: string;
      channel?: string | undefined;
      archived: boolean;
    }): ConversationRecord[] => {
      const like = `%${wanted.text.replace(/[\\%_]/g, '\\$&')}%`;
      return db
        .all<ConversationColumns>(
          `${CONVERSATION} WHERE v.removed_at IS NULL AND (v.archived_at IS NOT NULL) = @archived
             AND (@channel = '' OR v.channel = @channel)
             AND (@like = '%%' OR v.title LIKE @like ESCAPE '\\' OR EXISTS (
               SELECT 1 FROM turns t JOIN messages m ON m.turn_id = t.id
               WHERE t.conversation_id = v.id AND m.content LIKE @like ESCAPE '\\'))
           ORDER BY v.pinned_at IS NULL, v.updated_at DESC, v.id`,
          { like, channel: wanted.channel ?? '', archived: wanted.archived ? 1 : 0 },
        )
        .map(toConversation);
    },
    /** Channels of conversations in use, the fullest first; how many conversations are put away. */
    channels: (): { channels: { channel: string; conversations: number }[]; archived: number } => ({
      channels: db.all(
        `SELECT channel, count(*) AS conversations FROM conversations
         WHERE removed_at IS NULL AND archived_at IS NULL GROUP BY channel ORDER BY conversations DESC, channel`,
      ),
      archived:
        db.get<{ n: number }>(
          'SELECT count(*) AS n FROM conversations WHERE removed_at IS NULL AND archived_at IS NOT NULL',
        )?.n ?? 0,
    }),
    get: (id: ConversationId): ConversationRecord | undefined => {
      const row = db.get<ConversationColumns>(`${CONVERSATION} WHERE v.id = ? AND v.removed_at IS NULL`, id);
      return row && toConversation(row);
    },
    /** Pins, puts away or moves a conversation, or undoes it. What was so already keeps its time. */
    place: (
      id: ConversationId,
      place: { channel: string; pinned: boolean; archived: boolean; at: number },
    ): void => {
      db.run(
        `UPDATE conversations SET channel = @channel,
           pinned_at = iif(@pinned, coalesce(pinned_at, @at), NULL),
           archived_at = iif(@archived, coalesce(archived_at, @at), NULL) WHERE id = @id`,
        { ...place, id, pinned: place.pinned ? 1 : 0, archived: place.archived ? 1 : 0 },
      );
    },
    /** Is the id taken, by a removed conversation too? */
    exists: (id: ConversationId): boolean =>
      db.get<{ id: string }>('SELECT id FROM conversations WHERE id = ?', id) !== undefined,
    insert: (conversation: {
      id: ConversationId;
      channel: string;
      title: string;
      titleTerms: string;
      createdAt: number;
    }): void => {
      db.run(
        'INSERT INTO conversations (id, channel, title, title_terms, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
        conversation.id,
        conversation.channel,
        conversation.title,
        conversation.titleTerms,
        conversation.createdAt,
        conversation.createdAt,
      );
    },
    setTitle: (id: ConversationId, title: string, titleTerms: string): void =>
      db.transaction(() => {
        db.run('UPDATE conversations SET title = ?, title_terms = ? WHERE id = ?', title, titleTerms, id);
        const rows = db.all<{ rowid: number; body_terms: string }>(
          'SELECT rowid, body_terms FROM turns WHERE conversation_id = ?',
          id,
        );
        for (const row of rows) {
          db.run('DELETE FROM turn_fts WHERE rowid = ?', row.rowid);
          db.run(
            'INSERT INTO turn_fts (rowid, title, body) VALUES (?, ?, ?)',
            row.rowid,
            titleTerms,
            row.body_terms,
          );
        }
      }),
    touch: (id: ConversationId, at: number): void => {
      db.run('UPDATE conversations SET updated_at = max(updated_at, ?) WHERE id = ?', at, id);
    },
    setRemovedAt: (id: ConversationId, at: number | null): boolean =>
      db.run('UPDATE conversations SET removed_at = ? WHERE id = ?', at, id).changes > 0,
    /** Brings back a removed conversation; false if it was not removed. */
    restore: (id: ConversationId): boolean =>
      db.run('UPDATE conversations SET removed_at = NULL WHERE id = ? AND removed_at IS NOT NULL', id)
        .changes > 0,
    /** Erases conversations removed before `before`, full text included; gives how many. */
    purgeRemoved: (before: number): number =>
      db.transaction(() => {
        db.run(
          `DELETE FROM turn_fts WHERE rowid IN (SELECT t.rowid FROM turns t
             JOIN conversations v ON v.id = t.conversation_id WHERE v.removed_at < ?)`,
          before,
        );
        return db.run('DELETE FROM conversations WHERE removed_at < ?', before).changes;
      }),

    /** Stores a turn with its messages and its full text, in the caller's transaction where there is one. */
    insertTurn: (turn: {
      id: TurnId;
      conversationId: ConversationId;
      createdAt: number;
      bodyTerms: string;
      messages: readonly NewMessage[];
    }): void =>
      db.transaction(() => {
        const ordinal =
          db.get<{ n: number }>(
            'SELECT coalesce(max(ordinal), 0) + 1 AS n FROM turns WHERE conversation_id = ?',
            turn.conversationId,
          )?.n ?? 1;
        const titleTerms =
          db.get<{ title_terms: string }>(
            'SELECT title_terms FROM conversations WHERE id = ?',
            turn.conversationId,
          )?.title_terms ?? '';
        const { lastInsertRowid } = db.run(
          `INSERT INTO turns (id, conversation_id, ordinal, created_at, body_terms, text_hash, term_count)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          turn.id,
          turn.conversationId,
          ordinal,
          turn.createdAt,
          turn.bodyTerms,
          sha256(turn.bodyTerms),
          countTerms(turn.bodyTerms),
        );
        db.run(
          'INSERT INTO turn_fts (rowid, title, body) VALUES (?, ?, ?)',
          lastInsertRowid,
          titleTerms,
          turn.bodyTerms,
        );
        for (const [index, message] of turn.messages.entries()) insertMessage(turn.id, index + 1, message);
      }),
    turn: (id: TurnId): TurnRecord | undefined => {
      const row = db.get<TurnColumns>('SELECT * FROM turns WHERE id = ?', id);
      return row && toTurn(row);
    },
    turns: (id: ConversationId): TurnRecord[] =>
      db.all<TurnColumns>('SELECT * FROM turns WHERE conversation_id = ? ORDER BY ordinal', id).map(toTurn),
    /** Messages of several turns, by turn and in order. */
    messagesOf: (ids: readonly TurnId[]): MessageRecord[] =>
      db
        .all<MessageColumns>(
          'SELECT m.* FROM json_each(?) j CROSS JOIN messages m ON m.turn_id = j.value ORDER BY j.key, m.ordinal',
          JSON.stringify(ids),
        )
        .map(toMessage),
    messages: (id: TurnId): MessageRecord[] =>
      db.all<MessageColumns>('SELECT * FROM messages WHERE turn_id = ? ORDER BY ordinal', id).map(toMessage),
    /** Adds messages that came later to a turn, and replaces its terms. */
    extendTurn: (id: TurnId, bodyTerms: string, messages: readonly NewMessage[]): void =>
      db.transaction(() => {
        const ordinal = nextMessageOrdinal(id);
        for (const [index, message] of messages.entries()) insertMessage(id, ordinal + index, message);
        writeTerms(id, bodyTerms);
      }),
    /** Replaces the terms by which a turn is found. */
    setTerms: (id: TurnId, bodyTerms: string): void => db.transaction(() => writeTerms(id, bodyTerms)),
    setActiveVersion: (id: TurnId, version: number): void => {
      db.run('UPDATE turns SET active_version = ? WHERE id = ?', version, id);
    },

    /** Opens a reply in state `pending`, as the turn's shown version. */
    insertReply: (reply: NewReply): void =>
      db.transaction(() => {
        db.run(
          `INSERT INTO messages (id, turn_id, ordinal, role, content, created_at, version, state, model, language)
           VALUES (?, ?, ?, 'assistant', '', ?, ?, 'pending', ?, ?)`,
          reply.id,
          reply.turnId,
          nextMessageOrdinal(reply.turnId),
          reply.createdAt,
          reply.version,
          reply.model,
          reply.language,
        );
        db.run('UPDATE turns SET active_version = ? WHERE id = ?', reply.version, reply.turnId);
      }),
    /** Keeps what has come of a reply so far, so that a crash loses at most what came since. */
    keepPartial: (turnId: TurnId, version: number, partial: { content: string; reasoning: string }): void => {
      db.run(
        'UPDATE messages SET content = ?, reasoning = ? WHERE turn_id = ? AND version = ?',
        partial.content,
        partial.reasoning,
        turnId,
        version,
      );
    },
    /** Ends a reply with its text and what it cites. */
    finishReply: (turnId: TurnId, version: number, end: ReplyEnd): void =>
      db.transaction(() => {
        db.run(
          `UPDATE messages SET state = ?, scope = ?, content = ?, error = ?, prompt_tokens = ?, completion_tokens = ?,
             reasoning = ?, prompt_cut = ? WHERE turn_id = ? AND version = ?`,
          end.state,
          end.scope === null ? null : JSON.stringify(end.scope),
          end.content,
          end.error === null ? null : JSON.stringify(end.error),
          end.usage?.promptTokens ?? null,
          end.usage?.completionTokens ?? null,
          end.reasoning,
          end.promptCut === null ? null : JSON.stringify(end.promptCut),
          turnId,
          version,
        );
        for (const citation of end.citations) {
          db.run(
            `INSERT INTO citations (turn_id, version, ordinal, kind, item_id, note_id, vault_id, path, title, heading,
                                    text_hash, score)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            turnId,
            version,
            citation.ordinal,
            citation.kind,
            citation.itemId,
            citation.noteId,
            citation.vaultId,
            citation.path,
            citation.title,
            JSON.stringify(citation.heading),
            citation.textHash,
            citation.score,
          );
        }
      }),
    /** Replies left open by a stop of the program become `interrupted`; gives how many. */
    interruptPending: (): number =>
      db.run("UPDATE messages SET state = 'interrupted' WHERE state = 'pending'").changes,
    pendingReplies: (): MessageId[] =>
      db
        .all<{ id: string }>("SELECT id FROM messages WHERE state = 'pending'")
        .map((row) => row.id as MessageId),
    citations: (turnId: TurnId, version: number): CitationRecord[] =>
      db
        .all<{
          ordinal: number;
          kind: ItemKind;
          item_id: string;
          note_id: string | null;
          vault_id: string | null;
          path: string | null;
          title: string;
          heading: string;
          text_hash: string | null;
          score: number;
        }>('SELECT * FROM citations WHERE turn_id = ? AND version = ? ORDER BY ordinal', turnId, version)
        .map((row) => ({
          ordinal: row.ordinal,
          kind: row.kind,
          itemId: row.item_id as ChunkId | TurnId | FactId,
          noteId: row.note_id as NoteId | null,
          vaultId: row.vault_id as VaultId | null,
          path: row.path,
          title: row.title,
          heading: JSON.parse(row.heading) as string[],
          textHash: row.text_hash,
          score: row.score,
        })),
    /** Conversations whose shown replies cite the note, latest first, ten at most. */
    citing: (noteId: NoteId) =>
      db.all<{ conversationId: ConversationId; title: string; at: number }>(
        `SELECT v.id AS conversationId, v.title, max(m.created_at) AS at FROM citations c
         JOIN messages m ON m.turn_id = c.turn_id AND m.version = c.version
         JOIN turns t ON t.id = c.turn_id AND t.active_version = c.version
         JOIN conversations v ON v.id = t.conversation_id
         WHERE c.note_id = ? AND v.removed_at IS NULL GROUP BY v.id ORDER BY at DESC LIMIT 10`,
        noteId,
      ),
    countTurns: (): number =>
      db.get<{ n: number }>(
        // Counting a whole table is quick; what is in its undo period is seldom there.
        `SELECT (SELECT count(*) FROM turns) - (SELECT count(*) FROM conversations v JOIN turns t
           ON t.conversation_id = v.id WHERE v.removed_at IS NOT NULL) AS n`,
      )?.n ?? 0,
  };
}

/** What was said, message by message, each with its author where there is one; empty messages left out. */
export function textOfMessages(
  messages: readonly Pick<NewMessage, 'author' | 'content'>[],
  separator: string,
): string {
  return messages
    .filter(({ content }) => content !== '')
    .map(({ author, content }) => (author ? `${author}: ${content}` : content))
    .join(separator);
}
