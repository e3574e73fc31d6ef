import type { Fact } from '../../shared/contract/facts.ts';
import type { ConversationId, FactId, TurnId } from '../../shared/ids.ts';
import { sha256 } from '../support/ids.ts';
import { foldedWords } from '../support/text/tokenise.ts';
import type { Db } from './database.ts';
import { type FactColumns, factInUse, SELECT_FACTS, toFacts } from './factRows.ts';
import { type LearntRow, readLearnt } from './learnt.ts';
import { findReplacements, type Replacement } from './outdatedTurns.ts';
import { PeopleStore } from './people.ts';

/** Which facts a list shows. */
export interface FactQuery {
  /** Contained in content or subjects; empty for any. */
  text: string;
  /** In any state; otherwise only those in use. */
  all: boolean;
  now: number;
  /** Only these; null for any. */
  ids?: readonly FactId[] | null;
}

const IN_USE = factInUse('f');
const PENDING =
  "f.state = 'pending' AND f.forgotten_at IS NULL AND f.unsaid_at IS NULL AND (f.expires_at IS NULL OR f.expires_at > @now)";
/** How many facts of each word of a statement are compared with it, and how many of those in full. */
const NEWEST_OF_A_WORD = 100;
const CANDIDATES = 30;
/** Important facts that are given whatever is asked (section 3 of the product's description). */
const MOST_IMPORTANT = 10;

/** What decides which facts are candidates whatever is asked. Times in milliseconds since 1970. */
interface AlwaysRule {
  now: number;
  importanceFloor: number;
  /** Facts created since then are recent. */
  since: number;
  limit: number;
  /** Row ids; null for any. */
  within: ReadonlySet<number> | null;
}

/** A fact that is a candidate whatever is asked; `given` says why it is given whatever its score, null if it has to reach the minimum. */
export interface AlwaysFact {
  rowid: number;
  given: 'identity' | 'pinned' | 'important' | null;
}

/** Reads facts. */
export class FactQueries {
  protected readonly db: Db;
  readonly people: PeopleStore;

  constructor(db: Db) {
    this.db = db;
    this.people = new PeopleStore(db);
  }

  get(id: FactId, now: number): Fact | undefined {
    const row = this.db.get<FactColumns>(`${SELECT_FACTS} WHERE f.id = ?`, id);
    return row && toFacts(this.db, [row], now)[0];
  }

  /** Those of `ids` that exist, in any state. */
  getAll(ids: readonly FactId[], now: number): Fact[] {
    const rows = this.db.all<FactColumns>(
      `${SELECT_FACTS} WHERE f.id IN (SELECT value FROM json_each(?)) ORDER BY f.rowid`,
      JSON.stringify(ids),
    );
    return toFacts(this.db, rows, now);
  }

  /** The newest first; without `all`, only those in use. */
  list(query: FactQuery): Fact[] {
    const like = `%${query.text.replace(/[\\%_]/g, '\\$&')}%`;
    const rows = this.db.all<FactColumns>(
      `${SELECT_FACTS} WHERE (@like = '%%' OR f.content LIKE @like ESCAPE '\\' OR f.subjects LIKE @like ESCAPE '\\')
         AND (@all = 1 OR ${IN_USE}) AND (@ids IS NULL OR f.id IN (SELECT value FROM json_each(@ids)))
       ORDER BY f.created_at DESC, f.rowid DESC`,
      { like, all: query.all ? 1 : 0, now: query.now, ids: query.ids ? JSON.stringify(query.ids) : null },
    );
    return toFacts(this.db, rows, query.now);
  }

  /** Facts, in any state, with a subject, or about somebody of that name, alias or kinship. */
  about(subject: string): FactId[] {
    const words = foldedWords(subject);
    const bySubject = this.db
      .all<{ id: FactId }>('SELECT fact_id AS id FROM fact_subjects WHERE subject = ?', words)
      .map(({ id }) => id);
    const people = this.people.having(['name', 'alias', 'kinship'], words);
    return [...new Set([...bySubject, ...people.flatMap((person) => this.people.factsOf(person))])];
  }

  /**
   * Facts that are candidates whatever is asked, and which of them are given whatever is asked: identity, what the user pinned, the ten most
   * important; then, as candidates, other important ones and recent ones.
   */
  alwaysConsidered({ within, ...rule }: AlwaysRule): AlwaysFact[] {
    const those = `${IN_USE} ${within ? 'AND f.rowid IN (SELECT value FROM json_each(@within))' : ''}`;
    return this.db.all<AlwaysFact>(
      `WITH important AS (
         SELECT f.rowid FROM facts f WHERE f.importance >= @importanceFloor AND f.kind <> 'identity' AND ${those}
         ORDER BY f.importance DESC, f.created_at DESC, f.rowid LIMIT ${MOST_IMPORTANT}
       )
       SELECT f.rowid, CASE WHEN f.kind = 'identity' THEN 'identity' WHEN f.pinned = 1 THEN 'pinned'
                            WHEN f.rowid IN (SELECT rowid FROM important) THEN 'important' END AS given
       FROM facts f
       WHERE f.rowid IN (SELECT rowid FROM facts WHERE kind = 'identity'
                         UNION ALL SELECT rowid FROM facts WHERE pinned = 1
                         UNION ALL SELECT rowid FROM facts WHERE importance >= @importanceFloor
                         UNION ALL SELECT rowid FROM facts WHERE created_at >= @since) AND ${those}
       ORDER BY given IS 'identity' DESC, given IS 'pinned' DESC, given IS NULL, f.importance DESC, f.created_at DESC, f.rowid
       LIMIT @limit`,
      { ...rule, within: within ? JSON.stringify([...within]) : null },
    );
  }

