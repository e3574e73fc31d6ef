import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import { COPIES, copyDatabase, eraseOldCopies, makeBackupFolder, nextNumber } from './databaseCopies.ts';

export interface Migration {
  /** `user_version` after the migration; consecutive from 1. */
  version: number;
  name: string;
  sql: string;
}

const BACKUPS_KEPT = 5;

/**
 * Migrates the database to the newest version in one transaction: all of it or nothing. First copies the whole database to
 * `backupDir`, unless it is new or `backupDir` is null.
 * @returns the path of the copy; null if none was made
 * @throws AppError SCHEMA_NEWER if a newer version wrote the file; nothing is changed then
 */
export function migrate(
  db: Database.Database,
  migrations: readonly Migration[],
  backupDir: string | null,
): string | null {
  const found = db.pragma('user_version', { simple: true }) as number;
  const known = migrations.at(-1)?.version ?? 0;
  if (found > known) throw new AppError('SCHEMA_NEWER', { path: db.name, found, known });
  const due = migrations.filter((migration) => migration.version > found);
  if (due.length === 0) return null;
  const backup = found > 0 && backupDir !== null ? backUpBefore(db, backupDir, found) : null;
  db.transaction(() => {
    for (const migration of due) {
      db.exec(migration.sql);
      db.pragma(`user_version = ${migration.version}`);
    }
  }).immediate();
  return backup;
}

function backUpBefore(db: Database.Database, backupDir: string, version: number): string {
  makeBackupFolder(backupDir);
  const number = nextNumber(backupDir, COPIES['before-migration']);
  const target = join(backupDir, `before-migration-v${version}-${number}.sqlite`);
  copyDatabase(db, target);
  eraseOldCopies(backupDir, COPIES['before-migration'], BACKUPS_KEPT);
  return target;
}
