import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { PROFILE_ERASED_FILE, PROFILES, type ProfileName } from '../../shared/profile.ts';
import { ERASING_FILE, isOurs, LOCK_FILE, LOG_FILE, OWNER_FILE } from '../storage/folderNames.ts';
import { syncFolder } from '../support/partialFile.ts';

/** What the owner of the folder has open; it holds nothing of the user's. */
const KEPT = new Set([ERASING_FILE, OWNER_FILE, LOCK_FILE, `${LOCK_FILE}-journal`]);

/**
 * Erases everything of Souvenir's in a data folder: database, log, vectors, copies, keys, the profiles of windows, and whatever was
 * left half made. Nothing in it may be open but the folder's lock, its address, the log, which is emptied, and one profile: that one is
 * marked, and whoever opens it next erases it first. If a crash interrupts it, the next start finishes it.
 */
export function eraseData(dir: string, openProfile?: ProfileName): void {
  touch(join(dir, ERASING_FILE));
  if (openProfile !== undefined) {
    mkdirSync(join(dir, openProfile), { recursive: true, mode: 0o700 });
    touch(join(dir, openProfile, PROFILE_ERASED_FILE));
    syncFolder(join(dir, openProfile));
  }
  syncFolder(dir);
  for (const name of readdirSync(dir)) {
    if (!isOurs(name) || KEPT.has(name) || name === openProfile) continue;
    if (name === LOG_FILE) empty(join(dir, name));
    else rmSync(join(dir, name), { recursive: true, force: true, maxRetries: 5 });
  }
  rmSync(join(dir, ERASING_FILE));
  syncFolder(dir);
}

/** Ends an erasure that a crash interrupted, and erases what is left of profiles that were open then and are not now. */
export function finishErasing(dir: string, openProfile?: ProfileName): void {
  if (existsSync(join(dir, ERASING_FILE))) eraseData(dir, openProfile);
  for (const name of Object.values(PROFILES))
    if (name !== openProfile && existsSync(join(dir, name, PROFILE_ERASED_FILE)))
      rmSync(join(dir, name), { recursive: true, force: true, maxRetries: 5 });
}

function touch(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'w', 0o600));
}

/** Empties a file that this process may have open; one that another user owns, it has not. */
function empty(path: string): void {
  try {
    truncateSync(path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EACCES') throw error;
    rmSync(path);
  }
}
