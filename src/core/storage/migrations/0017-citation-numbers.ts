import type { Migration } from '../migrate.ts';

/** The highest citation number that a block ever held, also after its item left: no other passage of the conversation takes it. */
export const citationNumbers: Migration = {
  version: 17,
  name: 'citation-numbers',
  sql: `
    ALTER TABLE context_blocks ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
    UPDATE context_blocks SET last_number = coalesce((SELECT max(i.ordinal) FROM context_items i
      WHERE i.turn_id = context_blocks.turn_id AND i.version = context_blocks.version), 0);
  `,
};
