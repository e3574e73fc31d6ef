import type { Migration } from '../migrate.ts';

/** What models think aloud, and prompts that servers cut, kept with each reply. */
export const reasoning: Migration = {
  version: 11,
  name: 'reasoning',
  sql: `
    ALTER TABLE messages ADD COLUMN reasoning TEXT NOT NULL DEFAULT '';
    ALTER TABLE messages ADD COLUMN prompt_cut TEXT; -- JSON {sent, reported}, in tokens
  `,
};
