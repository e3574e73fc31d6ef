import type { Db } from './database.ts';

/** A measured calibration, and what it was measured on. */
export interface StoredCalibration {
  /** Of the index. */
  fingerprint: string;
  /** The value of the setting that named its embedder. */
  embedder: string;
  bias: number;
  slope: number;
  contextualShare: number | null;
  unrelated: number;
  chance: number;
  same: number;
  pairs: number;
  marks: number;
  /** Passages and turns that there were. */
  items: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** What scores mean for each index that answered on this computer. All of it is measured again where it is missing. */
export class CalibrationStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  get(fingerprint: string): StoredCalibration | undefined {
    return this.#db.get<StoredCalibration>(
      `SELECT fingerprint, embedder, bias, slope, contextual_share AS contextualShare, unrelated, chance, same, pairs, marks, items, at
       FROM calibrations WHERE fingerprint = ?`,
      fingerprint,
    );
  }

  set(calibration: StoredCalibration): void {
    this.#db.run(
      `INSERT OR REPLACE INTO calibrations
         (fingerprint, embedder, bias, slope, contextual_share, unrelated, chance, same, pairs, marks, items, at)
       VALUES (@fingerprint, @embedder, @bias, @slope, @contextualShare, @unrelated, @chance, @same, @pairs, @marks, @items, @at)`,
      { ...calibration },
    );
  }

  /** Embedders whose indexes were measured, as the setting named them. */
  embedders(): string[] {
    return this.#db
      .all<{ embedder: string }>('SELECT DISTINCT embedder FROM calibrations ORDER BY embedder')
      .map((row) => row.embedder);
  }

  /** Passages, turns and marks that there are. Of what is in its undo period, all is counted. */
  counts(): { items: number; marks: number } {
    return this.#db.get<{ items: number; marks: number }>(
      `SELECT (SELECT count(*) FROM chunks) + (SELECT count(*) FROM turns WHERE active = 1) AS items,
              (SELECT count(*) FROM item_marks) AS marks`,
    ) as { items: number; marks: number };
  }
}
