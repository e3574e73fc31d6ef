import type { Migration } from '../migrate.ts';
import { SUMMED, type SummedTable, sumAnew } from './0023-row-sums.ts';
import { SUMMED_FOLDERS } from './0037-folders.ts';

/** What is summed of conversations and messages from here on. */
export const SUMMED_CHOICES = {
  conversation: [
    { ...SUMMED_FOLDERS.conversation[0], columns: [...SUMMED_FOLDERS.conversation[0].columns, 'choices'] },
  ],
  message: [{ ...SUMMED.message[0], columns: [...SUMMED.message[0].columns, 'wanted_model'] }],
} as const satisfies Record<string, readonly SummedTable[]>;

/** What a conversation has otherwise than its channel, and the model that a reply was wanted of, where another one had to answer. */
export const choices: Migration = {
  version: 40,
  name: 'choices',
  sql: `
    ALTER TABLE conversations ADD COLUMN choices TEXT NOT NULL DEFAULT '{}'; -- JSON
    ALTER TABLE messages ADD COLUMN wanted_model TEXT;
    ${sumAnew('conversation', SUMMED_CHOICES.conversation)}
    ${sumAnew('message', SUMMED_CHOICES.message)}
  `,
};
