import type { Logger } from '../support/logger.ts';
import type { StartEmbedder } from './embedder.ts';
import { fingerprintOf, type LiveIndex } from './liveIndex.ts';

export interface RestartPorts {
  startEmbedder: StartEmbedder;
  log: Logger;
}

/**
 * Gives an index a new embedder in place of the one that ended. Returns false if none can be started, or if the new one makes other
 * vectors, because its folder changed; it is closed then.
 */
export async function restartEmbedder(
  index: LiveIndex,
  { stop: { signal } }: { stop: AbortController },
  { startEmbedder, log }: RestartPorts,
): Promise<boolean> {
  try {
    const embedder = await startEmbedder(index.setting, log, signal);
    if (fingerprintOf(embedder) === index.fingerprint) {
      index.embedder = embedder;
      return true;
    }
    await embedder.close();
    log.warn({ fingerprint: index.fingerprint }, 'the embedder changed since its index was made');
  } catch (error) {
    log.warn({ err: error }, 'the embedder cannot be started again');
  }
  return false;
}
