import type { VaultId } from '../../shared/ids.ts';
import type { Db } from './database.ts';

export interface VaultRecord {
  id: VaultId;
  name: string;
  /** Absolute, symbolic links resolved. */
  path: string;
  obsidianId: string | null;
  ignorePatterns: string[];
  paused: boolean;
  addedAt: number;
  removedAt: number | null;
}

interface Row {
  id: string;
  name: string;
  path: string;
  obsidian_id: string | null;
  ignore_patterns: string;
  paused: number;
  added_at: number;
  removed_at: number | null;
}

const toRecord = (row: Row): VaultRecord => ({
  id: row.id as VaultId,
  name: row.name,
  path: row.path,
  obsidianId: row.obsidian_id,
  ignorePatterns: JSON.parse(row.ignore_patterns) as string[],
  paused: row.paused === 1,
  addedAt: row.added_at,
  removedAt: row.removed_at,
});

export type VaultStore = ReturnType<typeof createVaultStore>;

export function createVaultStore(db: Db) {
  return {
    /** Vaults in use, oldest first; with `removed`, those in their undo period too. */
    list: (removed = false): VaultRecord[] =>
      db
        .all<Row>('SELECT * FROM vaults ORDER BY added_at, id')
        .map(toRecord)
        .filter((vault) => removed || vault.removedAt === null),
    get: (id: VaultId): VaultRecord | undefined => {
      const row = db.get<Row>('SELECT * FROM vaults WHERE id = ?', id);
      return row && toRecord(row);
    },
    insert: (vault: VaultRecord): void => {
      db.run(
        `INSERT INTO vaults (id, name, path, obsidian_id, ignore_patterns, paused, added_at)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        vault.id,
        vault.name,
        vault.path,
        vault.obsidianId,
        JSON.stringify(vault.ignorePatterns),
        vault.paused ? 1 : 0,
        vault.addedAt,
      );
    },
    setIgnorePatterns: (id: VaultId, patterns: string[]): void => {
      db.run('UPDATE vaults SET ignore_patterns = ? WHERE id = ?', JSON.stringify(patterns), id);
    },
    setPaused: (id: VaultId, paused: boolean): void => {
      db.run('UPDATE vaults SET paused = ? WHERE id = ?', paused ? 1 : 0, id);
    },
    setRemovedAt: (id: VaultId, at: number | null): void => {
      db.run('UPDATE vaults SET removed_at = ? WHERE id = ?', at, id);
    },
    /** Erases the vault's row; its notes must have been erased before, full text included. */
    erase: (id: VaultId): void => {
      db.run('DELETE FROM vaults WHERE id = ?', id);
    },
  };
}
