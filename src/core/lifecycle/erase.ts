import { closeSync, existsSync, openSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { ERASING_FILE, isOurs, LOCK_FILE, LOG_FILE, OWNER_FILE } from '../storage/folderNames.ts';
import { syncFolder } from '../support/partialFile.ts';

/** What the owner of the folder has open; it holds nothing of the user's. */
const KEPT = new Set([ERASING_FILE, OWNER_FILE, LOCK_FILE, `${LOCK_FILE}-journal`]);

/**
 * Erases everything of Souvenir's in a data folder: database, log, vectors, copies, keys, the browser's profile, and whatever was
 * left half made. Nothing in it may be open but the folder's lock, its address and the log, which is emptied. The desktop app clears
 * its own profile, which it has open. If a crash interrupts it, the next start finishes it.
 */
export function eraseData(dir: string): void {
  closeSync(openSync(join(dir, ERASING_FILE), 'w', 0o600));
  syncFolder(dir);
  for (const name of readdirSync(dir)) {
    if (!isOurs(name) || KEPT.has(name) || name === 'electron') continue;
    if (name === LOG_FILE) truncateSync(join(dir, name));
    else rmSync(join(dir, name), { recursive: true, force: true, maxRetries: 5 });
  }
  rmSync(join(dir, ERASING_FILE));
  syncFolder(dir);
}

/** Ends an erasure that a crash interrupted. */
export function finishErasing(dir: string): void {
  if (existsSync(join(dir, ERASING_FILE))) eraseData(dir);
}
