import type { Particularity } from '../../support/text/particulars.ts';
import { pairsInUse } from './pairs.ts';
import type { ReviewSource } from './reviewSource.ts';

/**
 * Facts in use that say nearly the same. Which those are is found when facts get their vectors, and kept as edges; a pair that disagrees
 * in a number, a date, a name or a negation says two things, however alike it reads.
 */
export function duplicates(particularity: Particularity): ReviewSource {
  return {
    group: 'duplicates',
    items: `SELECT * FROM (${pairsInUse('related')}) p WHERE NOT EXISTS (
      SELECT 1 FROM fact_edges c WHERE c.kind = 'contradicts'
        AND (c.from_id = p.id AND c.to_id = p.other OR c.from_id = p.other AND c.to_id = p.id))`,
    holds: (one, other) => !particularity.disagrees(one, other),
    reason: () => ({ code: 'alike' }),
  };
}
