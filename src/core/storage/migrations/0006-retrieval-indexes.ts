import type { Migration } from '../migrate.ts';

/** What every retrieval asks for, by seeks instead of scans. */
export const retrievalIndexes: Migration = {
  version: 6,
  name: 'retrieval-indexes',
  sql: `
    CREATE INDEX notes_tagged ON notes (id) WHERE tags <> '[]';
    CREATE INDEX facts_identity ON facts (rowid) WHERE kind = 'identity';
    CREATE INDEX conversations_removed ON conversations (id) WHERE removed_at IS NOT NULL;
    CREATE INDEX vaults_removed ON vaults (id) WHERE removed_at IS NOT NULL;
  `,
};