  /** What some turns taught, as they taught it; forgotten facts left out. */
  ofTurns(turnIds: readonly TurnId[], now: number): LearntRow[] {
    return readLearnt(this.db, turnIds, now);
  }

  /** For those of some turns that taught what is no longer true, the facts in use that are true instead. */
  replacementsOf(turnIds: readonly TurnId[], now: number): Replacement[] {
    return findReplacements(this.db, turnIds, now);
  }

  /** How many pending facts each of some turns suggested; turns without any left out. */
  suggestedBy(turnIds: readonly TurnId[], now: number): Map<TurnId, number> {
    const rows = this.db.all<{ id: TurnId; n: number }>(
      `SELECT f.turn_id AS id, count(*) AS n FROM facts f
       WHERE f.turn_id IN (SELECT value FROM json_each(@ids)) AND ${PENDING} GROUP BY f.turn_id`,
      { ids: JSON.stringify(turnIds), now },
    );
    return new Map(rows.map(({ id, n }) => [id, n]));
  }

  /** Facts in use that turns of a conversation taught. */
  ofConversation(id: ConversationId, now: number): FactId[] {
    return this.db
      .all<{ id: string }>(
        `SELECT f.id FROM facts f JOIN turns t ON t.id = f.turn_id
         WHERE t.conversation_id = @id AND ${IN_USE} ORDER BY f.rowid`,
        { id, now },
      )
      .map((row) => row.id as FactId);
  }

  /**
   * Facts in use, or else those that are pending, that may be about the same as a statement: those of its key, those that say who is
   * somebody's boss or doctor if it does, and those that hold most of some terms. Costs the same however many facts there are: of each
   * word, the newest facts are looked at.
   * @param statement.roles kinships in English
   */
  candidates(
    statement: { terms: ReadonlySet<string>; content: string; key: string | null; roles: readonly string[] },
    now: number,
    state: 'current' | 'pending' = 'current',
  ): FactColumns[] {
    const shared = new Map<number, number>();
    for (const term of statement.terms) {
      const rows = this.db.all<{ rowid: number }>(
        'SELECT rowid FROM fact_fts WHERE fact_fts MATCH ? ORDER BY rowid DESC LIMIT ?',
        `"${term.replaceAll('"', '""')}"`,
        NEWEST_OF_A_WORD,
      );
      for (const { rowid } of rows) shared.set(rowid, (shared.get(rowid) ?? 0) + 1);
    }
    const closest = [...shared]
      .sort(([one, ours], [other, theirs]) => theirs - ours || other - one)
      .slice(0, CANDIDATES)
      .map(([rowid]) => rowid);
    return this.db.all<FactColumns>(
      `${SELECT_FACTS} WHERE f.rowid IN (
           SELECT value FROM json_each(@closest)
           UNION SELECT * FROM (SELECT rowid FROM facts WHERE key = @key AND state = @state ORDER BY rowid DESC LIMIT @most)
           UNION SELECT rowid FROM facts WHERE text_hash = @hash
           UNION SELECT * FROM (
             SELECT r.rowid FROM fact_people p JOIN facts r ON r.id = p.fact_id
             WHERE p.tie = 'kinship' AND p.value IN (SELECT value FROM json_each(@roles)) LIMIT @most))
         AND ${state === 'current' ? IN_USE : PENDING} ORDER BY f.created_at DESC, f.rowid DESC`,
      {
        closest: JSON.stringify(closest),
        key: statement.key,
        hash: sha256(statement.content),
        roles: JSON.stringify(statement.roles),
        most: CANDIDATES,
        state,
        now,
      },
    );
  }

  /** Rows of facts in use, in any order. */
  inUse(ids: readonly FactId[], now: number): FactColumns[] {
    return this.db.all<FactColumns>(
      `${SELECT_FACTS} WHERE f.id IN (SELECT value FROM json_each(@ids)) AND ${IN_USE}`,
      { ids: JSON.stringify(ids), now },
    );
  }

  /** Is a fact as a turn taught it, neither changed since nor connected with another? */
  isAsTaught(id: FactId): boolean {
    return (
      this.db.get(
        `SELECT 1 FROM facts f WHERE f.id = @id AND f.turn_id IS NOT NULL AND f.source = 'chat' AND f.pinned = 0
           AND f.updated_at = f.created_at
           AND NOT EXISTS (SELECT 1 FROM fact_revisions r WHERE r.fact_id = f.id)
           AND NOT EXISTS (SELECT 1 FROM fact_merges m WHERE m.fact_id = f.id)
           AND NOT EXISTS (SELECT 1 FROM fact_edges e WHERE e.from_id = f.id OR e.to_id = f.id)
           AND NOT EXISTS (SELECT 1 FROM fact_people p WHERE p.fact_id = f.id AND p.tie IN ('alias', 'same'))`,
        { id },
      ) !== undefined
    );
  }

  /** When `expireDue` next has something to do, in milliseconds since 1970; null if no fact expires. */
  nextExpiry(): number | null {
    return (
      this.db.get<{ at: number | null }>(
        'SELECT min(expires_at) AS at FROM facts WHERE expires_at IS NOT NULL AND retired_at IS NULL',
      )?.at ?? null
    );
  }
}
