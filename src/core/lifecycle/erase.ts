import { existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from '../storage/database.ts';
import { KEYS_FILE } from '../storage/keys.ts';

const LOG = /\.log(\.\d+)?$/;

/** Erases everything that a data folder holds, copies included, while nothing of it is open; its lock and address stay. */
export function eraseData(dir: string): void {
  for (const suffix of ['-wal', '-shm', '']) rmSync(join(dir, DATABASE_FILE + suffix), { force: true });
  for (const name of ['vectors', 'backups', KEYS_FILE])
    rmSync(join(dir, name), { recursive: true, force: true });
  // The log stays open: it is emptied.
  for (const name of readdirSync(dir))
    if (LOG.test(name) && existsSync(join(dir, name))) truncateSync(join(dir, name));
}
