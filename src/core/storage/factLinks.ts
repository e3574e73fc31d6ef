import type { FactId, TurnId } from '../../shared/ids.ts';
import type { Db } from './database.ts';
import { isPairSettled } from './factReviews.ts';
import { factInUse } from './factRows.ts';

/** When, and by which turn, if one taught it. */
export interface Cause {
  /** Milliseconds since 1970. */
  at: number;
  turnId: TurnId | null;
}

/** A newer fact, and an older one that it superseded. */
interface Edge {
  to_id: FactId;
  from_id: FactId;
}

/** SQL: did the older fact of an edge only wait for the user's word, who then stated it? */
export const wasPending = (older: string): string =>
  `EXISTS (SELECT 1 FROM fact_edges d WHERE d.to_id = ${older} AND d.kind = 'derived-from')`;

/**
 * SQL: is a fact superseded by one that is said, or was erased since? By way of facts that are no longer said too, which may have been
 * superseded in their turn.
 */
const isSuperseded = (id: string): string =>
  `EXISTS (
     WITH RECURSIVE newer(id) AS (
       SELECT from_id FROM fact_edges WHERE to_id = ${id} AND kind = 'updates'
       UNION SELECT e.from_id FROM newer n JOIN facts u ON u.id = n.id AND u.unsaid_at IS NOT NULL
         JOIN fact_edges e ON e.to_id = n.id AND e.kind = 'updates'
     ) SELECT 1 FROM newer n LEFT JOIN facts s ON s.id = n.id WHERE s.unsaid_at IS NULL)`;

/** Records what newer facts did to older ones. */
export class FactLinks {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Takes an older fact out of use: a newer one is true instead. */
  supersede(older: FactId, newer: FactId, by: Cause): void {
    this.#db.run("UPDATE facts SET state = 'superseded' WHERE id = ?", older);
    this.#link(older, newer, { ...by, kind: 'updates' });
  }

  /** Takes a pending fact out of Review: a newer one, which the user stated, says it. Pending again once the newer one is taken back. */
  settlePending(pending: FactId, newer: FactId, by: Cause): void {
    this.supersede(pending, newer, by);
    this.#link(pending, newer, { ...by, kind: 'derived-from' });
  }

  /** Notes that two facts in use say otherwise. */
  contradict(older: FactId, newer: FactId, by: Cause): void {
    this.#link(older, newer, { ...by, kind: 'contradicts' });
  }

  /** Notes that two facts in use may say the same. */
  relate(older: FactId, newer: FactId, by: Cause): void {
    this.#link(older, newer, { ...by, kind: 'related' });
  }

