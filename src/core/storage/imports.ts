import type { ImportReport } from '../../shared/contract/chat.ts';
import {
  type ImportCounts,
  type ImportId,
  ImportProblem,
  type ImportProgress,
} from '../../shared/contract/imports.ts';
import { parseJson } from '../../shared/json.ts';
import type { Db } from './database.ts';

/** A file of an import, as the user knows it. */
export interface ImportFileName {
  name: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
}

export interface NewImport {
  id: ImportId;
  files: readonly ImportFileName[];
  /** Null: that of each conversation. */
  channel: string | null;
  learn: boolean;
  bytesTotal: number;
  startedAt: number;
}

/** How far an import has come. */
export interface ImportPlace {
  /** The file that is read, by its place in the list. */
  file: number;
  /** The byte in it at which the present portion begins. */
  position: number;
  /** How many turns of that portion are stored. */
  turnsDone: number;
  bytesDone: number;
}

export interface ImportRecord extends NewImport, ImportPlace {
  state: ImportProgress['state'];
  counts: ImportCounts;
  problems: Partial<Record<ImportProblem, number>>;
}

export const NOTHING_STORED: Readonly<ImportReport> = {
  conversations: 0,
  restored: 0,
  turns: 0,
  messages: 0,
  unchanged: 0,
  forgotten: 0,
};
export const NOTHING_IMPORTED: Readonly<ImportCounts> = { ...NOTHING_STORED, facts: 0 };

type Columns = Omit<ImportRecord, 'files' | 'learn' | 'counts' | 'problems'> & {
  files: string;
  learn: number;
  counts: string;
  problems: string;
};

const SELECT = `SELECT id, files, channel, learn, state, file, position, turns_done AS turnsDone, bytes_done AS bytesDone,
  bytes_total AS bytesTotal, counts, problems, started_at AS startedAt FROM imports`;

const toRecord = (row: Columns): ImportRecord => ({
  ...row,
  files: (parseJson(row.files) ?? []) as ImportFileName[],
  learn: row.learn === 1,
  counts: { ...NOTHING_IMPORTED, ...(parseJson(row.counts) as object | undefined) },
  // An earlier version may have met problems that there are no longer.
  problems: Object.fromEntries(
    Object.entries({ ...(parseJson(row.problems) as ImportRecord['problems'] | undefined) }).filter(
      ([problem]) => ImportProblem.safeParse(problem).success,
    ),
  ),
});

/** Ended imports that are listed: the last ones. */
const ENDED_KEPT = 5;

/** Imports that were started, and where each of them is. */
export class ImportStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  add({ id, files, channel, learn, bytesTotal, startedAt }: NewImport): void {
    this.#db.run(
      `INSERT INTO imports (id, files, channel, learn, state, bytes_total, counts, started_at)
       VALUES (?, ?, ?, ?, 'running', ?, '{}', ?)`,
      id,
      JSON.stringify(files),
      channel,
      learn ? 1 : 0,
      bytesTotal,
      startedAt,
    );
    this.#db.run(
      `DELETE FROM imports WHERE state <> 'running' AND id NOT IN (
         SELECT id FROM imports WHERE state <> 'running' ORDER BY started_at DESC LIMIT ${ENDED_KEPT})`,
    );
  }

  get(id: ImportId): ImportRecord | undefined {
    const row = this.#db.get<Columns>(`${SELECT} WHERE id = ?`, id);
    return row && toRecord(row);
  }

  /** The latest first. */
  list(): ImportRecord[] {
    return this.#db.all<Columns>(`${SELECT} ORDER BY started_at DESC, id`).map(toRecord);
  }

  /** Writes down what was done, in the transaction that did it. */
  advance({ id, file, position, turnsDone, bytesDone, counts, problems }: ImportRecord): void {
    this.#db.run(
      `UPDATE imports SET file = ?, position = ?, turns_done = ?, bytes_done = ?, counts = ?, problems = ? WHERE id = ?`,
      file,
      position,
      turnsDone,
      bytesDone,
      JSON.stringify(counts),
      JSON.stringify(problems),
      id,
    );
  }

  end(id: ImportId, state: 'done' | 'cancelled'): void {
    this.#db.run('UPDATE imports SET state = ? WHERE id = ?', state, id);
  }

  remove(id: ImportId): void {
    this.#db.run('DELETE FROM imports WHERE id = ?', id);
  }

  /** Code of the last attempt's error; null if it did not fail. */
  failure(kind: string, id: ImportId): string | null {
    return (
      this.#db.get<{ code: string | null }>(
        'SELECT error_code AS code FROM jobs WHERE kind = ? AND subject = ?',
        kind,
        id,
      )?.code ?? null
    );
  }
}
