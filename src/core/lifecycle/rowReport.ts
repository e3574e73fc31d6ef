import type { RowReport } from '../storage/rowCheck.ts';

/** Names of damaged rows that are told at most; the doctor names them all. */
const NAMED = 3;

/** What is damaged of the truth, by kinds and ids; null if nothing is. */
export function describeDamage({ rows, schema }: RowReport): string | null {
  const names = [...schema.map((name) => `schema ${name}`), ...rows.map(({ kind, key }) => `${kind} ${key}`)];
  if (names.length === 0) return null;
  return names.slice(0, NAMED).join(', ') + (names.length > NAMED ? `, … (${names.length})` : '');
}
