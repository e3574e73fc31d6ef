import type { SkippedSource } from '../../shared/contract/reasons.ts';
import type { ItemKind, SearchMode, SearchResult } from '../../shared/contract/retrieval.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Serving } from '../embedding/vectorIndexer.ts';
import { isKind, KINDS } from '../items/index.ts';
import { type Clock, monotonicMs } from '../support/clock.ts';
import type { Logger } from '../support/logger.ts';
import type { EmbeddedQuestion, FindTask, SearchEngine } from './engine.ts';
import { byScore, type Findings, type ItemRef, type RankedFinding } from './findings.ts';
import { Late, skipReason } from './skipped.ts';

export interface FindRequest {
  text: string;
  conversationId?: ConversationId | undefined;
  /** The turn being answered: it is not a memory of itself. */
  exceptTurn?: TurnId | undefined;
  limit?: number | undefined;
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
  /** Null while the vectors are being opened, or if there are none. */
  serving(): Serving | null;
  /** Is a vault still being looked through? */
  indexing(): boolean;
  clock: Clock;
  log: Logger;
}

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

  /** The question's vector, within its share of the deadline; if it is missing, `skipped` says why. */
  const embedInTime = async (request: FindRequest, settings: Settings, skipped: SkippedSource[]) => {
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
  const find = async (request: FindRequest): Promise<Findings> => {
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

  return {
    find,

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
