import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';

export interface Migration {
  /** `user_version` after the migration; consecutive from 1. */
  version: number;
  name: string;
  sql: string;
}

const BACKUPS_KEPT = 5;

/**
 * Migrates the database to the newest version, each migration in a transaction of its own. First copies the whole database to
 * `backupDir`, unless it is new.
 * @returns the path of the copy; null if none was made
 * @throws AppError SCHEMA_NEWER if a newer version wrote the file; nothing is changed then
 */
export function migrate(
  db: Database.Database,
  migrations: readonly Migration[],
  backupDir: string,
): string | null {
  const found = db.pragma('user_version', { simple: true }) as number;
  const known = migrations.at(-1)?.version ?? 0;
  if (found > known) throw new AppError('SCHEMA_NEWER', { path: db.name, found, known });
  const due = migrations.filter((migration) => migration.version > found);
  if (due.length === 0) return null;
  const backup = found > 0 ? backUpBefore(db, backupDir, found) : null;
  for (const migration of due) {
    db.transaction(() => {
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
    }).immediate();
  }
  return backup;
}

function backUpBefore(db: Database.Database, backupDir: string, version: number): string {
  mkdirSync(backupDir, { recursive: true, mode: 0o700 });
  const copies = () => readdirSync(backupDir).filter((name) => /^before-migration-.*\.sqlite$/.test(name));
  let number = 1;
  const name = () =>
    join(backupDir, `before-migration-v${version}-${String(number).padStart(4, '0')}.sqlite`);
  while (existsSync(name())) number += 1;
  const target = name();
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  db.prepare('VACUUM INTO ?').run(partial);
  chmodSync(partial, 0o600);
  // A copy that a crash interrupts never gets its final name.
  renameSync(partial, target);
  for (const old of copies().sort().slice(0, -BACKUPS_KEPT)) rmSync(join(backupDir, old));
  return target;
}
