import type { SkippedSource } from '../../shared/contract/reasons.ts';
import type {
  Candidate,
  ItemKind,
  Retrieval,
  SearchMode,
  SearchResult,
} from '../../shared/contract/retrieval.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Serving } from '../embedding/vectorIndexer.ts';
import { dot } from '../embedding/wordVectors.ts';
import { isKind, KINDS } from '../items/index.ts';
import { type Clock, monotonicMs } from '../support/clock.ts';
import { derivedId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { detectLanguage } from '../support/text/language.ts';
import { estimateTokens } from '../support/text/tokens.ts';
import { formatContextBlock, toBlockItem } from './contextBlock.ts';
import type { EmbeddedQuestion, FindTask, SearchEngine } from './engine.ts';
import { byScore, type Finding, type Findings, type ItemRef, type RankedFinding } from './findings.ts';
import type { Lexicon } from './lexical/lexicon.ts';
import { createDiffers } from './sameness.ts';
import { type Comparable, type SelectionRules, select } from './select.ts';
import { type CarriedText, createSemanticBuffer } from './semanticBuffer.ts';
import { Late, skipReason } from './skipped.ts';

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
  /** Items whose stored vectors are asked for beside what is found. */
  vectorsOf?: readonly ItemRef[] | undefined;
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
  engine: SearchEngine;
  settings(): Settings;
  lexicon: Lexicon;
  /** Null while the vectors are being opened, or if there are none. */
  serving(): Serving | null;
  /** Is a vault still being looked through? */
  indexing(): boolean;
  clock: Clock;
  log: Logger;
}

const NOTHING_CARRIED: Carried = { ids: new Map(), texts: [] };
/** The embedder's share of the deadline; the rest is left for the search. */
const EMBEDDING_SHARE = 0.6;

export type Retriever = ReturnType<typeof createRetriever>;

async function embedQuestion(
  text: string,
  { embedder, fingerprint }: Serving,
  signal?: AbortSignal,
): Promise<EmbeddedQuestion> {
  const values = await embedder.embedQuery(text, signal);
  if (values.length !== embedder.dimensions || !values.every(Number.isFinite)) {
    throw new AppError('EMBEDDER_FAILED', { reason: 'its vectors make no sense' });
  }
  return { fingerprint, values, contextual: embedder.contextual };
}

export function createRetriever(ports: RetrieverPorts) {
  const { engine, clock, log } = ports;
  const semanticBuffer = createSemanticBuffer();
  const differs = createDiffers(ports.lexicon);

  /** Of two texts that differ in a number, a date, a name or a negation none stands for the other, however alike they read. */
  const similarityBy = (serving: Serving | null, threshold: number) => {
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
  const embedInTime = async (request: RetrieveRequest, settings: Settings, skipped: SkippedSource[]) => {
    const serving = ports.serving();
    if (!serving) {
      skipped.push({ source: 'vectors', reason: { code: 'not-ready', figures: {} } });
      return null;
    }
    const limitMs = settings.timeoutMs * EMBEDDING_SHARE;
    const signals = [
      request.signal,
      request.noDeadline ? undefined : AbortSignal.timeout(Math.max(1, Math.round(limitMs))),
    ].filter((signal) => signal !== undefined);
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined;
    try {
      return await embedQuestion(request.text, serving, signal);
    } catch (error) {
      request.signal?.throwIfAborted();
      const late = signal?.aborted ? new Late(limitMs, Math.round(limitMs)) : error;
      skipped.push({ source: 'vectors', reason: skipReason(late) });
      log.warn({ source: 'vectors', err: error }, 'retrieval source skipped');
      return null;
    }
  };

  /**
   * What every source finds for a question, not judged yet. Reads only.
   * @throws the reason of the request's signal if it was aborted
   */
  const find = async (request: RetrieveRequest): Promise<Findings> => {
    const startedAt = monotonicMs();
    const settings = ports.settings();
    const skipped: SkippedSource[] = [];
    const query = await embedInTime(request, settings, skipped);
    const embedded = monotonicMs();
    const task: FindTask = {
      text: request.text,
      now: clock.now(),
      settings,
      limit: Math.max(settings.candidatesPerSource, request.limit ?? 0),
      conversationId: request.conversationId,
      exceptTurn: request.exceptTurn,
      vectorsOf: request.vectorsOf ?? [],
      query,
      deadline: request.noDeadline ? null : { startedAt, limitMs: settings.timeoutMs },
    };
    const found: RankedFinding[] = [];
    const timingsMs = { embed: embedded - startedAt, search: 0, excerpts: 0 };
    for (const part of engine.find(task)) {
      const { source } = part;
      if ('reason' in part) {
        const { reason, error } = part;
        skipped.push({ source, reason });
        log[reason.code === 'late' ? 'warn' : 'error']({ source, reason, error }, 'retrieval source skipped');
        continue;
      }
      found.push(...part.items);
      timingsMs.search += part.timingsMs.search;
      timingsMs.excerpts += part.timingsMs.excerpts;
    }
    const { scope, ...context } = engine.context(task);
    return {
      ...context,
      items: found.sort(byScore).map(({ finding }) => finding),
      skipped,
      timingsMs,
      scope: { ...scope, indexing: ports.indexing() },
    };
  };

  /** Vectors of what the prompt carries; without them, only equal texts are seen to say the same. */
  const embedCarried = async (request: RetrieveRequest, settings: Settings) => {
    const serving = ports.serving();
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
        similarity: similarityBy(ports.serving(), settings.dedupThreshold),
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
      const serving = ports.serving();
      if (!serving && mode === 'semantic') {
        throw new AppError('MODE_UNAVAILABLE', { mode, available: 'text, hybrid' });
      }
      const query = serving && mode !== 'text' ? await embedQuestion(text, serving) : null;
      return engine.search({ text, now: clock.now(), mode, kinds, channel, limit, query });
    },
  };
}
