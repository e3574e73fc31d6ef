import type { Migration } from '../migrate.ts';

/** Turns are found by what their replies asked of tools, and by who speaks in them. */
export const toolTerms: Migration = {
  version: 36,
  name: 'tool-terms',
  sql: `
    ALTER TABLE turns ADD COLUMN tool_terms INTEGER NOT NULL DEFAULT 0; -- how many of body_terms, the last ones, are of tools
    CREATE INDEX messages_by_author ON messages (author) WHERE author IS NOT NULL;
    -- Without calls no turn gives another text.
    UPDATE text_versions SET version = 4 WHERE what = 'turn' AND version = 3 AND NOT EXISTS (SELECT 1 FROM tool_calls);
  `,
};
