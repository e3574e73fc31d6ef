import type { Migration } from '../migrate.ts';

/** What scores mean on this computer, for an index: measured on what is stored, so derived from it. */
export const calibrations: Migration = {
  version: 43,
  name: 'calibrations',
  sql: `
    CREATE TABLE calibrations (
      fingerprint TEXT PRIMARY KEY,
      embedder TEXT NOT NULL, -- the value of the setting
      bias REAL NOT NULL,
      slope REAL NOT NULL,
      contextual_share REAL, -- NULL for an embedder that is not contextual
      unrelated REAL NOT NULL,
      chance REAL NOT NULL,
      same REAL NOT NULL,
      pairs INTEGER NOT NULL,
      marks INTEGER NOT NULL,
      items INTEGER NOT NULL, -- passages and turns when it was measured
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
