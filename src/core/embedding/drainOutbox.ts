import type { Kind } from '../items/index.ts';
import type { Logger } from '../support/logger.ts';
import { applyBatch } from './applyBatch.ts';
import type { LiveIndex } from './liveIndex.ts';
import { reconcile } from './reconcile.ts';
import { switchIndex } from './switchIndex.ts';
import type { VectorMirror } from './vectorMirror.ts';
import type { OutboxEntry, VectorOutbox } from './vectorOutbox.ts';

/** Entries of one write to LanceDB: each write makes a version and several files. */
const BATCH = 512;

/** The indexes that are open at present. */
export interface Session {
  /** The value of the setting that the indexes were opened for. */
  setting: string;
  /** Aborted when what runs is to give way: another embedder is expected, or the indexes are to be closed. */
  stop: AbortController;
  serving: LiveIndex;
  building: LiveIndex | null;
}

export interface DrainPorts {
  outbox: VectorOutbox;
  mirror: VectorMirror;
  log: Logger;
  onBatch(): void;
  /** The text of an item was embedded. */
  onEmbedded(kind: Kind): void;
}

/**
 * Applies the outbox to the open indexes until it is empty, and switches to the new index once that is complete. Entries that fail
 * are counted, and left in the outbox after their last attempt.
 * @throws as `applyBatch`; what was applied stays applied
 */
export async function drainOutbox(session: Session, ports: DrainPorts): Promise<void> {
  await applyAll(session, ports);
  while (session.building) {
    // An entry that failed on the serving index alone, or before the new one was opened, was never applied to the new one.
    if (reconcile(session.building.table, ports.outbox) > 0 && ports.outbox.next(1).length > 0) {
      await applyAll(session, ports);
      continue;
    }
    await switchIndex(session, session.building, ports);
    await applyAll(session, ports);
  }
}

async function applyAll(session: Session, ports: DrainPorts): Promise<void> {
  const { outbox } = ports;
  for (let entries = outbox.next(BATCH); entries.length > 0; entries = outbox.next(BATCH)) {
    const failed = await applyToOpen(session, entries, ports);
    outbox.failed(failed);
    const failedNumbers = new Set(failed.map(({ seq }) => seq));
    outbox.done(entries.filter(({ seq }) => !failedNumbers.has(seq)));
    ports.onBatch();
  }
}

async function applyToOpen(
  { serving, building, stop: { signal } }: Session,
  entries: readonly OutboxEntry[],
  { outbox, mirror, log, onEmbedded }: DrainPorts,
): Promise<OutboxEntry[]> {
  signal.throwIfAborted();
  const ports = { outbox, signal, log, onEmbedded };
  const failed = await applyBatch(serving, entries, { ...ports, mirror });
  if (!building) return failed;
  const failedThere = await applyBatch(building, entries, { ...ports, mirror: null });
  return [...new Set([...failed, ...failedThere])];
}
