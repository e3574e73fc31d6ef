import { z } from 'zod';
import { FactKind } from '../../shared/contract/facts.ts';
import { FactId } from '../../shared/ids.ts';
import { parseJson } from '../../shared/json.ts';
import { sha256 } from '../support/ids.ts';
import type { Db } from './database.ts';
import { type FactColumns, factInUse } from './factRows.ts';
import type { FactStore } from './facts.ts';
import { addRevision } from './learnt.ts';
import type { Tie } from './people.ts';

/** What a merge may change of the fact that it keeps, as columns. */
const Kept = z.object({
  content: z.string(),
  subjects: z.string(),
  kind: FactKind,
  importance: z.number(),
  pinned: z.number(),
  value: z.string().nullable(),
  expires_at: z.number().nullable(),
  confidence: z.number(),
  created_at: z.number(),
  entity: z.string().nullable(),
  relation: z.string().nullable(),
  key: z.string().nullable(),
});
export type Kept = z.infer<typeof Kept>;
const COLUMNS = Object.keys(Kept.shape) as (keyof Kept)[];

/** What is stored of a merge: enough to be undone. */
export const MergeRecord = z.object({
  row: Kept,
  updatedAt: z.number(),
  lastUsedAt: z.number().nullable(),
  /** Uses that were added. */
  uses: z.number().int(),
  /** Is the former wording a revision? */
  reworded: z.boolean(),
  /** Hash of what the merge made of the row: it can be undone while the fact still is so. */
  made: z.string(),
  merged: z.array(FactId),
  ties: z.array(z.tuple([z.string(), z.string(), z.string()])),
  edges: z.array(z.tuple([z.string(), z.string(), z.string()])),
  reviews: z.array(z.tuple([z.string(), z.string(), z.string()])),
});
type MergeRecord = z.infer<typeof MergeRecord>;

/** Facts that become one. */
export interface Merge {
  into: FactId;
  merged: readonly FactId[];
  /** What the fact that is kept becomes. */
  row: Kept;
  at: number;
}

/** Makes one fact of several, and several of one again. In the caller's transaction. */
export class FactMerges {
  readonly #db: Db;
  readonly #store: FactStore;

  constructor(db: Db, store: FactStore) {
    this.#db = db;
    this.#store = store;
  }

