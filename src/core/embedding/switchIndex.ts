import type { Logger } from '../support/logger.ts';
import { closeIndex, type LiveIndex, spaceOf } from './liveIndex.ts';
import type { VectorMirror } from './vectorMirror.ts';
import type { VectorOutbox } from './vectorOutbox.ts';
import { eraseVectors } from './vectorTable.ts';

export interface SwitchPorts {
  outbox: VectorOutbox;
  mirror: VectorMirror;
  log: Logger;
}

/**
 * Makes the complete new index the one that answers, and erases the former one. What serves and what the mirror holds change in
 * the same tick, so that a search never meets the embedder of one index and the vectors of the other.
 */
export async function switchIndex(
  session: { serving: LiveIndex; building: LiveIndex | null },
  next: LiveIndex,
  { outbox, mirror, log }: SwitchPorts,
): Promise<void> {
  const rows = await next.table.readAll();
  const { fingerprint, setting } = next;
  outbox.setServing({ fingerprint, embedder: setting });
  const former = session.serving;
  session.serving = next;
  session.building = null;
  mirror.replace(spaceOf(next), rows);
  // Texts that the former embedder failed on get another chance.
  outbox.retry();
  log.info({ embedder: next.embedder.id, vectors: rows.length }, 'another index of vectors answers now');
  await closeIndex(former);
  eraseVectors(former.dir);
}