  /** Is there an edge between two facts, or did the user decide to leave them beside each other? */
  areConnected(one: FactId, other: FactId): boolean {
    return (
      this.#db.get(
        `SELECT 1 WHERE ${isPairSettled('@one', '@other')} OR EXISTS (
           SELECT 1 FROM fact_edges WHERE from_id = @one AND to_id = @other OR from_id = @other AND to_id = @one)`,
        { one, other },
      ) !== undefined
    );
  }

  #link(
    to: FactId,
    from: FactId,
    { kind, at, turnId }: Cause & { kind: 'updates' | 'contradicts' | 'related' | 'derived-from' },
  ): void {
    this.#db.run(
      'INSERT OR IGNORE INTO fact_edges (from_id, to_id, kind, at, turn_id) VALUES (?, ?, ?, ?, ?)',
      from,
      to,
      kind,
      at,
      turnId,
    );
  }

  /**
   * Brings back what a fact superseded when a turn taught it.
   * @returns the facts that are no longer superseded
   */
  release(newer: FactId, turnId: TurnId): FactId[] {
    return this.#unlink(
      this.#db.all<Edge>(
        "SELECT to_id, from_id FROM fact_edges WHERE from_id = ? AND kind = 'updates' AND turn_id = ?",
        newer,
        turnId,
      ),
    );
  }

  /**
   * Of facts whose key changed, brings back those that gave their value to somebody who turned out to be another; what the user merged
   * stays merged.
   * @returns the facts that are no longer superseded
   */
  part(rekeyed: readonly FactId[]): FactId[] {
    return this.#unlink(
      this.#db.all<Edge>(
        `SELECT e.to_id, e.from_id FROM fact_edges e JOIN facts o ON o.id = e.to_id JOIN facts n ON n.id = e.from_id
         WHERE e.kind = 'updates' AND o.key <> n.key
           AND NOT EXISTS (SELECT 1 FROM fact_merges m WHERE m.fact_id = e.from_id AND m.at = e.at)
           AND (e.to_id IN (SELECT value FROM json_each(@ids))
           OR e.from_id IN (SELECT value FROM json_each(@ids)))`,
        { ids: JSON.stringify(rekeyed) },
      ),
    );
  }

  /** Takes back that a fact superseded some others. @returns those that are in use again: no third one superseded them */
  reinstate(older: readonly FactId[], newer: FactId): FactId[] {
    return this.#unlink(older.map((to_id) => ({ to_id, from_id: newer })));
  }

  #unlink(edges: readonly Edge[]): FactId[] {
    return edges.flatMap(({ to_id, from_id }) => {
      this.#db.run(
        "DELETE FROM fact_edges WHERE to_id = ? AND from_id = ? AND kind = 'updates'",
        to_id,
        from_id,
      );
      const { changes } = this.#db.run(
        `UPDATE facts SET state = iif(${wasPending('facts.id')}, 'pending', 'current') WHERE id = @id AND state = 'superseded'
           AND NOT ${isSuperseded('@id')}`,
        { id: to_id },
      );
      this.#db.run(
        "DELETE FROM fact_edges WHERE to_id = ? AND from_id = ? AND kind = 'derived-from'",
        to_id,
        from_id,
      );
      return changes > 0 ? [to_id] : [];
    });
  }

  /**
   * Has what some facts superseded follow whether these are said.
   * @returns what is superseded no longer
   */
  followSaid(newer: readonly FactId[]): FactId[] {
    const older = this.#db.all<{ id: FactId; state: string; superseded: number }>(
      `WITH RECURSIVE older(id) AS (
         SELECT to_id FROM fact_edges WHERE from_id IN (SELECT value FROM json_each(?)) AND kind = 'updates'
         UNION SELECT e.to_id FROM older o JOIN fact_edges e ON e.from_id = o.id AND e.kind = 'updates'
       ) SELECT f.id, f.state, ${isSuperseded('f.id')} AS superseded FROM older o JOIN facts f ON f.id = o.id`,
      JSON.stringify(newer),
    );
    const changed = older.filter(({ state, superseded }) => (state === 'superseded') !== (superseded === 1));
    for (const { id, superseded } of changed)
      this.#db.run(
        `UPDATE facts SET state = CASE WHEN @superseded THEN 'superseded' WHEN ${wasPending('facts.id')} THEN 'pending'
           ELSE 'current' END WHERE id = @id`,
        { id, superseded },
      );
    return changed.filter(({ superseded }) => superseded === 0).map(({ id }) => id);
  }

  /** A fact, all that it superseded, directly or not, and all that superseded it. */
  chain(id: FactId): FactId[] {
    return this.#db
      .all<{ id: FactId }>(
        `WITH RECURSIVE older(id) AS (
           SELECT @id UNION SELECT e.to_id FROM older JOIN fact_edges e ON e.from_id = older.id AND e.kind = 'updates'
         ), newer(id) AS (
           SELECT @id UNION SELECT e.from_id FROM newer JOIN fact_edges e ON e.to_id = newer.id AND e.kind = 'updates'
         )
         SELECT id FROM older UNION SELECT id FROM newer`,
        { id },
      )
      .map((row) => row.id);
  }

  /** Of the facts in use that have the key of one of `ids`, all but the latest are superseded. */
  settle(ids: readonly FactId[], by: { at: number; turnId?: TurnId | null }): void {
    const keys = this.#db.all<{ key: string }>(
      `SELECT DISTINCT key FROM facts WHERE key IS NOT NULL AND id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    for (const { key } of keys) {
      const [latest, ...older] = this.#db.all<{ id: FactId; turn_id: TurnId | null }>(
        `SELECT f.id, f.turn_id FROM facts f WHERE f.key = @key AND ${factInUse('f')}
         ORDER BY f.created_at DESC, f.rowid DESC`,
        { key, now: by.at },
      );
      for (const { id } of older)
        if (latest) this.supersede(id, latest.id, { at: by.at, turnId: by.turnId ?? latest.turn_id });
    }
  }
}
