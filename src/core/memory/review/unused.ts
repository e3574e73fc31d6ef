import { factInUse } from '../../storage/factRows.ts';
import type { ReviewSource } from './reviewSource.ts';

const DAY_MS = 86_400_000;
/** As long as what was deleted is kept: a month has seen most of what comes back in somebody's conversations. */
const OLD_DAYS = 30;

/**
 * Facts that no reply was given in thirty days, so that they cost without serving. Left out is what is given whatever the question
 * (identity, pinned, of an importance from the floor), and what expires by itself.
 * @param importanceFloor the setting, read at each look
 */
export function unused(importanceFloor: () => number): ReviewSource {
  return {
    group: 'unused',
    items: `SELECT f.id, '' AS other, f.created_at AS at FROM facts f
      WHERE f.use_count = 0 AND f.created_at <= @now - @oldMs AND f.pinned = 0 AND f.importance < @floor
        AND f.kind <> 'identity' AND f.expires_at IS NULL AND ${factInUse('f')}`,
    params: () => ({ oldMs: OLD_DAYS * DAY_MS, floor: importanceFloor() }),
    reason: ([fact], now) => ({
      code: 'never-given',
      days: Math.floor((now - (fact?.createdAt ?? now)) / DAY_MS),
    }),
  };
}
