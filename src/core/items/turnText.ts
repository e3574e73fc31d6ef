import type { TurnId } from '../../shared/ids.ts';
import { textOfMessages } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { functionWords } from '../support/text/stopWords.ts';
import { tokenise } from '../support/text/tokenise.ts';

/**
 * What a turn itself says, for full text and vectors: its messages and the shown reply, less the reply's words that stand in
 * what the conversation was given as context and that the user did not write. What was only quoted to the model is found
 * where it comes from, never as something that was said.
 */
export function turnText(db: Db, turnId: TurnId): string {
  const turn = db.get<{ conversation_id: string; ordinal: number; active_version: number }>(
    'SELECT conversation_id, ordinal, active_version FROM turns WHERE id = ?',
    turnId,
  );
  if (!turn) return '';
  const messages = db.all<{ version: number | null; author: string | null; content: string }>(
    'SELECT version, author, content FROM messages WHERE turn_id = ? ORDER BY ordinal',
    turnId,
  );
  const shown = messages.filter(({ version }) => version === null || version === turn.active_version);
  if (!shown.some(({ version, content }) => version !== null && content !== '')) {
    return textOfMessages(shown, '\n');
  }
  const quoted = quotedTerms(db, turn.conversation_id, turn.ordinal);
  for (const message of shown) {
    if (message.version === null) for (const { term } of tokenise(message.content)) quoted.delete(term);
  }
  return textOfMessages(
    shown.map(({ version, author, content }) => ({
      author,
      content: version === null ? content : without(content, quoted),
    })),
    '\n',
  );
}

/** Content words of everything that the conversation was given up to a turn. */
function quotedTerms(db: Db, conversationId: string, ordinal: number): Set<string> {
  const items = db.all<{ title: string; heading: string; excerpt: string }>(
    `SELECT i.title, i.heading, i.excerpt FROM context_items i JOIN turns t ON t.id = i.turn_id
     WHERE t.conversation_id = ? AND t.ordinal <= ?`,
    conversationId,
    ordinal,
  );
  const terms = new Set<string>();
  for (const { title, heading, excerpt } of items) {
    for (const token of tokenise(`${title}\n${heading}\n${excerpt}`)) {
      if (!functionWords.has(token.word)) terms.add(token.term);
    }
  }
  return terms;
}

function without(text: string, terms: ReadonlySet<string>): string {
  if (terms.size === 0) return text;
  let kept = '';
  let from = 0;
  for (const token of tokenise(text)) {
    if (!terms.has(token.term)) continue;
    kept += text.slice(from, token.start);
    from = token.end;
  }
  return kept + text.slice(from);
}
