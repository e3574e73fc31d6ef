import { BroadcastChannel, threadId } from 'node:worker_threads';
import { CHANNEL, type MemoryAnswer, type MemoryQuestion } from './memoryChannel.ts';

// To be loaded in every thread, with `--expose-gc --import`: tells how much memory the thread holds whenever `measureMemory` asks.
const channel = new BroadcastChannel(CHANNEL) as BroadcastChannel & { unref(): void };
channel.onmessage = ({ data }: { data: MemoryQuestion | MemoryAnswer }) => {
  if (!('ask' in data)) return;
  // What the first collection lets go of may free more.
  for (let pass = 0; pass < 2; pass += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  channel.postMessage({ answer: data.ask, threadId, bytes: heapUsed + external } satisfies MemoryAnswer);
};
channel.unref();