  /** Those of some facts that are in use, the oldest first. */
  inUse(ids: readonly FactId[], now: number): FactColumns[] {
    return this.#db.all<FactColumns>(
      `SELECT f.*, NULL AS conversation_id FROM facts f
       WHERE f.id IN (SELECT value FROM json_each(@ids)) AND ${factInUse('f')} ORDER BY f.created_at, f.rowid`,
      { ids: JSON.stringify(ids), now },
    );
  }

  /** When something was last merged into a fact; null if nothing was, or it has changed since. */
  lastMerge(id: FactId, now: number): number | null {
    return this.#undoable(id, now)?.at ?? null;
  }

  /** The merged facts are superseded by the one that is kept, which takes over their uses, people and edges. */
  merge({ into, merged, row, at: now }: Merge): void {
    const before = this.#row(into);
    if (!before) return;
    const at = Math.max(now, (this.#latest(into)?.at ?? 0) + 1);
    const reworded = before.content !== row.content;
    if (reworded) addRevision(this.#db, into, { ...before, at, turnId: null });
    this.#write(into, row);
    const { uses, last } = this.#usesOf(merged);
    this.#db.run(
      `UPDATE facts SET updated_at = @at, use_count = use_count + @uses, last_used_at = nullif(max(coalesce(last_used_at, 0), @last), 0)
       WHERE id = @into`,
      { into, at, uses, last: last ?? 0 },
    );
    const record: MergeRecord = {
      row: pick(before),
      updatedAt: before.updated_at,
      lastUsedAt: before.last_used_at,
      uses,
      reworded,
      made: hashOf(row),
      merged: [...merged],
      ties: this.#takeOverTies(into, merged),
      edges: this.#takeOverEdges(into, merged),
      reviews: this.#takeOverReviews(into, { merged, at }),
    };
    this.#db.run('INSERT INTO fact_merges VALUES (?, ?, ?)', into, at, JSON.stringify(record));
    for (const id of merged) this.#store.links.supersede(id, into, { at, turnId: null });
    this.#store.writeTerms(into);
  }

  /**
   * Undoes the last merge into a fact: each is again what it was.
   * @returns them; null if nothing was merged into it, or it has changed since, and nothing was done
   */
  unmerge(id: FactId, now: number): FactId[] | null {
    const last = this.#undoable(id, now);
    if (!last) return null;
    const { at, record } = last;
    const rekeyed = this.#store.people.remove(
      id,
      record.ties.map(([person, tie, value]) => ({ person, tie: tie as Tie['tie'], value })),
    );
    for (const [from, to, kind] of record.edges)
      this.#db.run('DELETE FROM fact_edges WHERE from_id = ? AND to_id = ? AND kind = ?', from, to, kind);
    for (const [one, other, kind] of record.reviews)
      this.#db.run(
        'DELETE FROM fact_reviews WHERE fact_id = ? AND other_id = ? AND kind = ?',
        one,
        other,
        kind,
      );
    if (record.reworded)
      this.#db.run(
        'DELETE FROM fact_revisions WHERE fact_id = @id AND ordinal = (SELECT max(ordinal) FROM fact_revisions WHERE fact_id = @id)',
        { id },
      );
    const present = this.#row(id);
    // Who its person is may have become known since.
    const { key } = record.row.entity === null ? record.row : (present ?? record.row);
    this.#write(id, { ...record.row, key });
    this.#db.run(
      `UPDATE facts SET updated_at = @updatedAt, use_count = max(0, use_count - @uses),
         last_used_at = iif(last_used_at > @at, last_used_at, @lastUsedAt) WHERE id = @id`,
      { id, at, uses: record.uses, updatedAt: record.updatedAt, lastUsedAt: record.lastUsedAt },
    );
    this.#db.run('DELETE FROM fact_merges WHERE fact_id = ? AND at = ?', id, at);
    this.#store.links.reinstate(record.merged, id);
    this.#store.writeTerms(id);
    const { links } = this.#store;
    const released = links.part(rekeyed);
    links.settle([id, ...record.merged, ...rekeyed, ...released], { at: now });
    return [id, ...record.merged];
  }

  #undoable(id: FactId, now: number): { at: number; record: MergeRecord } | null {
    const last = this.#latest(id);
    const record = last && MergeRecord.safeParse(parseJson(last.before));
    if (!last || !record?.success) return null;
    const [row] = this.inUse([id], now);
    return row && hashOf(pick(row)) === record.data.made ? { at: last.at, record: record.data } : null;
  }

  #latest(id: FactId): { at: number; before: string } | undefined {
    return this.#db.get('SELECT at, before FROM fact_merges WHERE fact_id = ? ORDER BY at DESC LIMIT 1', id);
  }

  #row(id: FactId): FactColumns | undefined {
    return this.#db.get<FactColumns>('SELECT * FROM facts WHERE id = ?', id);
  }

  #write(id: FactId, row: Kept): void {
    this.#db.run(
      `UPDATE facts SET ${COLUMNS.map((column) => `${column} = @${column}`).join(', ')},
         retired_at = iif(expires_at IS @expires_at, retired_at, NULL) WHERE id = @id`,
      { id, ...row },
    );
  }

  #usesOf(ids: readonly FactId[]): { uses: number; last: number | null } {
    return (
      this.#db.get<{ uses: number; last: number | null }>(
        `SELECT coalesce(sum(use_count), 0) AS uses, max(last_used_at) AS last FROM facts
         WHERE id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      ) ?? { uses: 0, last: null }
    );
  }

  #takeOverTies(into: FactId, merged: readonly FactId[]): MergeRecord['ties'] {
    return this.#db
      .all<Tie>(
        `INSERT OR IGNORE INTO fact_people (fact_id, person, tie, value, said, turn_id)
         SELECT @into, person, tie, value, said, NULL FROM fact_people
         WHERE fact_id IN (SELECT value FROM json_each(@merged)) RETURNING person, tie, value`,
        { into, merged: JSON.stringify(merged) },
      )
      .map(({ person, tie, value }) => [person, tie, value]);
  }

  /** What they superseded stays theirs: it is history. */
  #takeOverEdges(into: FactId, merged: readonly FactId[]): MergeRecord['edges'] {
    return this.#db
      .all<{ from_id: string; to_id: string; kind: string }>(
        `WITH merged AS (SELECT value AS id FROM json_each(@merged))
         INSERT OR IGNORE INTO fact_edges (from_id, to_id, kind, at, turn_id)
         SELECT iif(e.from_id IN merged, @into, e.from_id), iif(e.to_id IN merged, @into, e.to_id), e.kind, min(e.at), NULL
         FROM fact_edges e
         WHERE e.kind <> 'updates' AND (e.from_id IN merged) <> (e.to_id IN merged) AND e.from_id <> @into AND e.to_id <> @into
         GROUP BY 1, 2, 3 RETURNING from_id, to_id, kind`,
        { into, merged: JSON.stringify(merged) },
      )
      .map(({ from_id, to_id, kind }) => [from_id, to_id, kind]);
  }

  /** What was to stay beside them stays beside the fact that is kept. */
  #takeOverReviews(
    into: FactId,
    { merged, at }: { merged: readonly FactId[]; at: number },
  ): MergeRecord['reviews'] {
    return this.#db
      .all<{ fact_id: string; other_id: string; kind: string }>(
        `WITH merged AS (SELECT value AS id FROM json_each(@merged)),
         beside AS (SELECT iif(fact_id IN merged, other_id, fact_id) AS id, kind FROM fact_reviews
                    WHERE other_id <> '' AND (fact_id IN merged) <> (other_id IN merged))
         INSERT OR IGNORE INTO fact_reviews (fact_id, other_id, kind, at)
         SELECT min(id, @into), max(id, @into), kind, @at FROM beside
         WHERE id <> @into AND min(id, @into) IN (SELECT id FROM facts) RETURNING fact_id, other_id, kind`,
        { into, at, merged: JSON.stringify(merged) },
      )
      .map(({ fact_id, other_id, kind }) => [fact_id, other_id, kind]);
  }
}

/** The columns that a merge may change. */
export const pick = (row: FactColumns): Kept =>
  Kept.parse(Object.fromEntries(COLUMNS.map((column) => [column, row[column]])));

/** Without the key, which follows from who people are. */
const hashOf = ({ key: _, ...row }: Kept): string =>
  sha256(JSON.stringify(COLUMNS.filter((column) => column !== 'key').map((column) => (row as Kept)[column])));
