import type { Migration } from '../migrate.ts';
import { sumAnew } from './0023-row-sums.ts';
import { SUMMED_FORGOTTEN_SUMMARIES } from './0034-forgotten-summaries.ts';

const [table] = SUMMED_FORGOTTEN_SUMMARIES['forgotten-summary'];

/** What is summed of the former contents of summaries from here on. */
export const SUMMED_FORGOTTEN_BEFORE = {
  'forgotten-summary': [{ ...table, columns: [...table.columns, 'forgotten_before'] }],
} as const;

/** Until when the wordings of a summary had been forgotten already: that stays so when the last one is put back. */
export const forgottenBefore: Migration = {
  version: 38,
  name: 'forgotten-before',
  sql: `
    ALTER TABLE forgotten_summaries ADD COLUMN forgotten_before INTEGER; -- null if none had been
    ${sumAnew('forgotten-summary', SUMMED_FORGOTTEN_BEFORE['forgotten-summary'])}
  `,
};
