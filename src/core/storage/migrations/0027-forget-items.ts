import type { Migration } from '../migrate.ts';

/**
 * What is still to be forgotten, or brought back, of an act that takes more than one commit. Work that is due, as `jobs` and the outbox
 * are: neither summed nor exported, and gone when the act is done.
 */
export const forgetItems: Migration = {
  version: 27,
  name: 'forget-items',
  sql: `
    CREATE TABLE forget_items (
      act TEXT NOT NULL, -- subject of its job
      step INTEGER NOT NULL, -- what is to be done to the item next, from 0
      kind TEXT NOT NULL, -- a group of a plan
      id TEXT NOT NULL,
      PRIMARY KEY (act, step, kind, id)
    ) STRICT, WITHOUT ROWID;
  `,
};
