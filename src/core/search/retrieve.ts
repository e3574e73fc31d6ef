import type { SkippedSource } from '../../shared/contract/reasons.ts';
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
import type { SearchableVectors } from '../embedding/vectorMirror.ts';
import { dot } from '../embedding/wordVectors.ts';
import { isKind, KINDS } from '../items/index.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { FactStore } from '../storage/facts.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { Clock } from '../support/clock.ts';
import { derivedId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { detectLanguage } from '../support/text/language.ts';
import { estimateTokens } from '../support/text/tokens.ts';
import { type Asked, createCandidateSource, type Meaning } from './candidateSource.ts';
import { collect, Late, skipReason } from './collect.ts';
import { formatContextBlock, toBlockItem } from './contextBlock.ts';
import type { Finding, Findings } from './findings.ts';
import type { FullText } from './fullText.ts';
import type { NameStore } from './names.ts';
import { byScore, createPresenter, type Found } from './present.ts';
import { type Question, readQuestion } from './question.ts';
import { createDiffers } from './sameness.ts';
import { type Comparable, type SelectionRules, select } from './select.ts';
import { type CarriedText, createSemanticBuffer } from './semanticBuffer.ts';

/** What the next prompt of a conversation carries: a pure function of that prompt. */
export interface Carried {
  /** Items of blocks and turns whose messages stand there, with the number of their turn. */
  ids: ReadonlyMap<string, number>;
  /** The same as texts, the oldest first. */
  texts: readonly CarriedText[];
}

export interface RetrieveRequest {
  text: string;
  conversationId?: ConversationId | undefined;
  carried?: Carried | undefined;
  /** The turn being answered: it is not a memory of itself. */
  exceptTurn?: TurnId | undefined;
  limit?: number | undefined;
  minScore?: number | undefined;
  noDeadline?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface SearchRequest {
  text: string;
  mode: SearchMode;
  kinds?: readonly ItemKind[] | undefined;
  channel?: string | undefined;
  limit: number;
}

export interface RetrieverPorts {
  fullText: FullText;
  notes: NoteStore;
  conversations: ConversationStore;
  facts: FactStore;
  names: NameStore;
  settings(): Settings;
  meaning: Meaning | null;
  /** Null while they are being opened, or where there are none. */
  vectors(): SearchableVectors | null;
  /** Is a vault still being looked through? */
  indexing(): boolean;
  clock: Clock;
  log: Logger;
}

/** Characters of a passage that a turn is given. */
const CONTEXT_CHARACTERS = 500;
/** Characters of a search result. */
const RESULT_CHARACTERS = 200;
const NOTHING_CARRIED: Carried = { ids: new Map(), texts: [] };
/** Of the deadline, what the embedder may use: the text's share is left for the text. */
const EMBEDDING_SHARE = 0.6;

export type Retriever = ReturnType<typeof createRetriever>;

export function createRetriever(ports: RetrieverPorts) {
  const { fullText, notes, conversations, clock, log, names } = ports;
  const source = createCandidateSource(fullText, ports.meaning, names.others);
  const wordsAlone = createCandidateSource(fullText, null);
  const semanticBuffer = createSemanticBuffer();
  const differs = createDiffers(ports.meaning?.lexicon ?? null);

  const scope = (exceptTurn?: TurnId): SearchScope => {
    const counts = notes.countIndexed();
    return {
      notesIndexed: counts.indexed,
      notesTotal: counts.indexed + counts.pending,
      turns: conversations.countTurns() - (exceptTurn === undefined ? 0 : 1),
      indexing: ports.indexing(),
    };
  };

  const ask = async (text: string, serving: SearchableVectors, signal?: AbortSignal): Promise<Asked> => {
    const { embedder, vectors, scale, similarity } = serving;
    const vector = await embedder.embedQuery(text, signal);
    if (vector.length !== vectors.dimensions || !vector.every(Number.isFinite)) {
      throw new AppError('EMBEDDER_FAILED', { reason: 'its vectors make no sense' });
    }
    return { vector, vectors, scale, similarity, contextual: embedder.contextual };
  };

  /** Of two texts that differ in a number, a date, a name or a negation none stands for the other, however alike they read. */
  const similarityBy = (serving: SearchableVectors | null, threshold: number) => {
    return (one: Comparable, other: Comparable): number => {
      if (!serving || !one.vector || !other.vector) return 0;
      const alike = serving.similarity(dot(one.vector, other.vector));
      return alike > threshold && differs(one.text, other.text) ? threshold : alike;
    };
  };

  const rulesOf = (
    request: RetrieveRequest,
    settings: Settings,
  ): Omit<SelectionRules, 'buffer' | 'similarity'> => ({
    minScore: request.minScore ?? settings.minScore,
    maxResults: request.limit ?? settings.maxResults,
    maxInjected: settings.maxInjected,
    tokenBudget: settings.tokenBudget,
    dedupThreshold: settings.dedupThreshold,
    carried: (request.carried ?? NOTHING_CARRIED).ids,
  });

  /** The question's vector, within its share of the deadline; if it is missing, `skipped` says why. */
  const embedQuestion = async (request: RetrieveRequest, settings: Settings, skipped: SkippedSource[]) => {
    const none = { serving: null, asked: null };
    const serving = ports.vectors();
    if (!serving) {
      skipped.push({ source: 'vectors', reason: { code: 'not-ready', figures: {} } });
      return none;
    }
    const limitMs = settings.timeoutMs * EMBEDDING_SHARE;
    const signals = [
      request.signal,
      request.noDeadline ? undefined : AbortSignal.timeout(Math.max(1, Math.round(limitMs))),
    ].filter((signal) => signal !== undefined);
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined;
    try {
      return { serving, asked: await ask(request.text, serving, signal) };
    } catch (error) {
      request.signal?.throwIfAborted();
      const late = signal?.aborted ? new Late(limitMs, Math.round(limitMs)) : error;
      skipped.push({ source: 'vectors', reason: skipReason(late) });
      log.warn({ source: 'vectors', err: error }, 'retrieval source skipped');
      return none;
    }
  };

  const conversationOf = (id: ConversationId | undefined) => {
    const row = id === undefined ? undefined : conversations.get(id);
    return row ? { id: row.id, channel: row.channel } : null;
  };

  /**
   * What every source finds for a question, not judged yet. Reads only.
   * @throws the reason of the request's signal if it was aborted
   */
  const find = async (request: RetrieveRequest): Promise<Findings> => {
    const startedAt = performance.now();
    const settings = ports.settings();
    const question = readQuestion(request.text, clock.now());
    const skipped: SkippedSource[] = [];
    const { serving, asked } = await embedQuestion(request, settings, skipped);
    const embedded = performance.now();
    const collected = collect(
      source,
      {
        question,
        asked,
        settings,
        limit: Math.max(settings.candidatesPerSource, request.limit ?? 0),
        now: clock.now(),
        conversation: conversationOf(request.conversationId),
        exceptTurn: request.exceptTurn,
        inTime: () => {
          const elapsedMs = performance.now() - startedAt;
          if (!request.noDeadline && elapsedMs > settings.timeoutMs) {
            throw new Late(elapsedMs, settings.timeoutMs);
          }
        },
      },
      { fullText, facts: ports.facts, names, log },
    );
    const { found } = collected;
    skipped.push(...collected.skipped);
    const searched = performance.now();
    const present = createPresenter(conversations, question, found);
    const items = found.map((one): Finding => {
      const excerpt = present.excerpt(one, CONTEXT_CHARACTERS);
      const { id } = one.scored.row;
      return {
        result: present.toResult(one, excerpt),
        text: present.plainText(one),
        span: excerpt.span,
        vector: serving?.vectors.vector(one.kind, id) ?? null,
        always: one.standing ?? null,
        expired: one.kind === 'fact' && (one.scored.row.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now(),
        originTurn: one.kind === 'fact' ? one.scored.row.turnId : null,
        onlyAsks: present.isEcho(one),
      };
    });
    const excerpted = performance.now();
    return {
      items,
      skipped,
      timingsMs: {
        embed: embedded - startedAt,
        search: searched - embedded,
        excerpts: excerpted - searched,
      },
      scope: scope(request.exceptTurn),
    };
  };

  /** Vectors of what the prompt carries; without them, only equal texts are seen to say the same. */
  const embedCarried = async (request: RetrieveRequest, settings: Settings) => {
    const serving = ports.vectors();
    const { texts } = request.carried ?? NOTHING_CARRIED;
    if (!serving) return texts.map((one) => ({ ...one, vector: undefined }));
    try {
      return await semanticBuffer.embed(texts, {
        limit: settings.semanticBuffer,
        embedder: serving.embedder,
        signal: request.signal,
      });
    } catch (error) {
      request.signal?.throwIfAborted();
      log.warn({ err: error }, 'what the prompt carries is compared by its words alone');
      return texts.map((one) => ({ ...one, vector: undefined }));
    }
  };

  return {
    find,
    /**
     * What the next turn would be given for `text`. Reads only.
     * @throws the request's signal's reason, where it was aborted
     */
    retrieve: async (request: RetrieveRequest): Promise<Retrieval> => {
      const startedAt = performance.now();
      const settings = ports.settings();
      const { items, skipped, timingsMs, scope } = await find(request);
      const found = performance.now();
      const toSelectable = ({ result, text, vector, always, expired, originTurn, onlyAsks }: Finding) => ({
        id: result.id,
        kind: result.kind,
        score: result.score,
        tokens: estimateTokens(result.excerpt),
        text,
        vector: vector ?? undefined,
        echo: onlyAsks,
        standing: always,
        expired,
        originTurn,
      });
      const decisions = select(items.map(toSelectable), {
        ...rulesOf(request, settings),
        buffer: await embedCarried(request, settings),
        similarity: similarityBy(ports.vectors(), settings.dedupThreshold),
      });
      const candidates = items.map(({ result }): Candidate => {
        const decision = decisions.get(result.id);
        if (!decision) throw new Error('a candidate without a verdict');
        return { ...result, ...decision, tokens: estimateTokens(result.excerpt) };
      });
      const block = formatContextBlock(
        candidates
          .filter((candidate) => candidate.verdict === 'injected')
          .map((candidate) => toBlockItem(candidate, clock.now())),
        {
          language: detectLanguage(request.text, 'en'),
          now: clock.now(),
          marker: derivedId('q', request.text, ...candidates.map(({ excerpt }) => excerpt)).slice(0, 12),
        },
      );
      const now = performance.now();
      return {
        candidates,
        block,
        tokens: estimateTokens(block),
        timingsMs: { ...timingsMs, select: now - found, total: now - startedAt },
        skipped,
        scope,
      };
    },

    /**
     * Searches by words alone (`text`), by meaning alone (`semantic`), or by both (`hybrid`).
     * @throws AppError MODE_UNAVAILABLE where there are no vectors, KIND_UNAVAILABLE
     */
    search: async ({ text, mode, kinds, channel, limit }: SearchRequest): Promise<SearchResult[]> => {
      for (const kind of kinds ?? []) {
        if (!isKind(kind)) throw new AppError('KIND_UNAVAILABLE', { kind, available: KINDS.join(', ') });
      }
      const serving = ports.vectors();
      if (!serving && mode === 'semantic') {
        throw new AppError('MODE_UNAVAILABLE', { mode, available: 'text, hybrid' });
      }
      const question: Question = readQuestion(text, clock.now());
      const asked = serving && mode !== 'text' ? await ask(text, serving) : null;
      const by = { text: wordsAlone, semantic: source.alike, hybrid: source }[mode];
      const options = { limit, asked, now: clock.now() };
      const found = KINDS.filter((kind) => !kinds || kinds.includes(kind)).flatMap((kind): Found[] => {
        const within = channel === undefined ? null : fullText.rowsOf(kind, { channel });
        // What belongs to no conversation belongs to no channel.
        if (channel !== undefined && within === null) return [];
        return by.search(kind, question, { ...options, within }).map((scored) => ({ kind, scored }) as Found);
      });
      const best = found.sort(byScore).slice(0, limit);
      const present = createPresenter(conversations, question, best);
      return best.map((one) => present.toResult(one, present.excerpt(one, RESULT_CHARACTERS)));
    },
  };
}
