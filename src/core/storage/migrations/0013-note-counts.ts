import type { Migration } from '../migrate.ts';

/** Counts of notes and chunks by status, from an index alone: indexing asks for them several times a second. */
export const noteCounts: Migration = {
  version: 13,
  name: 'note-counts',
  sql: `
    DROP INDEX notes_by_status;
    CREATE INDEX notes_by_status ON notes (status, vault_id, chunk_count);
  `,
};
