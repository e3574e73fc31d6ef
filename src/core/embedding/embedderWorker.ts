import { type MessagePort, workerData } from 'node:worker_threads';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { BUILT_IN } from './embedder.ts';
import { type EmbedderCard, embedderContract, encodeVectors } from './embedderContract.ts';
import { openTransformer, UnusableModel } from './transformer.ts';
import { openWordVectorEmbedder } from './wordVectorEmbedder.ts';

/** An embedder as it runs in this thread. */
export interface LocalEmbedder extends EmbedderCard {
  embed(kind: 'query' | 'passage', texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  dispose(): Promise<void>;
}

const { port } = workerData as { port: MessagePort };
let embedder: LocalEmbedder | null = null;
let last: Promise<unknown> = Promise.resolve();

const router = {
  open: implement(embedderContract.open).handler(async ({ input: { setting } }) => {
    try {
      embedder = setting === BUILT_IN ? openWordVectorEmbedder() : await openTransformer(setting);
      const { id, dimensions, maxTokens, contextual } = embedder;
      return { id, dimensions, maxTokens, contextual };
    } catch (error) {
      if (!(error instanceof UnusableModel)) throw error;
      return { problem: error.message };
    }
  }),
  embed: implement(embedderContract.embed).handler(async ({ input: { kind, texts }, signal }) => {
    if (!embedder) throw new Error('embed before open');
    const work = embedder.embed(kind, texts, signal);
    last = work;
    return { vectors: encodeVectors(await work) };
  }),
};

new RPCHandler(router).upgrade(port);
port.start();
// Native inference must not be cut: what runs ends, then the model goes, then the thread has nothing left to do.
port.once('close', () => {
  void Promise.allSettled([last]).then(() => embedder?.dispose());
});
