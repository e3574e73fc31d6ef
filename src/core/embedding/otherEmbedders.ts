import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../support/logger.ts';
import { BUILT_IN, type StartEmbedder } from './embedder.ts';
import { fingerprintOf } from './liveIndex.ts';
import { measureSimilarity, similarityOn } from './similarity.ts';
import type { Serving } from './vectorIndexer.ts';

export interface OtherEmbeddersPorts {
  /** An index that is open for the embedder of a setting; null if none is. */
  opened(setting: string): Serving | null;
  /** Settings whose embedders are known beside the built-in one. */
  known(): readonly string[];
  startEmbedder: StartEmbedder;
  log: Logger;
}

/** Embedders that can be asked on this computer, whether or not one has an index. */
export class OtherEmbedders {
  readonly #ports: OtherEmbeddersPorts;

  constructor(ports: OtherEmbeddersPorts) {
    this.#ports = ports;
  }

  /** The built-in embedder and all that were used or are chosen, and whether each is on this computer now. */
  list(): { setting: string; isHere: boolean }[] {
    const settings = new Set([BUILT_IN, ...this.#ports.known()]);
    return [...settings].map((setting) => ({
      setting,
      isHere: setting === BUILT_IN || existsSync(join(setting, 'config.json')),
    }));
  }

  /**
   * Runs work with an embedder, which is started for it unless an index has it open, and ended after it.
   * @throws AppError EMBEDDER_UNUSABLE; what the work throws; the signal's reason
   */
  async use<T>(setting: string, work: (space: Serving) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { opened, startEmbedder, log } = this.#ports;
    const open = opened(setting);
    if (open) return work(open);
    const embedder = await startEmbedder(setting, log, signal);
    try {
      const scale = await measureSimilarity(embedder, signal);
      return await work({
        fingerprint: fingerprintOf(embedder),
        setting,
        embedder,
        scale,
        similarity: similarityOn(scale),
      });
    } finally {
      await embedder.close();
    }
  }
}
