import type { SearchResult } from '../../shared/contract/retrieval.ts';
import type { TurnId } from '../../shared/ids.ts';
import type { RowOf } from '../items/index.ts';
import { type ConversationStore, type MessageRecord, textOfMessages } from '../storage/conversations.ts';
import { toPlainText } from '../support/text/plainText.ts';
import type { Scored } from './candidateSource.ts';
import { type Excerpt, makeExcerpt } from './excerpt.ts';
import type { Question } from './question.ts';

/** An item that a search or a retrieval found. */
export type Found =
  | { kind: 'note'; scored: Scored<RowOf<'note'>>; standing?: 'pinned' | 'named' | undefined }
  | { kind: 'turn'; scored: Scored<RowOf<'turn'>>; standing?: undefined }
  | { kind: 'fact'; scored: Scored<RowOf<'fact'>>; standing?: 'identity' | undefined };

/** Reads what was found as text, for one question: the messages of all turns are read at once. */
export function createPresenter(
  conversations: ConversationStore,
  question: Question,
  found: readonly Found[],
) {
  const turns = found.flatMap((one) => (one.kind === 'turn' ? [one.scored.row.id] : []));
  const messages = Map.groupBy(conversations.messagesOf(turns), (message) => message.turnId);
  const messagesOf = (id: TurnId): MessageRecord[] => messages.get(id) ?? [];

  // Wanted twice of each: for its excerpt, and to tell whether it says what another says.
  const texts = new Map<Found, string>();
  /** The whole item, as plain text. */
  const plainText = (found: Found): string => {
    const known = texts.get(found) ?? readText(found);
    texts.set(found, known);
    return known;
  };
  const readText = (found: Found): string => {
    if (found.kind === 'fact') return found.scored.row.content;
    return found.kind === 'note'
      ? toPlainText(found.scored.row.markdown)
      : textOfMessages(messagesOf(found.scored.row.id), '\n');
  };

  const excerpt = (found: Found, characters: number): Excerpt =>
    makeExcerpt(plainText(found), question.weights, characters);

  const toResult = (found: Found, { text, marks }: Excerpt): SearchResult => {
    const score = Number(found.scored.score.toFixed(4));
    if (found.kind === 'note') {
      const { id, vaultId, noteId, title, path, heading, modifiedAt } = found.scored.row;
      return {
        id,
        kind: 'note',
        score,
        vaultId,
        noteId,
        title,
        path,
        heading,
        createdAt: modifiedAt,
        excerpt: text,
        marks,
      };
    }
    if (found.kind === 'fact') {
      const { id, channel, createdAt } = found.scored.row;
      return {
        id,
        kind: 'fact',
        score,
        ...(channel === null ? {} : { channel }),
        createdAt,
        excerpt: text,
        marks,
      };
    }
    const { id, conversationId, channel, title, createdAt } = found.scored.row;
    const messageIds = messagesOf(id).map((message) => message.id);
    return {
      id,
      kind: 'turn',
      score,
      title,
      conversationId,
      channel,
      messageIds,
      createdAt,
      excerpt: text,
      marks,
    };
  };

  /**
   * A turn of which only questions are kept, since its answer was made of passages, or that says no more than what is asked
   * now: it tells nothing, and the passages that answered it are candidates themselves.
   */
  const isEcho = (found: Found): boolean => {
    if (found.kind !== 'turn') return false;
    const all = messagesOf(found.scored.row.id);
    const said = all.filter((message) => message.content !== '');
    if (!all.some((message) => message.version !== null) || said.some((message) => message.role !== 'user')) {
      return false;
    }
    const terms = found.scored.row.fields.body?.split(' ') ?? [];
    return (
      said.every((message) => message.content.trim().endsWith('?')) ||
      terms.every((term) => question.weights.has(term))
    );
  };

  return { plainText, excerpt, toResult, isEcho };
}

/** Best first; ties by id, so that two runs agree. */
export const byScore = (one: Found, other: Found): number =>
  other.scored.score - one.scored.score ||
  other.scored.fused - one.scored.fused ||
  (one.scored.row.id < other.scored.row.id ? -1 : 1);
