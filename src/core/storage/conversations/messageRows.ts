import type { Role } from '../../../shared/contract/chat.ts';
import type { SearchScope } from '../../../shared/contract/retrieval.ts';
import type { Language } from '../../../shared/errors.ts';
import type { MessageId, TurnId } from '../../../shared/ids.ts';
import { parseJson } from '../../../shared/json.ts';
import type { Db } from '../database.ts';
import { cutToolCalls } from '../toolCalls.ts';
import { setActiveVersion } from './branches.ts';
import { insertCitations } from './citationRows.ts';
import type {
  MessageRecord,
  MessageState,
  NewMessage,
  NewReply,
  PromptCut,
  ReplyEnd,
  StoredError,
} from './records.ts';
import { dropParts, keepPart, type ReplyPart, soFar } from './replyParts.ts';

interface MessageColumns {
  id: string;
  turn_id: string;
  role: Role;
  author: string | null;
  content_so_far: string;
  created_at: number;
  version: number | null;
  state: MessageState;
  model: string | null;
  language: Language | null;
  scope: string | null;
  error: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  reasoning_so_far: string;
  prompt_cut: string | null;
  wanted_model: string | null;
}

/** Null too for what is not valid JSON, as after damage: the message is shown without it. */
const fromJson = <T>(json: string | null): T | null =>
  json === null ? null : ((parseJson(json) as T | undefined) ?? null);
const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const toMessage = (row: MessageColumns): MessageRecord => ({
  id: row.id as MessageId,
  turnId: row.turn_id as TurnId,
  role: row.role,
  author: row.author,
  content: row.content_so_far,
  createdAt: row.created_at,
  version: row.version,
  state: row.state,
  model: row.model,
  language: row.language,
  scope: fromJson<SearchScope>(row.scope),
  error: fromJson<StoredError>(row.error),
  promptTokens: row.prompt_tokens,
  completionTokens: row.completion_tokens,
  reasoning: row.reasoning_so_far,
  promptCut: fromJson<PromptCut>(row.prompt_cut),
  wantedModel: row.wanted_model,
});

/** The place of a turn's next message. */
export function nextMessageOrdinal(db: Db, turnId: TurnId): number {
  return (
    db.get<{ n: number }>('SELECT coalesce(max(ordinal), 0) + 1 AS n FROM messages WHERE turn_id = ?', turnId)
      ?.n ?? 1
  );
}

/** Stores messages of a turn in order, the first one at `ordinal`. */
export function insertMessages(db: Db, turnId: TurnId, messages: readonly NewMessage[], ordinal = 1): void {
  for (const [index, message] of messages.entries()) {
    db.run(
      'INSERT INTO messages (id, turn_id, ordinal, role, author, content, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      message.id,
      turnId,
      ordinal + index,
      message.role,
      message.author,
      message.content,
      message.createdAt,
    );
  }
}

/** Opens a reply in state `pending`, as the version that the turn shows. */
function insertReply(db: Db, reply: NewReply): void {
  db.run(
    `INSERT INTO messages (id, turn_id, ordinal, role, content, created_at, version, state, model, language)
     VALUES (?, ?, ?, 'assistant', '', ?, ?, 'pending', ?, ?)`,
    reply.id,
    reply.turnId,
    nextMessageOrdinal(db, reply.turnId),
    reply.createdAt,
    reply.version,
    reply.model,
    reply.language,
  );
  setActiveVersion(db, reply.turnId, reply.version);
}

/** Closes a reply with its text and what it cites; false if it was erased meanwhile. */
function finishReply(db: Db, reply: { turnId: TurnId; version: number }, end: ReplyEnd): boolean {
  const { changes } = db.run(
    `UPDATE messages SET state = ?, scope = ?, content = ?, error = ?, prompt_tokens = ?, completion_tokens = ?,
       reasoning = ?, prompt_cut = ?, model = coalesce(?, model), wanted_model = ? WHERE turn_id = ? AND version = ?`,
    end.state,
    toJson(end.scope),
    end.content,
    toJson(end.error),
    end.usage?.promptTokens ?? null,
    end.usage?.completionTokens ?? null,
    end.reasoning,
    toJson(end.promptCut),
    end.fallback?.model ?? null,
    end.fallback?.wanted ?? null,
    reply.turnId,
    reply.version,
  );
  if (changes > 0) {
    insertCitations(db, reply, end.citations);
    if (end.timings) {
      db.run(
        'UPDATE memory_retrievals SET timings = json_patch(timings, ?) WHERE turn_id = ? AND version = ?',
        JSON.stringify(end.timings),
        reply.turnId,
        reply.version,
      );
    }
  }
  dropParts(db, reply);
  cutToolCalls(db, reply);
  return changes > 0;
}

