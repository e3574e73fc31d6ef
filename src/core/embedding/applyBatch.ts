import type { Kind } from '../items/index.ts';
import type { Logger } from '../support/logger.ts';
import { EmbedderEnded, embedTexts } from './embedTexts.ts';
import type { LiveIndex } from './liveIndex.ts';
import type { VectorRow } from './vectorMatrix.ts';
import type { VectorMirror } from './vectorMirror.ts';
import type { OutboxEntry, VectorOutbox } from './vectorOutbox.ts';

/** Every write makes a version and files; merging them writes the whole table (docs/decisions/0006-vectors.md). */
const OPTIMISE_AFTER_WRITES = 40;

export interface ApplyBatchPorts {
  outbox: VectorOutbox;
  /** The copy that search reads; null if the index does not serve. */
  mirror: VectorMirror | null;
  signal: AbortSignal;
  log: Logger;
  /** The text of an item was embedded. */
  onEmbedded(kind: Kind): void;
}

interface ChangedText {
  entry: OutboxEntry;
  hash: string;
  text: string;
}

/**
 * Makes an index say what the rows of some entries say now: embeds the texts that changed, and removes the vectors of rows that
 * are gone. Applying a batch again changes nothing.
 * @returns the entries whose texts the embedder fails on
 * @throws EmbedderEnded, AppError EMBEDDER_FAILED if the embedder is broken, the signal's reason, or what LanceDB throws
 */
export async function applyBatch(
  index: LiveIndex,
  entries: readonly OutboxEntry[],
  ports: ApplyBatchPorts,
): Promise<OutboxEntry[]> {
  const { table } = index;
  const { outbox, mirror, onEmbedded } = ports;
  const { changed, gone } = readBatch(index, entries, outbox);
  const vectors = await embedChanged(index, changed, ports);
  const rows: VectorRow[] = [];
  const failed: OutboxEntry[] = [];
  for (const [place, { entry, hash }] of changed.entries()) {
    const vector = vectors[place];
    if (!vector) failed.push(entry);
    else {
      rows.push({ kind: entry.kind, id: entry.id, hash, vector });
      onEmbedded(entry.kind);
    }
  }
  for (const [kind, ids] of gone) {
    await table.remove(kind, ids);
    mirror?.remove(kind, ids);
  }
  await table.put(rows);
  mirror?.put(rows);
  if (table.writes >= OPTIMISE_AFTER_WRITES) await table.optimise();
  return failed;
}

function readBatch({ table }: LiveIndex, entries: readonly OutboxEntry[], outbox: VectorOutbox) {
  const changed: ChangedText[] = [];
  const gone = new Map<Kind, string[]>();
  for (const entry of entries) {
    const row = outbox.read(entry);
    const { kind, id } = entry;
    if (!row) gone.set(kind, [...(gone.get(kind) ?? []), id]);
    else if (table.hashes(kind).get(id) !== row.hash) changed.push({ entry, ...row });
  }
  return { changed, gone };
}

/**
 * Embeds the texts of a batch. If the embedder ends meanwhile, the texts of that call are suspect; a single one has failed, so that
 * a text that ends every embedder is given up like one that fails.
 */
async function embedChanged(
  index: LiveIndex,
  changed: readonly ChangedText[],
  { outbox, signal, log }: ApplyBatchPorts,
): Promise<(Float32Array | null)[]> {
  const { embedder, suspects } = index;
  const alone = new Set(changed.flatMap(({ entry }, place) => (suspects.has(entry.seq) ? [place] : [])));
  try {
    const texts = changed.map(({ text }) => text);
    const vectors = await embedTexts(embedder, texts, { alone, signal, log });
    for (const { entry } of changed) suspects.delete(entry.seq);
    return vectors;
  } catch (error) {
    if (error instanceof EmbedderEnded) {
      const lost = error.places.map((place) => (changed[place] as ChangedText).entry);
      if (lost.length === 1) outbox.failed(lost);
      for (const { seq } of lost) suspects.add(seq);
    }
    throw error;
  }
}
