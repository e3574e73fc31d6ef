import type { Migration } from '../migrate.ts';

/** What has come of open replies, piece by piece: a long reply is not written again each time that more of it comes. */
export const replyParts: Migration = {
  version: 20,
  name: 'reply-parts',
  sql: `
    CREATE TABLE reply_parts (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL, -- of the reply
      ordinal INTEGER NOT NULL,
      content TEXT NOT NULL,
      reasoning TEXT NOT NULL,
      PRIMARY KEY (turn_id, version, ordinal)
    ) STRICT, WITHOUT ROWID;
  `,
};
