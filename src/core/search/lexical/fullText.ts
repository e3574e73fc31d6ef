import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { items, KINDS, type Kind, type RowOf } from '../../items/index.ts';
import type { RowKeys } from '../../items/item.ts';
import { type PlacedTurn, turnsBetween } from '../../items/turn.ts';
import { type Voice, voicesIn } from '../../items/voices.ts';
import type { Db } from '../../storage/database.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import { Attempts } from '../skipped.ts';
import { type RowSet, rowSetOf } from '../vector/queryVector.ts';
import type { KnownRows, TurnBeside } from './knownRows.ts';
import type { Postings, Scores } from './postings.ts';
import type { NearSpelling } from './spellings.ts';
import type { TermIndex } from './termIndex.ts';
import { Terms } from './terms.ts';
import type { WeightedTerm } from './textScore.ts';

/** The statistics are read again once the index has grown or shrunk by this share. */
const DRIFT = 0.05;

/** BM25 statistics of one index. */
interface Statistics {
  rows: number;
  averageTerms: number;
  highestRow: number;
  /** Of words that some row holds. */
  documentFrequency: Map<string, number>;
  /** Words that no row held when they were looked up. */
  absent: Set<string>;
}

/** Where items may belong: one conversation, or every conversation of a channel. */
export type Place = { conversationId: ConversationId } | { channel: string };

/**
 * The full text of each kind of item. Its terms in memory score every row; until they are loaded, FTS5 finds rows and exact scores
 * are computed from the rows' own terms.
 */
export class FullText {
  private readonly cached = new Map<Kind, Statistics>();
  /** Rows that hold the phrases of the present question. */
  private readonly phrases = new Map<string, ReadonlySet<number>>();

  private readonly db: Db;
  private readonly terms: Pick<TermIndex, 'of' | 'rowsOf' | 'drop'> | null;
  /** The numbers of terms. */
  readonly words: Terms;
  private version: string | undefined;
  /** What a question went without. */
  readonly attempts = new Attempts();

  /** @param terms null to search the words in the database */
  constructor(db: Db, terms: Pick<TermIndex, 'of' | 'rowsOf' | 'drop' | 'terms'> | null = null) {
    this.db = db;
    this.terms = terms;
    this.words = terms?.terms ?? new Terms();
  }

  /**
   * Takes note of what was committed since: to be called before each question. Costs a few microseconds if nothing was.
   * @returns what differs once anything was committed
   */
  refresh(): string {
    this.phrases.clear();
    // The first changes with every commit of another connection, the second with every row that this one changes.
    const version =
      this.db.get<{ version: string }>(
        "SELECT data_version || ' ' || total_changes() AS version FROM pragma_data_version",
      )?.version ?? '';
    if (version === this.version) return version;
    this.version = version;
    for (const [kind, known] of this.cached) {
      // Deleted rows leave holes, so the highest row id bounds the count from above, which is enough to notice growth.
      if (Math.abs(this.highestRow(kind) - known.highestRow) > known.rows * DRIFT) this.cached.delete(kind);
      else known.absent.clear();
    }
    return version;
  }

  /** How many rows an index has, and how many terms a row has on average. May lag behind by 5 % of the rows. */
  statistics(kind: Kind): { rows: number; averageTerms: number } {
    return (
      this.inMemory(kind, ({ rows, averageTerms }) => ({ rows, averageTerms })) ??
      this.currentStatistics(kind)
    );
  }

  /** How many rows hold `term`; 0 only if none does. May lag behind the index by 5 % of its rows. */
  documentFrequency(kind: Kind, term: string): number {
    const inMemory = this.inMemory(kind, (postings) => postings.documentFrequency(term));
    if (inMemory !== null) return inMemory;
    const { documentFrequency, absent } = this.currentStatistics(kind);
    const known = documentFrequency.get(term);
    if (known !== undefined) return known;
    if (absent.has(term)) return 0;
    const { vocabulary } = items[kind].fullText;
    const read = () => this.db.get<{ doc: number }>(`SELECT doc FROM ${vocabulary} WHERE term = ?`, term);
    const found = this.attempts.run('text', read, undefined)?.doc ?? 0;
    if (found === 0) absent.add(term);
    else documentFrequency.set(term, found);
    return found;
  }

