import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, isDiskFull } from '../../shared/errors.ts';
import { writeWhole } from '../support/partialFile.ts';
import { KEYS_FILE } from './folderNames.ts';

/** Encrypts texts with a key that the system's keychain holds. */
export interface KeyCipher {
  /** Null if the keychain cannot be used. */
  seal(text: string): Promise<string | null>;
  /** Null if another user or computer sealed it. */
  unseal(sealed: string): Promise<string | null>;
}

const Keys = z.record(z.string(), z.object({ sealed: z.boolean(), value: z.string() }));
type Keys = z.infer<typeof Keys>;

export type KeyStore = ReturnType<typeof createKeyStore>;

/**
 * Keys of model servers, by the origin of their address: a key is sent to no other origin. A separate file holds them, which
 * only its user can read (0600), sealed if there is a keychain. Backups, exports and logs do not contain them.
 */
export function createKeyStore(dir: string, cipher: KeyCipher | null) {
  const file = join(dir, KEYS_FILE);

  const read = (): Keys => {
    if (!existsSync(file)) return {};
    try {
      return Keys.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      // Somebody edited the file by hand: the user is asked again for a key that cannot be read.
      if (error instanceof SyntaxError || error instanceof z.ZodError) return {};
      throw error;
    }
  };
  const write = (keys: Keys): void => {
    try {
      writeWhole(file, (path) => writeFileSync(path, JSON.stringify(keys)));
    } catch (error) {
      const code = isDiskFull(error) ? 'DISK_FULL' : 'DATA_FOLDER_UNWRITABLE';
      throw new AppError(code, { path: dir }, { cause: error });
    }
  };

  return {
    has: (baseUrl: string): boolean => Object.hasOwn(read(), originOf(baseUrl)),
    get: async (baseUrl: string): Promise<string | null> => {
      const key = read()[originOf(baseUrl)];
      if (!key) return null;
      return key.sealed ? ((await cipher?.unseal(key.value)) ?? null) : key.value;
    },
    /** An empty key deletes the stored one. */
    set: async (baseUrl: string, key: string): Promise<void> => {
      const { [originOf(baseUrl)]: _before, ...others } = read();
      if (key === '') return write(others);
      const sealed = (await cipher?.seal(key)) ?? null;
      write({ ...others, [originOf(baseUrl)]: { sealed: sealed !== null, value: sealed ?? key } });
    },
  };
}

const originOf = (baseUrl: string): string => new URL(baseUrl).origin;
