import type { TurnId } from '../../shared/ids.ts';
import { parseJson, parseTexts } from '../../shared/json.ts';
import { type TurnTerms, textOfMessages } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { countTerms, termStream } from '../support/text/tokenise.ts';
import { withoutQuoted } from './quotedStretches.ts';

/** Raised when a turn would give another text: the terms of turns are then written again. */
export const TURN_TEXT_VERSION = 4;
/** Version 4 added what tools were asked: of a database of version 3, only these turns `r` are written again. */
export const CHANGED_SINCE_3 = 'EXISTS (SELECT 1 FROM tool_calls c WHERE c.turn_id = r.id)';

/** What a turn says: its messages and its reply, then what the reply asked of tools. */
interface TurnParts {
  said: string;
  tools: string;
}

/**
 * What a turn itself says, for full text and vectors: its messages, the shown reply, and the tools that it called with what it asked
 * of them, without the stretches that were copied from what the conversation was given as context. What was quoted to the model, by a
 * block or by a tool, is found where it comes from, never as something that was said. Empty if there is no such turn.
 */
export function turnText(db: Db, turnId: TurnId): string {
  const { said, tools } = readParts(db, turnId);
  return joined([said, tools]);
}

/** The terms of `turnText`. */
export function turnTerms(db: Db, turnId: TurnId): TurnTerms {
  const { said, tools } = readParts(db, turnId);
  const ofTools = termStream(tools);
  return {
    body: [termStream(said), ofTools].filter((part) => part !== '').join(' '),
    tools: countTerms(ofTools),
  };
}

function readParts(db: Db, turnId: TurnId): TurnParts {
  const turn = db.get<{ conversation_id: string; ordinal: number; active_version: number }>(
    'SELECT conversation_id, ordinal, active_version FROM turns WHERE id = ?',
    turnId,
  );
  if (!turn) return { said: '', tools: '' };
  const messages = db.all<{ version: number | null; author: string | null; content: string }>(
    'SELECT version, author, content FROM messages WHERE turn_id = ? ORDER BY version IS NOT NULL, ordinal',
    turnId,
  );
  const shown = messages.filter(({ version }) => version === null || version === turn.active_version);
  const tools = toolTexts(db, [turnId]).get(turnId) ?? '';
  if (tools === '' && !shown.some(({ version, content }) => version !== null && content !== '')) {
    return { said: textOfMessages(shown, '\n'), tools };
  }
  const quoted = quotedTexts(db, turn.conversation_id, turn.ordinal);
  const own = shown.filter(({ version }) => version === null).map(({ content }) => content);
  return {
    said: textOfMessages(
      shown.map(({ version, author, content }) => ({
        author,
        content: version === null ? content : withoutQuoted(content, quoted, own),
      })),
      '\n',
    ),
    tools: withoutQuoted(tools, quoted, own),
  };
}

/** The tools that the shown replies of some turns called, a line each: the name, and what it was asked. Turns without calls are left out. */
export function toolTexts(db: Db, ids: readonly TurnId[]): Map<TurnId, string> {
  const calls = db.all<{ turnId: TurnId; name: string; arguments: string }>(
    `SELECT c.turn_id AS turnId, c.name, c.arguments FROM json_each(?) j CROSS JOIN turns t ON t.id = j.value
       CROSS JOIN tool_calls c ON c.turn_id = t.id AND c.version = t.active_version
     ORDER BY j.key, c.ordinal`,
    JSON.stringify(ids),
  );
  const lines = Map.groupBy(calls, ({ turnId }) => turnId);
  return new Map([...lines].map(([id, some]) => [id, callsText(some)]));
}

/** Calls of tools as a text, a line each. `arguments` is JSON. */
export const callsText = (calls: readonly { name: string; arguments: string }[]): string =>
  joined(
    calls.map((call) =>
      [call.name, textsIn(parseJson(call.arguments)).join(', ')].filter((part) => part !== '').join(': '),
    ),
  );

/** The texts and numbers in a JSON value, in order. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n');

/** Titles, headings and excerpts of everything that the conversation was given up to a turn. */
export function quotedTexts(db: Db, conversationId: string, ordinal: number): string[] {
  return db
    .all<{ title: string; heading: string; excerpt: string }>(
      `SELECT i.title, i.heading, i.excerpt FROM context_items i JOIN turns t ON t.id = i.turn_id
       WHERE t.conversation_id = @conversationId AND t.ordinal <= @ordinal
       UNION SELECT i.title, i.heading, i.excerpt FROM tool_items i JOIN turns t ON t.id = i.turn_id
       WHERE t.conversation_id = @conversationId AND t.ordinal <= @ordinal`,
      { conversationId, ordinal },
    )
    .flatMap(({ title, heading, excerpt }) => [title, ...parseTexts(heading), excerpt]);
}