  /** Terms of any kind that `most` edits or fewer make of this one: none before the terms are loaded. */
  spelledLike(term: string, most: number): NearSpelling[] {
    return this.words.spelledLike(term, most);
  }

  /** Terms of any kind that begin with this one. */
  beginningWith(term: string): string[] {
    const others = KINDS.filter((kind) => !this.terms?.of(kind));
    return [
      ...new Set([
        ...this.words.beginningWith(term),
        ...others.flatMap((kind) => this.listedFrom(kind, term)),
      ]),
    ];
  }

  /** As `beginningWith`, from the list of terms that the database keeps of a kind. */
  private listedFrom(kind: Kind, term: string): string[] {
    const { vocabulary } = items[kind].fullText;
    const read = () =>
      // The last code point there is follows every letter.
      this.db.all<{ term: string }>(
        `SELECT term FROM ${vocabulary} WHERE term > ? AND term < ? || char(0x10ffff)`,
        term,
        term,
      );
    return this.attempts.run('text', read, []).map((row) => row.term);
  }

  /** Row ids of a kind that hold these words next to each other, in this order; each phrase as a space-joined list of terms. */
  holding(kind: Kind, phrase: string): ReadonlySet<number> {
    const key = `${kind} ${phrase}`;
    let rows = this.phrases.get(key);
    if (!rows) {
      const { table } = items[kind].fullText;
      const read = () =>
        this.db.all<{ rowid: number }>(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`, `"${phrase}"`);
      rows = new Set(this.attempts.run('text', read, []).map(({ rowid }) => rowid));
      this.phrases.set(key, rows);
    }
    return rows;
  }

  /** Does any row of any kind hold a phrase? */
  isHeld(phrase: string): boolean {
    return KINDS.some((kind) => this.holding(kind, phrase).size > 0);
  }

  /** What some terms score in every row; null if the terms of this kind are not loaded. */
  score(kind: Kind, terms: readonly WeightedTerm[]): Scores | null {
    return this.inMemory(kind, (postings) => postings.score(terms));
  }

  /** Null if the terms of this kind are not loaded, or fail: they are dropped then. */
  private inMemory<T>(kind: Kind, read: (postings: Postings) => T): T | null {
    const postings = this.terms?.of(kind);
    if (!postings) return null;
    try {
      return read(postings);
    } catch (error) {
      this.attempts.note('terms', error);
      this.terms?.drop(kind);
      return null;
    }
  }

  /**
   * Row ids that hold at least one of `terms`, best first by FTS5's BM25 with the fields' weights; only those of `within`, if
   * given. Rows that are not in use are among them: `load` leaves them out.
   */
  match(
    kind: Kind,
    terms: readonly string[],
    options: { limit: number; within?: ReadonlySet<number> | null },
  ): number[] {
    if (terms.length === 0) return [];
    const { table, weights } = items[kind].fullText;
    const { limit, within } = options;
    const filter = within ? 'AND rowid IN (SELECT value FROM json_each(@within))' : '';
    const read = () =>
      this.db.all<{ rowid: number }>(
        `SELECT rowid FROM ${table} WHERE ${table} MATCH @words AND rank MATCH 'bm25(${weights.map((weight) => weight.toFixed(1)).join(', ')})'
         ${filter} ORDER BY rank LIMIT @limit`,
        {
          words: terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' OR '),
          limit,
          within: within ? JSON.stringify([...within]) : null,
        },
      );
    return this.attempts.run('text', read, []).map((row) => row.rowid);
  }

  /** Rows of a conversation or of a channel; null for a kind whose rows belong to no conversation. */
  rowsOf(kind: Kind, place: Place): { rowids: Set<number>; ids: Set<string> } | null {
    const { inConversation } = items[kind];
    if (inConversation === null) return null;
    const [column, value] =
      'channel' in place ? ['v.channel', place.channel] : ['v.id', place.conversationId];
    const rows = this.db.all<{ rowid: number; id: string }>(
      `SELECT r.rowid, r.id FROM ${inConversation} WHERE ${column} = ?`,
      value,
    );
    return rowSetOf(rows);
  }

  /** The channel of conversations in use that a question names, folded; null if there is none of that name. */
  channelNamed(name: string): string | null {
    const channels = this.db.all<{ channel: string }>(
      'SELECT DISTINCT channel FROM conversations WHERE removed_at IS NULL ORDER BY channel',
    );
    return channels.find(({ channel }) => foldedWords(channel) === name)?.channel ?? null;
  }

  /** Summaries in use of several turns; not of the conversation `except`. */
  rolledUp(except: ConversationId | undefined): RowSet {
    const rows = this.db.all<{ rowid: number; id: string }>(
      `SELECT r.rowid, r.id FROM summaries r JOIN conversations v ON v.id = r.conversation_id
       WHERE r.level > 1 AND (@except IS NULL OR v.id <> @except) AND v.removed_at IS NULL`,
      { except: except ?? null },
    );
    return rowSetOf(rows);
  }

  /** Summaries of several turns, all of them among these; those of the conversation `except` are left out. */
  summariesWithin(turns: readonly string[], except: ConversationId | undefined): RowSet {
    const rows = this.db.all<{ rowid: number; id: string }>(
      `SELECT s.rowid, s.id FROM json_each(@turns) j JOIN summary_turns b ON b.turn_id = j.value
         JOIN summaries s ON s.id = b.summary_id
       WHERE s.level > 1 AND (@except IS NULL OR s.conversation_id <> @except)
       GROUP BY s.id HAVING count(*) = (SELECT count(*) FROM summary_turns o WHERE o.summary_id = s.id)`,
      { turns: JSON.stringify(turns), except: except ?? null },
    );
    return rowSetOf(rows);
  }

  /** As `rowsOf`, with the rows that belong to no conversation and are part of every scope. */
  rowsInScope(kind: Kind, place: Place): { rowids: Set<number>; ids: Set<string> } | null {
    const rows = this.rowsOf(kind, place);
    const { table, inEveryScope } = items[kind];
    if (rows === null || inEveryScope === null) return rows;
    for (const { rowid, id } of this.db.all<{ rowid: number; id: string }>(
      `SELECT r.rowid, r.id FROM ${table} r WHERE ${inEveryScope}`,
    )) {
      rows.rowids.add(rowid);
      rows.ids.add(id);
    }
    return rows;
  }

  /** Turns of a stretch of time (`to` excluded), the latest first; only those of `within`, if given. */
  turnsBetween(
    time: { from: number; to: number; now: number },
    options: { limit: number; within: ReadonlySet<number> | null },
  ): PlacedTurn[] {
    return turnsBetween(this.db, time, options);
  }

  /** Up to two turns on either side of each of some turns; `except` is none of them. None before the terms of turns are loaded. */
  turnsBeside(rowids: readonly number[], except: TurnId | undefined): TurnBeside[] {
    const known = this.knownRows('turn');
    return known?.beside(rowids, except === undefined ? undefined : known.rowid(except)) ?? [];
  }

  /** The keys of the rows of a kind, in memory; null before its terms are loaded. */
  private knownRows(kind: Kind): KnownRows | null {
    return this.terms?.rowsOf(kind) ?? null;
  }

  /** The shown messages of those among some turns in which somebody with a name speaks. */
  voicesIn(rowids: readonly number[]): Voice[] {
    return voicesIn(this.db, rowids);
  }

  /** Ids of some turns, by their row ids: of those that stand beside another one. */
  turnIds(rowids: readonly number[]): Map<number, TurnId> {
    const known = this.knownRows('turn');
    return new Map(
      rowids.flatMap((rowid) => {
        const id = known?.get(rowid)?.id as TurnId | undefined;
        return id === undefined ? [] : [[rowid, id] as const];
      }),
    );
  }

  /** Row ids of some rows, in the order of their ids; ids without a row are left out. */
  rowids(kind: Kind, ids: readonly string[]): number[] {
    const known = this.knownRows(kind);
    if (known) return ids.flatMap((id) => known.rowid(id) ?? []);
    return this.db.column<number>(
      `SELECT r.rowid FROM json_each(?) j JOIN ${items[kind].table} r ON r.id = j.value ORDER BY j.key`,
      JSON.stringify(ids),
    );
  }

  /** The numbers of the different terms of a row: a view, void after the next question. Null if it is not in memory. */
  termsOf(kind: Kind, rowid: number): Uint32Array | null {
    return this.inMemory(kind, (postings) => postings.termsOf(rowid));
  }

  /** The rows in use among `rowids`, without what they say; those whose terms are not loaded are left out. */
  keys(kind: Kind, rowids: readonly number[], now: number): RowKeys[] {
    const known = this.knownRows(kind);
    if (!known || rowids.length === 0) return [];
    const { table, inUse, isUsedWithConversation, backlinks } = items[kind];
    if (isUsedWithConversation)
      return this.ofConversationsInUse(rowids.flatMap((rowid) => known.get(rowid) ?? []));
    const among = `FROM json_each(@rowids) j CROSS JOIN ${table} r ON r.rowid = j.value WHERE ${inUse('r')}`;
    const params = { rowids: JSON.stringify(rowids), now };
    const keysOf = (rowid: number) => known.get(rowid) ?? [];
    if (!backlinks) return this.db.column<number>(`SELECT r.rowid ${among}`, params).flatMap(keysOf);
    return this.db
      .all<{ rowid: number; backlinks: number }>(
        `SELECT r.rowid, ${backlinks('r')} AS backlinks ${among}`,
        params,
      )
      .flatMap(({ rowid, backlinks: count }) => {
        const keys = known.get(rowid);
        return keys ? [{ ...keys, backlinks: count }] : [];
      });
  }

  private ofConversationsInUse(rows: readonly RowKeys[]): RowKeys[] {
    const ids = [...new Set(rows.map(({ conversationId }) => conversationId))];
    const inUse = new Set(
      this.db.column<string | undefined>(
        'SELECT v.id FROM json_each(?) j CROSS JOIN conversations v ON v.id = j.value WHERE v.removed_at IS NULL',
        JSON.stringify(ids),
      ),
    );
    return rows.filter(({ conversationId }) => inUse.has(conversationId));
  }

  /** The rows in use among `rowids`. */
  load<K extends Kind>(kind: K, rowids: readonly number[], now: number): RowOf<K>[] {
    return items[kind].load(this.db, rowids, now);
  }

  private currentStatistics(kind: Kind): Statistics {
    const known = this.cached.get(kind);
    if (known) return known;
    const row = this.db.get<{ n: number; terms: number | null }>(
      `SELECT count(*) AS n, sum(term_count) AS terms FROM ${items[kind].table}`,
    );
    const rows = row?.n ?? 0;
    const statistics: Statistics = {
      rows,
      averageTerms: rows > 0 ? Math.max(1, (row?.terms ?? 0) / rows) : 1,
      highestRow: this.highestRow(kind),
      documentFrequency: new Map(),
      absent: new Set(),
    };
    this.cached.set(kind, statistics);
    return statistics;
  }

  private highestRow(kind: Kind): number {
    return this.db.get<{ n: number | null }>(`SELECT max(rowid) AS n FROM ${items[kind].table}`)?.n ?? 0;
  }
}
