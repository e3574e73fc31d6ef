import { AppError } from '../../shared/errors.ts';
import { sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { WorkerThread } from '../support/workerThread.ts';
import { workerUrl } from '../support/workerUrl.ts';
import { type EmbedderCard, type embedderContract, splitVectors } from './embedderContract.ts';

type EmbedderThread = WorkerThread<typeof embedderContract>;

/** Makes vectors of texts, all of unit length, or all zeros if the text has no words. */
export interface Embedder extends EmbedderCard {
  /** @throws AppError EMBEDDER_FAILED; the signal's reason if it was aborted */
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array>;
  /** One vector for each text, in the same order. @throws as `embedQuery` */
  embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** Aborted once the embedder cannot be asked any more: it was closed, or its thread ended. */
  readonly ended: AbortSignal;
  /** Waits for running calls, then ends the thread. */
  close(): Promise<void>;
}

/**
 * Starts the embedder that a setting names.
 * @throws AppError EMBEDDER_UNUSABLE if the folder has no model that can be used; the signal's reason if it was aborted
 */
export type StartEmbedder = (setting: string, log: Logger, signal?: AbortSignal) => Promise<Embedder>;

/** The value of the setting `embedder` for the built-in one; any other value is the folder of a model. */
export const BUILT_IN = 'built-in';

/** Query vectors that are kept: of 64 dimensions, 0.3 MB. */
const CACHE_SIZE = 1_000;
/** A large model takes this long to load from a slow disk. */
const OPEN_DEADLINE_MS = 120_000;

/** Starts an embedder in a thread of its own. */
export const startEmbedder: StartEmbedder = async (setting, log, signal) => {
  const thread: EmbedderThread = new WorkerThread({
    entry: workerUrl(import.meta.url, 'embedderWorker'),
    name: 'embedder',
    log,
    failure: (reason) => new AppError('EMBEDDER_FAILED', { reason }),
    interruptible: false,
  });
  try {
    return embedderOn(thread, await open(thread, setting, signal));
  } catch (error) {
    await thread.close();
    throw error;
  }
};

async function open(thread: EmbedderThread, setting: string, signal?: AbortSignal): Promise<EmbedderCard> {
  const unusable = (reason: string, cause?: unknown) =>
    new AppError('EMBEDDER_UNUSABLE', { path: setting, reason }, { cause });
  let opened: EmbedderCard | { problem: string };
  try {
    opened = await thread.call(
      (client, both) => client.open({ setting }, { signal: both }),
      signal,
      AbortSignal.timeout(OPEN_DEADLINE_MS),
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw unusable((error as Error).message, error);
  }
  if ('problem' in opened) throw unusable(opened.problem);
  return opened;
}

function embedderOn(thread: EmbedderThread, card: EmbedderCard): Embedder {
  const embed = async (kind: 'query' | 'passage', texts: readonly string[], signal?: AbortSignal) => {
    try {
      const { values } = await thread.call(
        (client, both) => client.embed({ kind, texts: [...texts] }, { signal: both }),
        signal,
      );
      return splitVectors(values, card.dimensions);
    } catch (error) {
      if (error instanceof AppError || signal?.aborted) throw error;
      throw new AppError('EMBEDDER_FAILED', { reason: (error as Error).name }, { cause: error });
    }
  };
  const cache = new Map<string, Float32Array>();
  return {
    ...card,
    embedQuery: async (text, signal) => {
      const key = sha256(text);
      const known = cache.get(key);
      if (known) return known;
      const [vector] = (await embed('query', [text], signal)) as [Float32Array];
      if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value as string);
      cache.set(key, vector);
      return vector;
    },
    embedPassages: (texts, signal) => embed('passage', texts, signal),
    ended: thread.ended,
    close: () => thread.close(),
  };
}
