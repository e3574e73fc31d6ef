import { join } from 'node:path';
import { CHUNKER_VERSION } from '../items/chunkerVersion.ts';
import { sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import type { Embedder } from './embedder.ts';
import { measureSimilarity, type Similarity, type SimilarityScale, similarityOn } from './similarity.ts';
import type { VectorRow } from './vectorMatrix.ts';
import type { VectorSpace } from './vectorMirror.ts';
import { eraseVectors, VectorsDamaged, VectorTable } from './vectorTable.ts';

/** An open index: its durable vectors, and the embedder that makes them. */
export interface LiveIndex {
  fingerprint: string;
  /** The value of the setting that names the embedder. */
  setting: string;
  dir: string;
  /** Another one takes its place if its thread ends. */
  embedder: Embedder;
  table: VectorTable;
  scale: SimilarityScale;
  similarity: Similarity;
  /** Entries of the outbox during which the embedder ended: each is embedded by itself, to find the one that ends it. */
  suspects: Set<number>;
}

export interface OpenIndexRequest {
  /** The folder of all indexes. */
  root: string;
  setting: string;
  log: Logger;
  signal: AbortSignal;
}

/** Names an index: two indexes with the same fingerprint hold the same vectors. */
export function fingerprintOf({ id, dimensions }: Embedder): string {
  return sha256(`${CHUNKER_VERSION} ${id} ${dimensions}`).slice(0, 16);
}

export function spaceOf({ fingerprint, table, scale }: LiveIndex): VectorSpace {
  return { fingerprint, dimensions: table.dimensions, scale };
}

/**
 * Opens the index of an embedder, or makes an empty one, also in place of one that is damaged. Returns its vectors too. It owns
 * the embedder from here on, and closes it if the index cannot be opened.
 */
export async function openIndex(
  embedder: Embedder,
  { root, setting, log, signal }: OpenIndexRequest,
): Promise<{ index: LiveIndex; rows: VectorRow[] }> {
  try {
    const fingerprint = fingerprintOf(embedder);
    const dir = join(root, fingerprint);
    const scale = await measureSimilarity(embedder, signal);
    const { table, rows } = await openOrReplaceTable(dir, embedder.dimensions, log);
    const index: LiveIndex = {
      fingerprint,
      setting,
      dir,
      embedder,
      table,
      scale,
      similarity: similarityOn(scale),
      suspects: new Set(),
    };
    return { index, rows };
  } catch (error) {
    await embedder.close();
    throw error;
  }
}

async function openOrReplaceTable(dir: string, dimensions: number, log: Logger) {
  try {
    return await VectorTable.open(dir, dimensions);
  } catch (error) {
    if (!(error instanceof VectorsDamaged)) throw error;
    log.warn({ dir, err: error }, 'index of vectors is damaged; it is built again');
    eraseVectors(dir);
    return VectorTable.open(dir, dimensions);
  }
}

export async function closeIndex({ table, embedder }: LiveIndex): Promise<void> {
  table.close();
  await embedder.close();
}
