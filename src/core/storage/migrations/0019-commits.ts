import type { Migration } from '../migrate.ts';

/**
 * How many commits the database holds, which the data folder tells outside of it too: SQLite ignores the end of a damaged log
 * without a word, and is found out by the difference. And what the user must be told until they have read it.
 */
export const commits: Migration = {
  version: 19,
  name: 'commits',
  sql: `
    CREATE TABLE commits (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      lineage TEXT NOT NULL, -- given once; copies of the database have the same
      count INTEGER NOT NULL, -- goes up with every commit that changes rows, and never down in one data folder
      at INTEGER NOT NULL -- when the last one was made
    ) STRICT;
    INSERT INTO commits VALUES (1, lower(hex(randomblob(8))), 0, 0);

    CREATE TABLE notices (
      code TEXT PRIMARY KEY,
      params TEXT NOT NULL, -- JSON
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
