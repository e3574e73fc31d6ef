import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { z } from 'zod';
import { AppError } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import { diskProblemIn } from '../support/diskProblem.ts';
import { isInside } from '../support/paths.ts';
import { readRegularFileSync } from '../support/regularFile.ts';
import { DATABASE_FILE, isOurs, LOCK_FILE, OWNER_FILE, STATE_FILE } from './folderNames.ts';
import { clearFolder, putInShape, refuseOthers, regainRights } from './folderShape.ts';
import { isDamage } from './storageError.ts';

/** What the owner of a data folder publishes, so that other processes talk to it instead of opening the files themselves. */
const OwnerAddress = z.object({
  pid: z.number().int(),
  port: z.number().int().min(1).max(65_535),
  /** Opens a connection; only the file's user can read it. */
  token: z.string(),
});
export type OwnerAddress = z.infer<typeof OwnerAddress>;

export interface DataFolder {
  dir: string;
  /** Publishes the address at which this owner answers. */
  publish(address: OwnerAddress): void;
  release(): void;
}

/** Names of folders that sync tools manage; they would copy a database in the middle of a write. */
const SYNCED = [
  /^Dropbox( \(.+\))?$/i,
  /^OneDrive( - .+)?$/i,
  /^Google ?Drive$/i,
  /^iCloud ?Drive$/i,
  /^Mobile Documents$/i,
  /^Nextcloud$/i,
  /^pCloudDrive$/i,
  /^Syncthing$/i,
];
/** `statfs` magic numbers of network file systems on Linux: NFS, SMB, SMB2, CIFS, AFS. */
const NETWORK = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x5346414f]);

/**
 * Locks a data folder for this process: creates it (0700), refuses places where it would be damaged or do damage, and holds a lock
 * that the system releases when the process ends, however it ends. Nothing in a folder that is refused is changed.
 * @param vaults paths of the vaults that are known before the database is open
 * @throws AppError DATA_FOLDER_UNNAMED, DATA_FOLDER_BUSY, DATA_FOLDER_FOREIGN, DATA_FOLDER_IN_VAULT, DATA_FOLDER_SHARED,
 *   DATA_FOLDER_UNWRITABLE, DISK_FULL, DISK_FAILED
 */
export function takeDataFolder(path: string, vaults: readonly string[] = []): DataFolder {
  const dir = prepare(path, vaults);
  const release = lock(dir);
  const ownerFile = join(dir, OWNER_FILE);
  // Whatever is there has another mode, or is a folder or a pipe.
  const unpublish = () => rmSync(ownerFile, { recursive: true, force: true });
  try {
    putInShape(dir);
    refuseOthers(dir);
  } catch (error) {
    release();
    throw unwritable(error, (error as { path?: string }).path ?? dir);
  }
  return {
    dir,
    publish: (address) => {
      unpublish();
      writeFileSync(ownerFile, JSON.stringify(address), { mode: 0o600, flag: 'wx' });
    },
    release: () => {
      unpublish();
      release();
    },
  };
}

/** An address takes less than a hundred bytes. */
const LONGEST_ADDRESS_BYTES = 4_096;

/**
 * The address that the owner of `path` published; null if there is none, or the file says none. The owner may have ended since: whether
 * there is one is for the lock to say.
 */
export function readOwnerAddress(path: string): OwnerAddress | null {
  const file = join(resolve(path), OWNER_FILE);
  try {
    const content = readRegularFileSync(file, LONGEST_ADDRESS_BYTES);
    return OwnerAddress.safeParse(parseJson(content?.toString('utf8') ?? '')).data ?? null;
  } catch (error) {
    // The owner has just ended, the path leads nowhere, or the file is another user's.
    if (NO_ADDRESS.has((error as { code?: string }).code ?? '')) return null;
    throw error;
  }
}
const NO_ADDRESS = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'EACCES',
  'EPERM',
  'EISDIR',
  'ENXIO',
]);

