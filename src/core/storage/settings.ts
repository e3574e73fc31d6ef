import { withoutSecret } from '../../shared/address.ts';
import { AppError } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import { defaultSettings, Settings, type SettingsPatch } from '../../shared/settings.ts';
import type { Logger } from '../support/logger.ts';
import type { Db } from './database.ts';

export interface SettingsStore {
  read(): Settings;
  change(patch: SettingsPatch): Settings;
  /** Was a key taken out of the address of the chat server, and the user has not entered one since? */
  readonly keyWasRemoved: boolean;
  /** The user has entered a key or another address, or the server answers without one. */
  forgetRemovedKey(): void;
}

/** The row that remembers it. It is no setting, and is not exported. */
export const KEY_REMOVED = 'chat.keyRemoved';

/** Settings that hold the address of a server. */
const ADDRESSES = ['chat.baseUrl', 'updateUrl'];

/**
 * Takes the keys out of stored addresses, where earlier versions, or an edit by hand, let them stand: they would be sent, logged,
 * exported and backed up.
 */
function removeKeys(db: Db, log: Logger): void {
  db.transaction(() => {
    for (const { key, value } of db.all<{ key: string; value: string }>('SELECT key, value FROM settings')) {
      const address = ADDRESSES.includes(key) ? parseJson(value) : null;
      const clean = typeof address === 'string' ? withoutSecret(address) : null;
      if (clean === null) continue;
      db.run('UPDATE settings SET value = ? WHERE key = ?', JSON.stringify(clean), key);
      if (key === 'chat.baseUrl')
        db.run('INSERT OR REPLACE INTO settings VALUES (?, ?)', KEY_REMOVED, 'true');
      log.warn({ key }, 'a key was removed from a stored address');
    }
  });
}

/** Settings by key. A stored value that is invalid, as in an edited database, is replaced by its default and logged. */
export function createSettingsStore(db: Db, log: Logger): SettingsStore {
  try {
    removeKeys(db, log);
  } catch (error) {
    // The disk is full, say. An address that still holds a key is not valid, and its default is used.
    if (!(error instanceof AppError)) throw error;
    log.error({ err: error }, 'keys stay in stored addresses');
  }
  const forgetRemovedKey = () => {
    db.run('DELETE FROM settings WHERE key = ?', KEY_REMOVED);
  };
  /** What was read last, and the settings that it says: several parts of the core ask for them for one question. */
  let last: { stored: string; settings: Settings } | null = null;
  const read = (): Settings => {
    const rows = db.all<{ key: string; value: string }>('SELECT key, value FROM settings');
    const stored = JSON.stringify(rows);
    if (last?.stored !== stored) last = { stored, settings: parse(rows) };
    return { ...last.settings };
  };
  const parse = (rows: readonly { key: string; value: string }[]): Settings => {
    const settings: Record<string, unknown> = { ...defaultSettings };
    for (const { key, value } of rows) {
      if (!Object.hasOwn(Settings.shape, key)) continue;
      const parsed = Settings.shape[key as keyof Settings].safeParse(parseJson(value));
      if (parsed.success) settings[key] = parsed.data;
      else log.warn({ key }, 'setting is not valid; its default is used');
    }
    return Settings.parse(settings);
  };
  return {
    read,
    get keyWasRemoved() {
      return db.get('SELECT 1 FROM settings WHERE key = ?', KEY_REMOVED) !== undefined;
    },
    forgetRemovedKey,
    change: (patch) => {
      db.transaction(() => {
        if (patch['chat.baseUrl'] !== undefined) forgetRemovedKey();
        for (const [key, value] of Object.entries(patch)) {
          if (value === undefined) continue;
          db.run(
            'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
            key,
            JSON.stringify(value),
          );
        }
      });
      return read();
    },
  };
}
