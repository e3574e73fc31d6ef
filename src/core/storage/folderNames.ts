export const DATABASE_FILE = 'souvenir.sqlite';
/** What the folder says of its database, outside of it. */
export const STATE_FILE = 'souvenir.state';
/** Ids of what was deleted. */
export const LEDGER_FILE = 'souvenir.deleted';
export const LOCK_FILE = 'owner.lock';
export const OWNER_FILE = 'owner.json';
export const KEYS_FILE = 'keys.json';
export const BACKUP_FOLDER = 'backups';
export const VECTOR_FOLDER = 'vectors';
const LOG_FILE = 'souvenir.log';

/** Every name that Souvenir gives to something in its data folder. What has another name is not ours to change or erase. */
export const OUR_NAMES: ReadonlySet<string> = new Set([
  DATABASE_FILE,
  STATE_FILE,
  LEDGER_FILE,
  LOCK_FILE,
  OWNER_FILE,
  KEYS_FILE,
  BACKUP_FOLDER,
  VECTOR_FOLDER,
  LOG_FILE,
  // Profiles of the browser whose window the local host opens, and of the desktop app.
  'browser',
  'electron',
]);