function prepare(path: string, vaults: readonly string[]): string {
  // `resolve('')` would be the folder in which the command happens to run.
  if (path.trim() === '') throw new AppError('DATA_FOLDER_UNNAMED');
  const wanted = resolve(path);
  // Resolves the existing part of the path first, so that a symbolic link into a vault cannot bypass the checks.
  let existing = wanted;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const real = join(realpathSync(existing), wanted.slice(existing.length));
  for (let folder = real; dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, '.obsidian'))) throw new AppError('DATA_FOLDER_IN_VAULT', { path: real });
  }
  refuseInside(real, vaults);
  if (real.split(sep).some((part) => SYNCED.some((name) => name.test(part)))) {
    throw new AppError('DATA_FOLDER_SHARED', { path: real });
  }
  try {
    if (process.platform === 'linux' && NETWORK.has(statfsSync(realpathSync(existing)).type)) {
      throw new AppError('DATA_FOLDER_SHARED', { path: real });
    }
    makeFolders(real);
    if (!isEmptyOrOurs(real)) throw new AppError('DATA_FOLDER_FOREIGN', { path: real });
    chmodSync(real, 0o700);
    regainRights(real);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw unwritable(error, real);
  }
  return realpathSync(real);
}

/**
 * Makes a folder (0700) and those above it, one by one: told to make them all, Node tries for ever where the system makes none and
 * gives ENOENT as the reason, as in /proc.
 * @throws the file system's error
 */
function makeFolders(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!existsSync(dirname(dir))) makeFolders(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process has just made it.
    if ((error as { code?: string }).code !== 'EEXIST' || !statSync(dir).isDirectory()) throw error;
  }
}

/**
 * Refuses a data folder that is a vault, or lies in one: a sync tool would carry it along, and the vault would index it.
 * @param vaults absolute paths
 * @throws AppError DATA_FOLDER_IN_VAULT
 */
export function refuseInside(dir: string, vaults: readonly string[]): void {
  const real = (vault: string) => (existsSync(vault) ? realpathSync(vault) : resolve(vault));
  if (vaults.some((vault) => isInside(dir, real(vault)))) {
    throw new AppError('DATA_FOLDER_IN_VAULT', { path: dir });
  }
}

/** Files that a system leaves in any folder, and a new disk in its root. */
const NOBODYS = new Set(['.DS_Store', 'desktop.ini', 'Thumbs.db', 'lost+found']);

/**
 * Ours is a folder with one of the files that every data folder has had since the first version, or with nothing but names that
 * Souvenir gives: the desktop app's profile is there before the data, and backups may be all that is left.
 */
function isEmptyOrOurs(dir: string): boolean {
  const names = readdirSync(dir);
  if (names.some((name) => [DATABASE_FILE, LOCK_FILE, STATE_FILE].includes(name))) return true;
  return names.every((name) => NOBODYS.has(name) || isOurs(name));
}

/** An exclusive SQLite transaction on a file of its own, which holds nothing: the system releases its lock with the process. */
function lock(dir: string): () => void {
  const file = join(dir, LOCK_FILE);
  try {
    for (const path of [file, `${file}-journal`])
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) clearFolder(path);
    return hold(file);
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (code.startsWith('SQLITE_BUSY'))
      throw new AppError('DATA_FOLDER_BUSY', { path: dir }, { cause: error });
    throw unwritable(error, dir);
  }
}

/** @throws SQLite's error, SQLITE_BUSY if another process holds it */
function hold(file: string, mayMend = true): () => void {
  let db: BetterSqlite3.Database | undefined;
  try {
    db = new BetterSqlite3(file, { timeout: 0 });
    chmodSync(file, 0o600);
    db.pragma('journal_mode = DELETE');
    db.exec('BEGIN EXCLUSIVE');
    const held = db;
    return () => held.close();
  } catch (error) {
    db?.close();
    if (!mayMend || !isDamage(error)) throw error;
    // Emptied where it is: a file in its place would be another lock, which two processes could hold each one of.
    truncateSync(file);
    return hold(file, false);
  }
}

function unwritable(error: unknown, dir: string): AppError {
  const code = diskProblemIn(dir, error) ?? 'DATA_FOLDER_UNWRITABLE';
  return new AppError(code, { path: dir }, { cause: error });
}
