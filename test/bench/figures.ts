import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BroadcastChannel } from 'node:worker_threads';
import { CHANNEL, type MemoryAnswer, type MemoryQuestion } from './memoryChannel.ts';

/** The value that so large a share of some values is below. */
export function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Bytes of all files of a folder and of those below it. */
export function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** All threads answer within it, on a machine that is not too busy. */
const ANSWERS_WITHIN_MS = 3_000;

/**
 * Memory in bytes once garbage was collected in every thread. `held` is what the threads' heaps and buffers hold, vectors and terms among
 * it; `resident` is all that the process has of the machine, SQLite and LanceDB included. Null without `memoryProbe.ts`.
 */
export async function measureMemory(): Promise<{ held: number; resident: number } | null> {
  if (!globalThis.gc) return null;
  const ask = Math.random();
  const bytesOf = new Map<number, number>();
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: { data: MemoryQuestion | MemoryAnswer }) => {
    if ('answer' in data && data.answer === ask) bytesOf.set(data.threadId, data.bytes);
  };
  channel.postMessage({ ask } satisfies MemoryQuestion);
  await delay(ANSWERS_WITHIN_MS);
  channel.close();
  const held = [...bytesOf.values()].reduce((sum, bytes) => sum + bytes, 0);
  return { held, resident: process.memoryUsage.rss() };
}
