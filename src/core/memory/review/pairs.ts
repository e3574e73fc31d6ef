import { factInUse } from '../../storage/factRows.ts';

/** SQL: the pairs of facts in use that edges of a kind connect, once each. */
export const pairsInUse = (kind: 'contradicts' | 'related'): string => `
  SELECT min(e.from_id, e.to_id) AS id, max(e.from_id, e.to_id) AS other, max(e.at) AS at
  FROM fact_edges e JOIN facts f ON f.id = e.from_id JOIN facts o ON o.id = e.to_id
  WHERE e.kind = '${kind}' AND ${factInUse('f')} AND ${factInUse('o')}
  GROUP BY 1, 2`;
