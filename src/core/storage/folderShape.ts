import { chmodSync, lstatSync, readdirSync, rmdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { PROFILES } from '../../shared/profile.ts';
import { DATABASE_FILE, FOLDERS, isOurs, LOCK_FILE } from './folderNames.ts';

const isProfile = (name: string) => Object.values<string>(PROFILES).includes(name);

/**
 * Gives the user of this process the rights to read and write what Souvenir has made in a data folder, where the user owns it. Links are
 * not followed, and profiles of browsers are left to them.
 * @throws the file system's error
 */
export function regainRights(dir: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const regain = (path: string, isDeep: boolean) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || found.uid !== user || !(found.isFile() || found.isDirectory())) return;
    const needed = found.isDirectory() ? 0o700 : 0o600;
    if ((found.mode & needed) !== needed) chmodSync(path, (found.mode & 0o777) | needed);
    if (found.isDirectory() && isDeep) for (const name of readdirSync(path)) regain(join(path, name), true);
  };
  for (const name of readdirSync(dir)) if (isOurs(name)) regain(join(dir, name), !isProfile(name));
}

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
}

const isInShape = (found: Stats, isFolder: boolean): boolean =>
  isFolder ? found.isDirectory() : found.isFile();

/** Removes a folder, and never a file that another process puts in its place meanwhile. @throws the file system's error */
export function clearFolder(path: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true });
  rmdirSync(path);
}
