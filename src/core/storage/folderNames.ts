import { PROFILES } from '../../shared/profile.ts';

export const DATABASE_FILE = 'souvenir.sqlite';
/** What the folder says of its database, outside of it. */
export const STATE_FILE = 'souvenir.state';
/** Ids of what was deleted, twice. */
export const LEDGER_FILE = 'souvenir.deleted';
export const LEDGER_COPY_FILE = 'souvenir.deleted.copy';
export const LOCK_FILE = 'owner.lock';
export const OWNER_FILE = 'owner.json';
export const KEYS_FILE = 'keys.json';
export const BACKUP_FOLDER = 'backups';
export const VECTOR_FOLDER = 'vectors';
/** Files that are being imported. */
export const IMPORT_FOLDER = 'imports';
export const LOG_FILE = 'souvenir.log';

/** There while everything is being erased. */
export const ERASING_FILE = 'souvenir.erasing';

/** Files that take their name once they are whole. */
export const MADE_WHOLE: readonly string[] = [DATABASE_FILE, KEYS_FILE, LEDGER_FILE, LEDGER_COPY_FILE];

const FILES = [
  DATABASE_FILE,
  STATE_FILE,
  LEDGER_FILE,
  ERASING_FILE,
  LOCK_FILE,
  OWNER_FILE,
  KEYS_FILE,
  LOG_FILE,
] as const;

/** With the pages that hand a browser its token. */
export const FOLDERS: readonly string[] = [
  BACKUP_FOLDER,
  VECTOR_FOLDER,
  IMPORT_FOLDER,
  'start',
  ...Object.values(PROFILES),
];

/**
 * Is it the name of something that Souvenir makes in its data folder? Files may have an ending, such as `-wal`, `.1` or
 * `.partial`. What has another name is not ours to change or erase.
 */
export function isOurs(name: string): boolean {
  const file = FILES.some(
    (ours) => name === ours || name.startsWith(`${ours}.`) || name.startsWith(`${ours}-`),
  );
  return file || FOLDERS.includes(name);
}
