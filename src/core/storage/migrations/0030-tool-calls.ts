import type { Migration } from '../migrate.ts';
import { type SummedTable, sumAnew } from './0023-row-sums.ts';

const OF_CALL = ['turn_id', 'version'];

/** What is summed of the tables of this migration. */
export const SUMMED_TOOL_CALLS = {
  'tool-call': [
    {
      table: 'tool_calls',
      key: [...OF_CALL, 'ordinal'],
      columns: [
        'round',
        'said_to',
        'call_id',
        'name',
        'arguments',
        'state',
        'outcome',
        'params',
        'marker',
        'language',
        'at',
        'text',
        'last_number',
        'duration_ms',
      ],
    },
  ],
  'tool-items': [
    {
      table: 'tool_items',
      key: [...OF_CALL, 'call'],
      columns: [
        'ordinal',
        'kind',
        'item_id',
        'title',
        'heading',
        'origin',
        'at',
        'excerpt',
        'span_start',
        'span_end',
        'text_key',
        'score',
        'text_hash',
      ],
      order: ['ordinal'],
    },
  ],
} as const satisfies Record<string, readonly SummedTable[]>;

/** The tools that models called while they answered, and what these found: items, as those of context blocks. */
export const toolCalls: Migration = {
  version: 30,
  name: 'tool-calls',
  sql: `
    CREATE TABLE tool_calls (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL, -- of the reply that called it
      ordinal INTEGER NOT NULL, -- from 1
      round INTEGER NOT NULL, -- calls of one round were made together
      said_to INTEGER NOT NULL, -- how much of the reply was written before it, in UTF-16 units
      call_id TEXT NOT NULL, -- as the model named it
      name TEXT NOT NULL,
      arguments TEXT NOT NULL, -- JSON object
      state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'cut')),
      outcome TEXT NOT NULL,
      params TEXT NOT NULL, -- JSON
      marker TEXT NOT NULL,
      language TEXT NOT NULL CHECK (language IN ('en', 'fr')),
      at INTEGER NOT NULL, -- date, as its result states it
      text TEXT, -- what the model was told; NULL if it is to be rendered
      last_number INTEGER NOT NULL DEFAULT 0, -- highest citation number that it ever gave
      duration_ms REAL,
      PRIMARY KEY (turn_id, version, ordinal)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE tool_items (
      turn_id TEXT NOT NULL REFERENCES turns(id) ON DELETE CASCADE,
      version INTEGER NOT NULL,
      call INTEGER NOT NULL, -- ordinal of the call
      ordinal INTEGER NOT NULL, -- citation number: it names one passage in the whole conversation
      kind TEXT NOT NULL,
      item_id TEXT NOT NULL,
      title TEXT NOT NULL,
      heading TEXT NOT NULL, -- JSON array
      origin TEXT NOT NULL,
      at INTEGER NOT NULL,
      excerpt TEXT NOT NULL,
      span_start INTEGER NOT NULL,
      span_end INTEGER NOT NULL,
      text_key TEXT NOT NULL,
      score REAL NOT NULL,
      text_hash TEXT NOT NULL, -- of the item when it was given: another one now means a correction
      PRIMARY KEY (turn_id, version, call, ordinal)
    ) STRICT, WITHOUT ROWID;
    ${Object.entries(SUMMED_TOOL_CALLS)
      .map(([kind, tables]) => sumAnew(kind, tables))
      .join('')}
  `,
};
