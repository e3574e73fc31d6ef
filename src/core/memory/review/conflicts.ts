import type { FactId } from '../../../shared/ids.ts';
import { factInUse } from '../../storage/factRows.ts';
import type { ReviewSource } from './reviewSource.ts';

/**
 * Facts that were changed here and in the facts note at once, of which neither wording is lost.
 * @param wordingOf what the note says of a fact
 */
export function conflicts(wordingOf: (id: FactId) => string | undefined): ReviewSource {
  return {
    group: 'conflicts',
    items: `SELECT c.fact_id AS id, '' AS other, c.at FROM fact_conflicts c JOIN facts f ON f.id = c.fact_id
      WHERE ${factInUse('f')}`,
    reason: ([fact]) => ({ code: 'edited-twice', note: fact ? (wordingOf(fact.id) ?? '') : '' }),
  };
}
