import type { Migration } from '../migrate.ts';

/** Facts that the user pinned are given whatever is asked: found by a seek. */
export const pinnedFacts: Migration = {
  version: 35,
  name: 'pinned-facts',
  sql: 'CREATE INDEX facts_pinned ON facts (rowid) WHERE pinned = 1;',
};
