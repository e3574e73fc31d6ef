import type { Migration } from '../migrate.ts';

/** With which tokeniser the terms of turns and facts were written. Notes carry the version of their chunker. */
export const tokeniserVersion: Migration = {
  version: 7,
  name: 'tokeniser-version',
  sql: `
    CREATE TABLE text_versions (
      what TEXT PRIMARY KEY,
      version INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO text_versions VALUES ('tokeniser', 1);
  `,
};
