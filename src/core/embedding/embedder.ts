import { MessageChannel, Worker } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { AppError } from '../../shared/errors.ts';
import { sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { workerUrl } from '../support/workerUrl.ts';
import { decodeVectors, type EmbedderCard, type embedderContract } from './embedderContract.ts';

/** Makes vectors of texts, all of unit length (or all zeros, where a text says nothing). */
export interface Embedder extends EmbedderCard {
  /** @throws AppError EMBEDDER_FAILED; the signal's reason where it was aborted */
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array>;
  /** In the order of the texts. Same errors. */
  embedPassages(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** False once its thread has ended: another one is to be started. */
  alive(): boolean;
  /** Lets running work end, then ends the thread. */
  close(): Promise<void>;
}

/** The setting that names the built-in embedder; any other value is a folder that holds a model. */
export const BUILT_IN = 'built-in';

/** Vectors of this many questions and messages are kept: of 64 dimensions, 0.3 MB. */
const CACHE_SIZE = 1_000;
/** A large model takes this long to load from a slow disk. */
const OPEN_DEADLINE_MS = 120_000;
/** A thread that does not end by itself in this time is ended. */
const CLOSE_DEADLINE_MS = 5_000;

/**
 * Starts the embedder that a setting names, in a thread of its own.
 * @throws AppError EMBEDDER_UNUSABLE where the folder holds no model that can be used
 */
export async function startEmbedder(setting: string, log: Logger): Promise<Embedder> {
  const { port1: port, port2 } = new MessageChannel();
  const worker = new Worker(workerUrl(import.meta.url, 'embedderWorker'), {
    workerData: { port: port2 },
    transferList: [port2],
  });
  const client: ContractRouterClient<typeof embedderContract> = createORPCClient(new RPCLink({ port }));
  port.start();
  port.unref();
  worker.unref();
  let waiting = 0;
  const gone = new AbortController();
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      gone.abort(new AppError('EMBEDDER_FAILED', { reason: 'the thread ended' }));
      resolve();
    });
  });
  worker.once('error', (error) => {
    log.error({ err: error }, 'embedder thread failed');
    gone.abort(new AppError('EMBEDDER_FAILED', { reason: error.name }));
  });

  const close = async (): Promise<void> => {
    port.close();
    const timer = setTimeout(() => void worker.terminate(), CLOSE_DEADLINE_MS);
    worker.ref();
    await exited;
    clearTimeout(timer);
  };

  /** A call that ends when the thread does: on a closed port it would hang for ever. */
  const call = async <T>(
    work: (signal: AbortSignal) => Promise<T>,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<T> => {
    const signal = AbortSignal.any([gone.signal, ...signals.filter((one) => one !== undefined)]);
    signal.throwIfAborted();
    // The process stays alive for answers that somebody waits for, and for nothing else.
    waiting += 1;
    worker.ref();
    try {
      return await Promise.race([
        work(signal),
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        }),
      ]);
    } finally {
      waiting -= 1;
      if (waiting === 0) worker.unref();
    }
  };

  const opened = await call(
    (signal) => client.open({ setting }, { signal }),
    [AbortSignal.timeout(OPEN_DEADLINE_MS)],
  ).catch(async (error: unknown) => {
    await close();
    throw new AppError(
      'EMBEDDER_UNUSABLE',
      { path: setting, reason: (error as Error).message },
      { cause: error },
    );
  });
  if ('problem' in opened) {
    await close();
    throw new AppError('EMBEDDER_UNUSABLE', { path: setting, reason: opened.problem });
  }

  const embed = async (
    kind: 'query' | 'passage',
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> => {
    try {
      const { vectors } = await call(
        (both) => client.embed({ kind, texts: [...texts] }, { signal: both }),
        [signal],
      );
      return decodeVectors(vectors, opened.dimensions);
    } catch (error) {
      if (error instanceof AppError || signal?.aborted) throw error;
      throw new AppError('EMBEDDER_FAILED', { reason: (error as Error).name }, { cause: error });
    }
  };

  const cache = new Map<string, Float32Array>();
  return {
    ...opened,
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
    alive: () => !gone.signal.aborted,
    close,
  };
}