const SELECT = `SELECT m.*, ${soFar('m', 'content')} AS content_so_far, ${soFar('m', 'reasoning')} AS reasoning_so_far`;

/**
 * In a turn, replies come last: a message that joined it while its reply was open is stored after the reply, and belongs to the
 * question.
 */
const IN_TURN_ORDER = 'm.version IS NOT NULL, m.ordinal';

/** The rows of messages; a reply that this app wrote is one with a version. */
export function messageRows(db: Db) {
  return {
    messages: (id: TurnId): MessageRecord[] =>
      db
        .all<MessageColumns>(`${SELECT} FROM messages m WHERE m.turn_id = ? ORDER BY ${IN_TURN_ORDER}`, id)
        .map(toMessage),

    /** Messages of several turns, every version of their replies included, by turn and in order. */
    messagesOf: (ids: readonly TurnId[]): MessageRecord[] =>
      db
        .all<MessageColumns>(
          `${SELECT} FROM json_each(?) j CROSS JOIN messages m ON m.turn_id = j.value
           ORDER BY j.key, ${IN_TURN_ORDER}`,
          JSON.stringify(ids),
        )
        .map(toMessage),

    /** Messages of several turns as they are shown, of replies the active version alone, by turn: what was sent, then the reply. */
    shownMessagesOf: (ids: readonly TurnId[]): MessageRecord[] =>
      db
        .all<MessageColumns>(
          `${SELECT} FROM json_each(?) j CROSS JOIN turns t ON t.id = j.value CROSS JOIN messages m ON m.turn_id = t.id
           WHERE m.version IS NULL OR m.version = t.active_version ORDER BY j.key, ${IN_TURN_ORDER}`,
          JSON.stringify(ids),
        )
        .map(toMessage),

    /** Names of those who speak in conversations in use, in alphabetical order. Tools have names too, and are not among them. */
    authors: (): string[] =>
      db
        .all<{ author: string }>(
          `WITH named AS (SELECT DISTINCT author FROM messages WHERE author IS NOT NULL)
           SELECT n.author FROM named n WHERE EXISTS (
             SELECT 1 FROM messages m JOIN turns t ON t.id = m.turn_id JOIN conversations v ON v.id = t.conversation_id
             WHERE m.author = n.author AND m.role IN ('user', 'assistant') AND t.active = 1 AND v.removed_at IS NULL)`,
        )
        .map(({ author }) => author)
        .sort((one, other) => one.localeCompare(other)),

    /** Opens a reply in state `pending`, as the version that the turn shows. */
    insertReply: (reply: NewReply): void => db.transaction(() => insertReply(db, reply)),

    /** Keeps what came of a reply since it was kept last, so that a crash loses at most what comes after. */
    keepPart: (turnId: TurnId, version: number, part: ReplyPart): void =>
      keepPart(db, { turnId, version }, part),

    /** Closes a reply with its text and what it cites; false if it was erased meanwhile. */
    finishReply: (turnId: TurnId, version: number, end: ReplyEnd): boolean =>
      db.transaction(() => finishReply(db, { turnId, version }, end)),

    /** Replies that are open. */
    pendingReplies: (): { turnId: TurnId; version: number }[] =>
      db.all("SELECT turn_id AS turnId, version FROM messages WHERE state = 'pending'"),

    /** Marks an open reply as one that a stop of the program cut short; what was kept of it stays. */
    interruptReply: (turnId: TurnId, version: number): void =>
      db.transaction(() => {
        db.run(
          `UPDATE messages SET content = ${soFar('messages', 'content')}, reasoning = ${soFar('messages', 'reasoning')},
             state = 'interrupted' WHERE turn_id = ? AND version = ?`,
          turnId,
          version,
        );
        dropParts(db, { turnId, version });
        cutToolCalls(db, { turnId, version });
      }),
  };
}
