import { crc32 } from 'node:zlib';
import type BetterSqlite3 from 'better-sqlite3';
import type { Logger } from '../support/logger.ts';

/** Names of tables, indexes and triggers whose definition is not the one that a migration wrote. Those made with another tool are left out. */
export function damagedDefinitions(raw: BetterSqlite3.Database): string[] {
  const definitions = new Map(sums(raw));
  return raw
    .prepare<[], { key: string; sum: number }>("SELECT key, sum FROM row_sums WHERE kind = 'schema'")
    .all()
    .filter(({ key, sum }) => definitions.get(key) !== sum)
    .map(({ key }) => key);
}

export function hasSums(raw: BetterSqlite3.Database): boolean {
  return raw.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'row_sums'").get() !== undefined;
}

/** Keeps the sums of every definition, and the version of the schema. */
export function sumSchema(raw: BetterSqlite3.Database): void {
  raw.exec("DELETE FROM row_sums WHERE kind IN ('schema', 'version')");
  const write = raw.prepare('INSERT INTO row_sums VALUES (?, ?, ?)');
  for (const [name, sum] of sums(raw)) write.run('schema', name, sum);
  write.run('version', 'user_version', versionOf(raw));
}

/** Puts one bit of the version of the schema right that flipped: the definitions say which version it is. */
export function mendVersion(raw: BetterSqlite3.Database, log?: Logger): void {
  if (!hasSums(raw)) return;
  const written = raw.prepare("SELECT sum FROM row_sums WHERE kind = 'version'").pluck().get();
  const found = versionOf(raw);
  if (typeof written !== 'number' || written === found) return;
  const bits = (written ^ found) >>> 0;
  if ((bits & (bits - 1)) !== 0 || damagedDefinitions(raw).length > 0) return;
  raw.pragma(`user_version = ${written}`);
  log?.warn({ found, written }, 'the version of the schema was put right');
}

const versionOf = (raw: BetterSqlite3.Database) => raw.pragma('user_version', { simple: true }) as number;

function sums(raw: BetterSqlite3.Database): [name: string, sum: number][] {
  return raw
    .prepare<[], { name: string; definition: string }>(
      "SELECT name, json_array(type, tbl_name, sql) AS definition FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map(({ name, definition }) => [name, crc32(definition)]);
}
