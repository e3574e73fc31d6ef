import { KINDS, type Kind } from '../items/index.ts';
import type { VectorOutbox } from './vectorOutbox.ts';
import type { VectorTable } from './vectorTable.ts';

export interface VectorDifference {
  kind: Kind;
  id: string;
  /** `failed`: missing or stale because the embedder fails on the item's text. */
  problem: 'missing' | 'stale' | 'failed' | 'orphan' | 'double';
}

/** What items and vectors disagree about, as the table is on the disk. Without a table every vector is missing. */
export async function compareWithDisk(
  table: VectorTable | null,
  outbox: VectorOutbox,
): Promise<VectorDifference[]> {
  const present = (await table?.onDisk()) ?? [];
  const failed = new Set(outbox.failures().map(({ kind, id }) => `${kind} ${id}`));
  return KINDS.flatMap((kind) => {
    const ofKind = present.filter((row) => row.kind === kind);
    return compareKind(outbox.expected(kind), ofKind).map(({ id, problem }): VectorDifference => {
      const hasFailed = (problem === 'missing' || problem === 'stale') && failed.has(`${kind} ${id}`);
      return { kind, id, problem: hasFailed ? 'failed' : problem };
    });
  });
}

/** @param expected hash by id; @param present rows of the table, of which two may have one id */
function compareKind(
  expected: ReadonlyMap<string, string>,
  present: readonly { id: string; hash: string }[],
): Pick<VectorDifference, 'id' | 'problem'>[] {
  const differences: Pick<VectorDifference, 'id' | 'problem'>[] = [];
  const seen = new Set<string>();
  for (const { id, hash } of present) {
    const expectedHash = expected.get(id);
    if (seen.has(id)) differences.push({ id, problem: 'double' });
    else if (expectedHash === undefined) differences.push({ id, problem: 'orphan' });
    else if (expectedHash !== hash) differences.push({ id, problem: 'stale' });
    seen.add(id);
  }
  for (const id of expected.keys()) if (!seen.has(id)) differences.push({ id, problem: 'missing' });
  return differences;
}
