import type { ConversationId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import type { PassageRow } from '../items/passage.ts';
import type { Db } from '../storage/database.ts';
import { VaultStore } from '../storage/vaults.ts';

/** The folders that a conversation is about, as places of notes. */
export class FolderNotes {
  readonly #db: Db;
  /** The folders that reach into each vault: a path in it that ends with '/', or '' for the whole vault. */
  readonly #inVault: ReadonlyMap<string, readonly { folder: string; within: string }[]>;

  private constructor(db: Db, folders: readonly string[]) {
    this.#db = db;
    this.#inVault = new Map(
      new VaultStore(db)
        .list()
        .map(({ id, path }) => [id, folders.flatMap((folder) => placeIn(path, folder) ?? [])]),
    );
  }

  /** Null if the conversation is about no folder, or about folders alone that hold no note. */
  static ofConversation(db: Db, id: ConversationId | undefined): FolderNotes | null {
    if (id === undefined) return null;
    const row = db.get<{ folders: string }>('SELECT folders FROM conversations WHERE id = ?', id);
    const folders = parseTexts(row?.folders ?? '[]');
    if (folders.length === 0) return null;
    const notes = new FolderNotes(db, folders);
    return [...notes.#inVault.values()].some((some) => some.length > 0) ? notes : null;
  }

  /** Which of some passages lie in these folders, by row id. */
  among(rowids: readonly number[]): Set<number> {
    return new Set(
      this.#db
        .all<{ rowid: number; vaultId: string; path: string }>(
          `SELECT c.rowid, n.vault_id AS vaultId, n.path FROM json_each(?) j JOIN chunks c ON c.rowid = j.value
             JOIN notes n ON n.id = c.note_id`,
          JSON.stringify(rowids),
        )
        .filter((row) => this.folderOf(row) !== null)
        .map(({ rowid }) => rowid),
    );
  }

  /** The folder that a note lies in, the innermost of several; null if it lies in none of them. */
  folderOf({ vaultId, path }: Pick<PassageRow, 'path'> & { vaultId: string }): string | null {
    const place = path.normalize('NFC');
    const [innermost] = (this.#inVault.get(vaultId) ?? [])
      .filter(({ within }) => place.startsWith(within))
      .sort((one, other) => other.folder.length - one.folder.length);
    return innermost?.folder ?? null;
  }
}

/** Where a folder reaches into a vault; null if they have nothing in common. Both are absolute, with symbolic links resolved. */
function placeIn(vault: string, folder: string): { folder: string; within: string } | null {
  const root = withSlash(vault);
  const place = withSlash(folder);
  if (root.startsWith(place)) return { folder, within: '' };
  return place.startsWith(root) ? { folder, within: place.slice(root.length) } : null;
}

const withSlash = (path: string): string =>
  `${path.normalize('NFC').replaceAll('\\', '/').replace(/\/$/, '')}/`;
