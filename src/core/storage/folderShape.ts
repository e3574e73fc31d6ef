import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { PROFILES } from '../../shared/profile.ts';
import { isCopy } from './databaseCopies.ts';
import {
  BACKUP_FOLDER,
  DATABASE_FILE,
  ERASING_FILE,
  FOLDERS,
  isOurs,
  LOCK_FILE,
  LOG_FILE,
  OWNER_FILE,
} from './folderNames.ts';

const isProfile = (name: string) => Object.values<string>(PROFILES).includes(name);

/**
 * Goes through what Souvenir has made in a data folder, profiles of browsers apart. Links are not followed.
 * @param look returns whether to look into what it was given
 */
function visit(dir: string, look: (path: string, found: Stats) => boolean): void {
  const go = (path: string, isDeep: boolean) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || !(found.isFile() || found.isDirectory()) || !look(path, found)) return;
    if (found.isDirectory() && isDeep) for (const name of readdirSync(path)) go(join(path, name), true);
  };
  for (const name of readdirSync(dir)) if (isOurs(name)) go(join(dir, name), !isProfile(name));
}

/**
 * Gives the user of this process the rights to read and write what Souvenir has made in a data folder, where the user owns it.
 * @throws the file system's error
 */
export function regainRights(dir: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  visit(dir, (path, found) => {
    const needed = found.isDirectory() ? 0o700 : 0o600;
    const isOwn = found.uid === user;
    if (isOwn && (found.mode & needed) !== needed) chmodSync(path, (found.mode & 0o777) | needed);
    return isOwn;
  });
}

/**
 * Refuses what another user owns and this one may not read and change, as after a start by root: without it, what was kept would seem
 * to be gone. Nobody may have anything in the folder open.
 * @throws the file system's error, whose `path` says where
 */
export function refuseOthers(dir: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  visit(dir, (path, found) => {
    if (isDispensable(relative(dir, path))) return false;
    // Opened, because `access` asks for the user who started the process, which may be another than the one who works.
    if (found.uid !== user && found.isFile()) closeSync(openSync(path, 'r+'));
    if (found.uid !== user && found.isDirectory()) accessSync(path, constants.W_OK);
    return true;
  });
}

/** What is made again, or dropped, where it cannot be used. */
const isDispensable = (path: string): boolean =>
  path.startsWith(LOG_FILE) || [OWNER_FILE, ERASING_FILE, 'start'].includes(path) || isProfile(path);

/**
 * Removes a folder that stands where Souvenir keeps a file, and a file that stands where it keeps a folder: neither says anything, and
 * both are in the way for good. What stands in the place of the database is for its opening to judge, and the lock for its taking.
 * @throws the file system's error
 */
export function putInShape(dir: string): void {
  for (const name of readdirSync(dir)) {
    if (!isOurs(name) || name === LOCK_FILE || name.startsWith(DATABASE_FILE)) continue;
    const path = join(dir, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && !isInShape(found, FOLDERS.includes(name))) rmSync(path, { recursive: true });
  }
  const copies = join(dir, BACKUP_FOLDER);
  if (!statSync(copies, { throwIfNoEntry: false })) return;
  for (const name of readdirSync(copies).filter(isCopy)) {
    const path = join(copies, name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true });
  }
}

const isInShape = (found: Stats, isFolder: boolean): boolean =>
  isFolder ? found.isDirectory() : found.isFile();

/** Removes a folder, and never a file that another process puts in its place meanwhile. @throws the file system's error */
export function clearFolder(path: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true });
  rmdirSync(path);
}
