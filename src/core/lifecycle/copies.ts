import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Copy } from '../../shared/contract/data.ts';
import { COPIES, listCopies } from '../storage/databaseCopies.ts';
import { BACKUP_FOLDER } from '../storage/folderNames.ts';
import { storageError } from '../storage/storageError.ts';

/**
 * Every copy of the database in a data folder that can be restored, the newest first. Nothing needs to be open.
 * @throws AppError DATA_FOLDER_UNWRITABLE, DISK_FAILED
 */
export function restorableCopies(dataDir: string): Copy[] {
  const folder = join(dataDir, BACKUP_FOLDER);
  const kinds = Object.entries(COPIES) as [Copy['kind'], RegExp][];
  try {
    return kinds
      .flatMap(([kind, names]) =>
        listCopies(folder, names).map((path): Copy => {
          const { size, mtimeMs } = statSync(path);
          return { path, bytes: size, madeAt: Math.round(mtimeMs), kind };
        }),
      )
      .sort((one, other) => other.madeAt - one.madeAt);
  } catch (error) {
    throw storageError(error, folder);
  }
}
