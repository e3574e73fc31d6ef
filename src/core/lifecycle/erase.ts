import { existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { BACKUP_FOLDER, DATABASE_FILE, KEYS_FILE, VECTOR_FOLDER } from '../storage/folderNames.ts';

const LOG = /\.log(\.\d+)?$/;

/** Erases everything in a data folder, backups included. Nothing in it may be open. The folder's lock and address remain. */
export function eraseData(dir: string): void {
  for (const suffix of ['-wal', '-shm', '']) rmSync(join(dir, DATABASE_FILE + suffix), { force: true });
  for (const name of [VECTOR_FOLDER, BACKUP_FOLDER, KEYS_FILE])
    rmSync(join(dir, name), { recursive: true, force: true });
  // This process still writes to its log, so the log is emptied, not removed.
  for (const name of readdirSync(dir))
    if (LOG.test(name) && existsSync(join(dir, name))) truncateSync(join(dir, name));
}
