import { implement } from '@orpc/server';
import { serveThread } from '../support/serveThread.ts';
import { handOver } from '../support/threadMessages.ts';
import { BUILT_IN } from './embedder.ts';
import { type EmbedderCard, embedderContract, joinVectors } from './embedderContract.ts';
import { openTransformer, UnusableModel } from './transformer.ts';
import { openWordVectorEmbedder } from './wordVectorEmbedder.ts';

/** An embedder as it runs in this thread. */
export interface LocalEmbedder extends EmbedderCard {
  embed(kind: 'query' | 'passage', texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  dispose(): Promise<void>;
}

const closing = new AbortController();
const running = new Set<Promise<unknown>>();
let embedder: LocalEmbedder | null = null;

/** Remembers work that must end before the model is disposed of. */
function track<T>(work: Promise<T>): Promise<T> {
  const ended = () => running.delete(work);
  running.add(work);
  void work.then(ended, ended);
  return work;
}

async function open(setting: string): Promise<EmbedderCard | { problem: string }> {
  try {
    embedder = setting === BUILT_IN ? openWordVectorEmbedder() : await openTransformer(setting);
    const { id, dimensions, maxTokens, contextual } = embedder;
    return { id, dimensions, maxTokens, contextual };
  } catch (error) {
    if (!(error instanceof UnusableModel)) throw error;
    return { problem: error.message };
  }
}

const router = {
  open: implement(embedderContract.open).handler(({ input: { setting } }) => track(open(setting))),
  embed: implement(embedderContract.embed).handler(async ({ input: { kind, texts }, signal }) => {
    if (!embedder) throw new Error('embed before open');
    const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    return { values: handOver(joinVectors(await track(embedder.embed(kind, texts, stop)))) };
  }),
};

// ONNX must not be interrupted: the batches that run end, no other begins, the model is disposed of, and then nothing keeps
// the thread alive.
serveThread(router, () => {
  closing.abort();
  void Promise.allSettled(running).then(() => embedder?.dispose());
});
