import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError, diskProblem } from '../../shared/errors.ts';
import { parseJson } from '../../shared/json.ts';
import { writeWhole } from '../support/partialFile.ts';
import { readRegularFileSync } from '../support/regularFile.ts';
import { KEYS_FILE } from './folderNames.ts';
import { storageError } from './storageError.ts';

/** Encrypts texts with a key that the system's keychain holds. */
export interface KeyCipher {
  /** Null if the keychain cannot be used. */
  seal(text: string): Promise<string | null>;
  /** Null if another user or computer sealed it. */
  unseal(sealed: string): Promise<string | null>;
}

/** Much more than the keys of all the servers that a user might have. */
const MOST_BYTES = 1_000_000;

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
      // Where the file is damaged, or something else has its name, the user is asked for the key again.
      return (
        Keys.safeParse(parseJson(readRegularFileSync(file, MOST_BYTES)?.toString('utf8') ?? '')).data ?? {}
      );
    } catch (error) {
      throw storageError(error, file);
    }
  };
  const write = (keys: Keys): void => {
    try {
      writeWhole(file, (path) => writeFileSync(path, JSON.stringify(keys)));
    } catch (error) {
      const code = diskProblem(error) ?? 'DATA_FOLDER_UNWRITABLE';
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
