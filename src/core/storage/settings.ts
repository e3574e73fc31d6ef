import { parseJson } from '../../shared/json.ts';
import { defaultSettings, Settings, type SettingsPatch } from '../../shared/settings.ts';
import type { Logger } from '../support/logger.ts';
import type { Db } from './database.ts';

export interface SettingsStore {
  read(): Settings;
  change(patch: SettingsPatch): Settings;
}

/** Settings by key. A stored value that is invalid, as in an edited database, is replaced by its default and logged. */
export function createSettingsStore(db: Db, log: Logger): SettingsStore {
  const read = (): Settings => {
    const settings: Record<string, unknown> = { ...defaultSettings };
    for (const { key, value } of db.all<{ key: string; value: string }>('SELECT key, value FROM settings')) {
      if (!Object.hasOwn(Settings.shape, key)) continue;
      const parsed = Settings.shape[key as keyof Settings].safeParse(parseJson(value));
      if (parsed.success) settings[key] = parsed.data;
      else log.warn({ key }, 'setting is not valid; its default is used');
    }
    return Settings.parse(settings);
  };
  return {
    read,
    change: (patch) => {
      db.transaction(() => {
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
