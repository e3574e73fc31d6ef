import type { FactId, NoteId, VaultId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import { blockHash, blocksOf } from '../support/text/blocks.ts';
import type { Db } from './database.ts';

/** The block of a note that a fact was learnt from. */
export interface Anchor {
  vaultId: VaultId;
  /** Relative to the vault. It follows the note when that is renamed. */
  path: string;
  /** Headings from the first level down. */
  heading: string[];
  /** `blockHash` of the block as it was; null if the note is no longer compared with the fact. */
  hash: string | null;
}

/**
 * Compares notes with the facts that were learnt from them: such a fact is stale while no block of its note is what it was. It stays
 * in use, for a note says something else for many reasons; the user decides.
 */
export class FactAnchors {
  readonly #db: Db;
  readonly #onChange: () => void;

  /** @param onChange called after each commit that changed which facts are stale */
  constructor(db: Db, onChange: () => void) {
    this.#db = db;
    this.#onChange = onChange;
  }

  /** Ties a fact to a block, which it agrees with now. */
  set(id: FactId, { vaultId, path, heading, hash }: Anchor): void {
    this.#db.transaction(() => {
      this.#db.run(
        'UPDATE facts SET anchor_vault_id = ?, anchor_path = ?, anchor_heading = ?, anchor_hash = ? WHERE id = ?',
        vaultId,
        path,
        JSON.stringify(heading),
        hash,
        id,
      );
      this.#agree([id]);
    });
  }

  /** Where a fact was learnt; undefined if not from a note. */
  get(id: FactId): Anchor | undefined {
    const row = this.#db.get<{ vault: VaultId | null; path: string; heading: string; hash: string | null }>(
      `SELECT anchor_vault_id AS vault, anchor_path AS path, anchor_heading AS heading, anchor_hash AS hash
       FROM facts WHERE id = ?`,
      id,
    );
    if (!row?.vault) return undefined;
    return { vaultId: row.vault, path: row.path, heading: parseTexts(row.heading), hash: row.hash };
  }

  /** Facts that are stale, the latest first. */
  stale(): FactId[] {
    return this.#db
      .all<{ id: FactId }>('SELECT fact_id AS id FROM fact_drift ORDER BY since DESC, fact_id')
      .map(({ id }) => id);
  }

  /**
   * Finds out which facts a note still bears out, in the transaction that writes it. One lookup for a note that taught nothing.
   * @param passages its Markdown, passage by passage; none if the note is gone
   * @param at milliseconds since 1970
   */
  compare(noteId: NoteId, passages: readonly string[], at: number): void {
    const facts = this.#db.all<{ id: FactId; hash: string }>(
      `SELECT f.id, f.anchor_hash AS hash FROM notes n
       CROSS JOIN facts f ON f.anchor_vault_id = n.vault_id AND f.anchor_path = n.path AND f.anchor_path IS NOT NULL
       WHERE n.id = ? AND f.anchor_hash IS NOT NULL`,
      noteId,
    );
    if (facts.length === 0) return;
    const hashes = new Set(passages.flatMap((text) => [text, ...blocksOf(text)]).map(blockHash));
    this.#agree(facts.filter(({ hash }) => hashes.has(hash)).map(({ id }) => id));
    const lost = facts.filter(({ hash }) => !hashes.has(hash)).map(({ id }) => id);
    const { changes } = this.#db.run(
      'INSERT INTO fact_drift (fact_id, since) SELECT value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING',
      at,
      JSON.stringify(lost),
    );
    if (changes > 0) this.#db.afterCommit(this.#onChange);
  }

  #agree(ids: readonly FactId[]): void {
    const { changes } = this.#db.run(
      'DELETE FROM fact_drift WHERE fact_id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    );
    if (changes > 0) this.#db.afterCommit(this.#onChange);
  }
}
