import { factInUse } from '../../storage/factRows.ts';
import type { Drift } from '../drift/drift.ts';
import type { ReviewSource } from './reviewSource.ts';

/** Facts in use whose note says something else than when they were learnt. */
export function stale(drift: Drift): ReviewSource {
  return {
    group: 'stale',
    items: `SELECT d.fact_id AS id, '' AS other, d.since AS at FROM fact_drift d JOIN facts f ON f.id = d.fact_id
      WHERE ${factInUse('f')}`,
    reason: ([fact]) => ({ code: 'note-changed', now: fact ? drift.now(fact) : null }),
  };
}
