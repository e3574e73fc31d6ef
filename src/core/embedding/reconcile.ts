import { KINDS } from '../items/index.ts';
import type { VectorOutbox } from './vectorOutbox.ts';
import type { VectorTable } from './vectorTable.ts';

/**
 * Adds to the outbox every item whose vector is missing, stale or no longer expected. The outbox alone would do if nothing ever
 * went wrong: this finds what was damaged, deleted or restored from elsewhere, by comparing hashes.
 * @returns how many items differ
 */
export function reconcile(table: VectorTable, outbox: VectorOutbox): number {
  let different = 0;
  for (const kind of KINDS) {
    const expected = outbox.expected(kind);
    const present = table.hashes(kind);
    const ids: string[] = [];
    for (const [id, hash] of expected) if (present.get(id) !== hash) ids.push(id);
    for (const id of present.keys()) if (!expected.has(id)) ids.push(id);
    if (ids.length > 0) outbox.add(kind, ids);
    different += ids.length;
  }
  return different;
}
