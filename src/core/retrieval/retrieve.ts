import type {
  Candidate,
  ItemKind,
  Retrieval,
  SearchMode,
  SearchResult,
  SearchScope,
} from '../../shared/contract/retrieval.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import { type ConversationStore, type MessageRecord, textOfMessages } from '../storage/conversations.ts';
import type { FactStore } from '../storage/facts.ts';
import type { ChunkMatch, FactMatch, FullText, TurnMatch } from '../storage/fullText.ts';
import type { NoteStore } from '../storage/notes.ts';
import type { Clock } from '../support/clock.ts';
import { derivedId, sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { detectLanguage } from '../support/text/language.ts';
import { toPlainText } from '../support/text/plainText.ts';
import { estimateTokens } from '../support/text/tokens.ts';
import { formatContextBlock, toBlockItem } from './contextBlock.ts';
import { type Excerpt, makeExcerpt } from './excerpt.ts';
import { type Question, readQuestion } from './question.ts';
import { type Selectable, select } from './select.ts';
import { createTextSource, type Meaning, type Scored } from './textSource.ts';

/** Ids of what the next prompt carries, items of blocks and turns of messages, with the number of their turn. */
export type Carried = Map<string, number>;

export interface RetrieveRequest {
  text: string;
  conversationId?: ConversationId | undefined;
  carried?: Carried | undefined;
  /** The turn being answered: it is not a memory of itself. */
  exceptTurn?: TurnId | undefined;
  limit?: number | undefined;
  minScore?: number | undefined;
  noDeadline?: boolean | undefined;
}

export interface SearchRequest {
  text: string;
  mode: SearchMode;
  kinds?: readonly ItemKind[] | undefined;
  limit: number;
}

export interface RetrieverPorts {
  fullText: FullText;
  notes: NoteStore;
  conversations: ConversationStore;
  facts: FactStore;
  settings(): Settings;
  meaning: Meaning | null;
  /** Is a vault still being looked through? */
  indexing(): boolean;
  clock: Clock;
  log: Logger;
}

/** Characters of a passage that a turn is given. */
const CONTEXT_CHARACTERS = 500;
/** Characters of a search result. */
const RESULT_CHARACTERS = 200;
const SEARCHABLE: readonly ItemKind[] = ['note', 'turn', 'fact'];
const HOUR_MS = 3_600_000;
const NOTHING_CARRIED: Carried = new Map();
const MODES: readonly SearchMode[] = ['text', 'hybrid'];

type Found =
  | { kind: 'note'; scored: Scored<ChunkMatch> }
  | { kind: 'turn'; scored: Scored<TurnMatch> }
  | { kind: 'fact'; scored: Scored<FactMatch> };

export type Retriever = ReturnType<typeof createRetriever>;

export function createRetriever(ports: RetrieverPorts) {
  const { fullText, notes, conversations, clock, log } = ports;
  const source = createTextSource(fullText, ports.meaning);
  const wordsAlone = createTextSource(fullText, null);

  const scope = (exceptTurn?: TurnId): SearchScope => {
    const counts = notes.counts();
    return {
      notesIndexed: counts.indexed,
      notesTotal: counts.indexed + counts.pending,
      turns: conversations.countTurns() - (exceptTurn === undefined ? 0 : 1),
      indexing: ports.indexing(),
    };
  };

  // Messages of the turns of one retrieval: looked at for the text, the echo and the result.
  let messages = new Map<TurnId, MessageRecord[]>();
  const messagesOf = (id: TurnId): MessageRecord[] => {
    let known = messages.get(id);
    if (!known) {
      known = conversations.messages(id);
      messages.set(id, known);
    }
    return known;
  };

  const plainTurn = (turn: TurnMatch): string => textOfMessages(messagesOf(turn.id), '\n');

  const plainText = (found: Found): string => {
    if (found.kind === 'fact') return found.scored.row.content;
    return found.kind === 'note' ? toPlainText(found.scored.row.markdown) : plainTurn(found.scored.row);
  };

  const excerptOf = (found: Found, question: Question, characters: number): Excerpt =>
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
      const { id, createdAt } = found.scored.row;
      return { id, kind: 'fact', score, createdAt, excerpt: text, marks };
    }
    const { id, conversationId, title, createdAt } = found.scored.row;
    const messageIds = messagesOf(id).map((message) => message.id);
    return { id, kind: 'turn', score, title, conversationId, messageIds, createdAt, excerpt: text, marks };
  };

  const byScore = (one: Found, other: Found) =>
    other.scored.score - one.scored.score || (one.scored.row.id < other.scored.row.id ? -1 : 1);

  /**
   * A turn of which only questions are kept, since its answer was made of passages, or that says no more than what is asked
   * now: it tells nothing, and the passages that answered it are candidates themselves.
   */
  const isEcho = (found: Found, question: Question): boolean => {
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

  const collect = (
    question: Question,
    request: RetrieveRequest,
    settings: Settings,
    startedAt: number,
  ): { found: Found[]; skipped: Retrieval['skipped'] } => {
    const skipped: Retrieval['skipped'] = [];
    const found: Found[] = [];
    const limit = Math.max(settings.candidatesPerSource, request.limit ?? 0);
    const now = clock.now();
    const sources: Record<string, () => Found[]> = {
      facts: () => {
        const always = ports.facts.standing({
          now,
          importanceFloor: settings.importanceFloor,
          since: now - settings.recentHours * HOUR_MS,
          limit: settings.maxInjected,
        });
        return source
          .facts(question, limit, always)
          .filter(({ row }) => row.turnId === null || row.turnId !== request.exceptTurn)
          .map((scored) => ({ kind: 'fact', scored }));
      },
      notes: () => source.notes(question, limit).map((scored) => ({ kind: 'note', scored })),
      turns: () =>
        source
          .turns(question, limit)
          .filter((scored) => scored.row.id !== request.exceptTurn)
          .map((scored) => ({ kind: 'turn', scored })),
    };
    for (const [name, run] of Object.entries(sources)) {
      const elapsedMs = performance.now() - startedAt;
      if (!request.noDeadline && elapsedMs > settings.timeoutMs) {
        skipped.push({
          source: name,
          because: `late: ${Math.round(elapsedMs)} ms of ${settings.timeoutMs} were used`,
        });
        log.warn({ source: name, elapsedMs }, 'retrieval source skipped: late');
        continue;
      }
      try {
        found.push(...run());
      } catch (error) {
        const because =
          error instanceof AppError ? error.code : ((error as { code?: string }).code ?? 'INTERNAL');
        skipped.push({ source: name, because: `failed: ${because}` });
        log.error({ source: name, err: error }, 'retrieval source failed');
      }
    }
    return { found: found.sort(byScore), skipped };
  };

  return {
    /** What the next turn would be given for `text`. Reads only. */
    retrieve: (request: RetrieveRequest): Retrieval => {
      const startedAt = performance.now();
      messages = new Map();
      const settings = ports.settings();
      const question = readQuestion(request.text);
      const { found, skipped } = collect(question, request, settings, startedAt);
      const textDone = performance.now();

      const excerpts = found.map((one) => excerptOf(one, question, CONTEXT_CHARACTERS));
      const results = found.map((one, index) => toResult(one, excerpts[index] as Excerpt));
      const excerptsDone = performance.now();

      const decisions = select(
        found.map(
          (one, index): Selectable => ({
            id: one.scored.row.id,
            kind: one.kind,
            score: one.scored.score,
            tokens: estimateTokens(results[index]?.excerpt ?? ''),
            textHash: one.kind === 'note' ? one.scored.row.textHash : sha256(results[index]?.excerpt ?? ''),
            echo: isEcho(one, question),
            standing: one.kind === 'fact' && one.scored.row.kind === 'identity',
            expired:
              one.kind === 'fact' && (one.scored.row.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now(),
            originTurn: one.kind === 'fact' ? one.scored.row.turnId : null,
          }),
        ),
        {
          minScore: request.minScore ?? settings.minScore,
          maxResults: request.limit ?? settings.maxResults,
          maxInjected: settings.maxInjected,
          tokenBudget: settings.tokenBudget,
          carried: request.carried ?? NOTHING_CARRIED,
        },
      );
      const candidates = results.map((result): Candidate => {
        const { verdict, because } = decisions.get(result.id) as {
          verdict: Candidate['verdict'];
          because: string;
        };
        return { ...result, verdict, because, tokens: estimateTokens(result.excerpt) };
      });
      const block = formatContextBlock(
        candidates
          .filter((candidate) => candidate.verdict === 'injected')
          .map((candidate) => toBlockItem(candidate, clock.now())),
        {
          language: detectLanguage(request.text, 'en'),
          now: clock.now(),
          marker: derivedId('q', request.text, ...candidates.map((candidate) => candidate.excerpt)).slice(
            0,
            12,
          ),
        },
      );
      const now = performance.now();
      return {
        candidates,
        block,
        tokens: estimateTokens(block),
        timingsMs: {
          text: textDone - startedAt,
          excerpts: excerptsDone - textDone,
          select: now - excerptsDone,
          total: now - startedAt,
        },
        skipped,
        scope: scope(request.exceptTurn),
      };
    },

    /**
     * Searches by words alone (`text`), or by words and meaning (`hybrid`).
     * @throws AppError MODE_UNAVAILABLE, KIND_UNAVAILABLE
     */
    search: (request: SearchRequest): SearchResult[] => {
      if (!MODES.includes(request.mode)) {
        throw new AppError('MODE_UNAVAILABLE', { mode: request.mode, available: MODES.join(', ') });
      }
      for (const kind of request.kinds ?? []) {
        if (!SEARCHABLE.includes(kind))
          throw new AppError('KIND_UNAVAILABLE', { kind, available: SEARCHABLE.join(', ') });
      }
      messages = new Map();
      const kinds = new Set(request.kinds ?? SEARCHABLE);
      const question = readQuestion(request.text);
      const by = request.mode === 'text' ? wordsAlone : source;
      const found: Found[] = [];
      if (kinds.has('note')) {
        found.push(...by.notes(question, request.limit).map((scored): Found => ({ kind: 'note', scored })));
      }
      if (kinds.has('fact')) {
        found.push(
          ...by.facts(question, request.limit, []).map((scored): Found => ({ kind: 'fact', scored })),
        );
      }
      if (kinds.has('turn')) {
        found.push(...by.turns(question, request.limit).map((scored): Found => ({ kind: 'turn', scored })));
      }
      return found
        .sort(byScore)
        .slice(0, request.limit)
        .map((one) => toResult(one, excerptOf(one, question, RESULT_CHARACTERS)));
    },
  };
}
