import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { AppError } from '../../shared/errors.ts';
import { sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { tagKey } from '../support/text/tagKey.ts';
import { foldedWords } from '../support/text/tokenise.ts';
import { mendLog, refuseMissing } from './beforeOpening.ts';
import { CommitCounter, readCounts, SummedCommits } from './commitCounter.ts';
import { BACKUP_FOLDER, DATABASE_FILE } from './folderNames.ts';
import { type DatabaseState, readState, StateWriter } from './folderState.ts';
import { mendHeader } from './header.ts';
import { migrate } from './migrate.ts';
import { reasonOfSentence, skippedOfSentences } from './migrations/0009-reasons.ts';
import { oldEntity, oldRelation, oldTies } from './migrations/0022-fact-record.ts';
import { migrations } from './migrations/index.ts';
import { prepareSums } from './rowSums.ts';
import { schemaDamage } from './schemaDamage.ts';
import { mendVersion } from './schemaSums.ts';
import { storageError } from './storageError.ts';
import { UnusedSpace } from './unusedSpace.ts';

type Value = string | number | null;
/** Values for `?` in order, or one record for `@name`. */
type Params = Value[] | [Record<string, Value>];

/**
 * One SQLite connection, which prepares each statement once and keeps it. Once it is closed, everything but `close` throws
 * AppError DATA_CLOSED.
 */
export interface Db {
  get<T>(sql: string, ...params: Params): T | undefined;
  all<T>(sql: string, ...params: Params): T[];
  /** The values of the first column alone, in a fraction of the time. */
  column<T>(sql: string, ...params: Params): T[];
  /** Runs a statement that changes rows; returns the number of changed rows and the last row id. */
  run(sql: string, ...params: Params): { changes: number; lastInsertRowid: number };
  /** Runs `work` in a transaction, all or nothing. Transactions may be nested. */
  transaction<T>(work: () => T): T;
  /**
   * Calls `callback` once the outermost transaction has committed, or at once outside a transaction; never if the transaction
   * is rolled back. A callback that is already waiting is not added again.
   */
  afterCommit(callback: () => void): void;
  /**
   * Tells the listener of each row that this connection changes from now on, within the transaction, which may still be rolled back.
   * @param changes name a change as a trigger does, with SQL that selects the row ids of what it changes
   */
  watch(changes: readonly { after: string; rowids: string }[], listener: (rowid: number) => void): void;
  pragma(source: string): unknown;
  /**
   * Fills with zeros what erased rows left in the unused part of some pages, and empties the log. Called until it returns null, it has
   * done so for every page.
   * @param from 0, or what the call before returned
   * @returns what to go on with; `busy` if somebody reads at this moment: to be called again
   */
  zeroUnused(from: number): number | null | 'busy';
  /**
   * Copies the database to a new file, part by part, while it is in use.
   * @throws the signal's reason if it is aborted
   */
  backup(path: string, signal: AbortSignal): Promise<void>;
  readonly path: string;
  close(): void;
}

/**
 * How long commits may stand in the log alone. A fold takes 2 ms with a second's work; while it lasts, a damaged log can lose
 * what was acknowledged since the one before.
 */
const FOLD_AFTER_MS = 1_000;

/** Pages copied before yielding to the event loop: better-sqlite3's own default. */
const PAGES_OF_A_COPY_AT_ONCE = 100;

/**
 * Opens `dir/souvenir.sqlite`, and creates or migrates it. Every commit is on disk when it returns (`synchronous=FULL`), so
 * that accepted writes survive a power cut. If commits that were acknowledged are missing, the table `notices` says so.
 * @param options `anew` creates an empty database although the folder has had another
 * @throws AppError SCHEMA_NEWER, DATABASE_DAMAGED, DATABASE_MISSING, DISK_FULL, DATA_FOLDER_UNWRITABLE
 */
export function openDatabase(dir: string, log?: Logger, { anew = false } = {}): Db {
  const path = join(dir, DATABASE_FILE);
  let raw: BetterSqlite3.Database | undefined;
  try {
    const state = readState(dir, log);
    if (!anew) refuseMissing(dir, state);
    const claimed = state === 'unreadable' ? null : state;
    if (existsSync(path)) mendHeader(path, log);
    mendLog(dir, claimed, log);
    if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    raw = new BetterSqlite3(path);
    raw.pragma('journal_mode = WAL');
    refuseReadOnly(raw);
    raw.pragma('synchronous = FULL');
    if (process.platform === 'darwin') raw.pragma('fullfsync = 1');
    raw.pragma('foreign_keys = ON');
    raw.pragma('busy_timeout = 5000');
    raw.pragma('cache_size = -32000');
    raw.pragma('temp_store = MEMORY');
    raw.pragma('secure_delete = ON');
    addFunctions(raw);
    mendVersion(raw, log);
    const found = raw.pragma('user_version', { simple: true });
    migrate(raw, migrations, join(dir, BACKUP_FOLDER));
    prepareSums(raw, found !== raw.pragma('user_version', { simple: true }));
    noteLoss(raw, claimed);
    fold(raw, log);
    return wrap(raw, { counter: new CommitCounter(raw, new StateWriter(dir, log)), log });
  } catch (error) {
    const damage = raw ? schemaDamage(raw, error) : null;
    raw?.close();
    throw damage ?? storageError(error, path);
  }
}

/**
 * Opens a copy of a database, which nobody else has open and which can be thrown away, to change what it holds. It is brought to the
 * present schema, and counts no commits: what is older than the copy stays older.
 * @throws AppError SCHEMA_NEWER, DATABASE_DAMAGED, DISK_FULL
 */
export function openCopy(path: string): Db {
  let raw: BetterSqlite3.Database | undefined;
  try {
    raw = new BetterSqlite3(path, { fileMustExist: true });
    raw.pragma('journal_mode = MEMORY');
    raw.pragma('synchronous = OFF');
    // A copy may be put in the place of the database.
    raw.pragma('secure_delete = ON');
    raw.pragma('foreign_keys = ON');
    raw.pragma('cache_size = -32000');
    addFunctions(raw);
    mendVersion(raw);
    const found = raw.pragma('user_version', { simple: true });
    migrate(raw, migrations, null);
    prepareSums(raw, found !== raw.pragma('user_version', { simple: true }));
    return wrap(raw, { counter: new SummedCommits(raw), log: undefined });
  } catch (error) {
    raw?.close();
    throw storageError(error, path);
  }
}

/** Functions that triggers and migrations use. */
function addFunctions(raw: BetterSqlite3.Database): void {
  raw.function('sha256', { deterministic: true }, (text) => sha256(String(text)));
  raw.function('folded_words', { deterministic: true }, (text) => foldedWords(String(text)));
  raw.function('tag_key', { deterministic: true }, (text) => tagKey(String(text)));
  raw.function('reason_of_sentence', (text) => reasonOfSentence(String(text)));
  raw.function('old_entity', (key, subjects) => oldEntity(String(key), String(subjects)));
  raw.function('old_relation', (key) => oldRelation(String(key)));
  raw.function('old_ties', (key, subjects) => oldTies(String(key), String(subjects)));
  raw.function('skipped_of_sentences', (json) => skippedOfSentences(String(json)));
}

/**
 * SQLite opens a file that it may not write for reading alone, and says so only when something is written; the connection then stays so
 * for as long as the program runs. What is written here is taken back, and so needs no room.
 * @throws SQLite's error SQLITE_READONLY
 */
function refuseReadOnly(raw: BetterSqlite3.Database): void {
  const version = raw.pragma('user_version', { simple: true }) as number;
  raw.exec('BEGIN IMMEDIATE');
  try {
    raw.pragma(`user_version = ${version}`);
  } finally {
    if (raw.inTransaction) raw.exec('ROLLBACK');
  }
}

/**
 * Opens a second, read-only connection to a database that this process has open. It sees committed data only.
 * @throws AppError DATABASE_DAMAGED, DATA_FOLDER_UNWRITABLE
 */
export function openForReading(path: string): Db {
  let raw: BetterSqlite3.Database | undefined;
  try {
    raw = new BetterSqlite3(path, { readonly: true, fileMustExist: true });
    raw.pragma('busy_timeout = 5000');
    raw.pragma('cache_size = -32000');
    raw.pragma('temp_store = MEMORY');
    return wrap(raw);
  } catch (error) {
    raw?.close();
    throw storageError(error, path);
  }
}

/** Notes, for the user to read, that the database holds fewer commits than were acknowledged. */
function noteLoss(raw: BetterSqlite3.Database, claimed: DatabaseState | null): void {
  const held = readCounts(raw);
  if (!claimed || !held || held.lineage !== claimed.lineage || held.commits >= claimed.commits) return;
  raw
    .transaction(() => {
      raw
        .prepare("INSERT OR REPLACE INTO notices VALUES ('changes-lost', ?, ?)")
        .run(JSON.stringify({ since: held.at, until: claimed.at }), Date.now());
      raw.prepare('UPDATE commits SET count = ?').run(claimed.commits + 1);
    })
    .immediate();
}

/**
 * Folds the log into the database and empties it, unless somebody reads at this moment. A failure is logged: nothing is lost.
 * @returns false if somebody reads: it is to be tried again
 */
function fold(raw: BetterSqlite3.Database, log?: Logger): boolean {
  try {
    raw.pragma('busy_timeout = 0');
    const [result] = raw.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return result?.busy === 0;
  } catch (error) {
    log?.warn({ code: (error as { code?: string }).code ?? 'UNKNOWN' }, 'the log cannot be folded');
    return true;
  } finally {
    raw.pragma('busy_timeout = 5000');
  }
}

interface Writing {
  counter: Pick<CommitCounter, 'commit' | 'close'>;
  log: Logger | undefined;
}

/** @param writing null for a connection that only reads */
function wrap(raw: BetterSqlite3.Database, writing: Writing | null = null): Db {
  const statements = new Map<string, BetterSqlite3.Statement<unknown[]>>();
  const ofOneColumn = new Map<string, BetterSqlite3.Statement<unknown[]>>();
  const prepare = (sql: string, known = statements) => {
    let statement = known.get(sql);
    if (!statement) {
      statement = raw.prepare<unknown[]>(sql);
      if (known === ofOneColumn) statement.pluck();
      known.set(sql, statement);
    }
    return statement;
  };
  const afterCommit: (() => void)[] = [];
  const unused = new UnusedSpace(raw);
  let watched = 0;
  let folding: NodeJS.Timeout | undefined;
  const foldSoon = (log: Logger | undefined) => {
    folding ??= setTimeout(() => {
      folding = undefined;
      if (!fold(raw, log)) foldSoon(log);
    }, FOLD_AFTER_MS).unref();
  };
  /** Runs `work` in a transaction of its own, or within the present one, and is undone alone if it throws. */
  const commit = <T>(work: () => T): T => {
    if (!writing || raw.inTransaction) return raw.transaction(work).immediate();
    const result = writing.counter.commit(work);
    foldSoon(writing.log);
    return result;
  };
  const guard = <T>(work: () => T): T => {
    if (!raw.open) throw new AppError('DATA_CLOSED');
    try {
      return work();
    } catch (error) {
      throw schemaDamage(raw, error) ?? storageError(error, raw.name);
    }
  };
  return {
    get: <T>(sql: string, ...params: Params) => guard(() => prepare(sql).get(...params) as T | undefined),
    all: <T>(sql: string, ...params: Params) => guard(() => prepare(sql).all(...params) as T[]),
    column: <T>(sql: string, ...params: Params) =>
      guard(() => prepare(sql, ofOneColumn).all(...params) as T[]),
    run: (sql, ...params) =>
      guard(() => {
        const write = () => prepare(sql).run(...params);
        // SQLite refuses a VACUUM in a transaction; it changes no rows.
        const needsNoTransaction = raw.inTransaction || /^VACUUM\b/i.test(sql);
        const { changes, lastInsertRowid } = needsNoTransaction ? write() : commit(write);
        return { changes, lastInsertRowid: Number(lastInsertRowid) };
      }),
    transaction: (work) => {
      const waitingBefore = afterCommit.length;
      let result: ReturnType<typeof work>;
      try {
        result = guard(() => commit(work));
      } catch (error) {
        afterCommit.length = waitingBefore;
        throw error;
      }
      if (!raw.inTransaction) for (const callback of afterCommit.splice(0)) callback();
      return result;
    },
    afterCommit: (callback) => {
      if (!raw.inTransaction) callback();
      else if (!afterCommit.includes(callback)) afterCommit.push(callback);
    },
    watch: (changes, listener) =>
      guard(() => {
        watched += 1;
        const name = `watch_${watched}`;
        raw.function(name, (rowid) => {
          listener(Number(rowid));
          return null;
        });
        // Triggers of this connection alone: the file knows nothing of them.
        for (const [index, { after, rowids }] of changes.entries()) {
          raw.exec(
            `CREATE TEMP TRIGGER ${name}_${index} AFTER ${after} BEGIN
               SELECT ${name}(rowid) FROM (${rowids});
             END`,
          );
        }
      }),
    backup: async (path, signal) => {
      signal.throwIfAborted();
      if (!raw.open) throw new AppError('DATA_CLOSED');
      // Called after each part; an exception ends the copy.
      const progress = () => {
        signal.throwIfAborted();
        return PAGES_OF_A_COPY_AT_ONCE;
      };
      await raw.backup(path, { progress });
    },
    pragma: (source) => guard(() => raw.pragma(source)),
    zeroUnused: (from) => guard(() => unused.zeroSome(from)),
    path: raw.name,
    close: () => {
      clearTimeout(folding);
      if (raw.open) writing?.counter.close();
      raw.close();
      unused.close();
    },
  };
}
