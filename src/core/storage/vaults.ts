import type { VaultId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import type { Db } from './database.ts';

export interface VaultRecord {
  id: VaultId;
  name: string;
  /** Absolute, with symbolic links resolved. */
  path: string;
  /** The vault's id in Obsidian's own list; null if it is not listed there. */
  obsidianId: string | null;
  ignorePatterns: string[];
  paused: boolean;
  addedAt: number;
  /** When the user removed it; it can be restored until it is purged. Null while it is in use. */
  removedAt: number | null;
  /** Device and inode of the folder that its notes were last read from; null if it was not read yet. */
  rootIdentity: string | null;
}

interface VaultColumns {
  id: string;
  name: string;
  path: string;
  obsidian_id: string | null;
  ignore_patterns: string;
  paused: number;
  added_at: number;
  removed_at: number | null;
  root_identity: string | null;
}

function toVaultRecord(row: VaultColumns): VaultRecord {
  return {
    id: row.id as VaultId,
    name: row.name,
    path: row.path,
    obsidianId: row.obsidian_id,
    ignorePatterns: parseTexts(row.ignore_patterns),
    paused: row.paused === 1,
    addedAt: row.added_at,
    removedAt: row.removed_at,
    rootIdentity: row.root_identity,
  };
}

/** The vaults that the user added. */
export class VaultStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Vaults in use, oldest first. */
  list(): VaultRecord[] {
    return this.#all('WHERE removed_at IS NULL');
  }

  /** Vaults in use and removed vaults that can be restored, oldest first. */
  listWithRemoved(): VaultRecord[] {
    return this.#all('');
  }

  get(id: VaultId): VaultRecord | undefined {
    const row = this.#db.get<VaultColumns>('SELECT * FROM vaults WHERE id = ?', id);
    return row && toVaultRecord(row);
  }

  insert(vault: VaultRecord): void {
    this.#db.run(
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
  }

  setIgnorePatterns(id: VaultId, patterns: string[]): void {
    this.#db.run('UPDATE vaults SET ignore_patterns = ? WHERE id = ?', JSON.stringify(patterns), id);
  }

  setPaused(id: VaultId, paused: boolean): void {
    this.#db.run('UPDATE vaults SET paused = ? WHERE id = ?', paused ? 1 : 0, id);
  }

  setRootIdentity(id: VaultId, identity: string): void {
    this.#db.run('UPDATE vaults SET root_identity = ? WHERE id = ?', identity, id);
  }

  /** The vault's folder is now another one. */
  setPath(id: VaultId, path: string): void {
    this.#db.run('UPDATE vaults SET path = ?, root_identity = NULL WHERE id = ?', path, id);
  }

  setRemovedAt(id: VaultId, at: number | null): void {
    this.#db.run('UPDATE vaults SET removed_at = ? WHERE id = ?', at, id);
  }

  /** Erases a vault whose notes were erased before: otherwise their full text would remain. */
  erase(id: VaultId): void {
    this.#db.run('DELETE FROM vaults WHERE id = ?', id);
  }

  #all(where: string): VaultRecord[] {
    return this.#db
      .all<VaultColumns>(`SELECT * FROM vaults ${where} ORDER BY added_at, id`)
      .map(toVaultRecord);
  }
}
