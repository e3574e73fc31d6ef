import type { Migration } from '../migrate.ts';

/** Conversations that the user pinned or put away. */
export const conversationOrder: Migration = {
  version: 8,
  name: 'conversation-order',
  sql: `
    ALTER TABLE conversations ADD COLUMN pinned_at INTEGER;
    ALTER TABLE conversations ADD COLUMN archived_at INTEGER;
  `,
};
