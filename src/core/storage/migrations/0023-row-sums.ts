import type { Migration } from '../migrate.ts';

/** A table of what a sum covers: the columns that name the rows of one sum, and those that are summed. */
export interface SummedTable {
  table: string;
  key: readonly string[];
  columns: readonly string[];
  /** Columns by which several rows of one sum are ordered. */
  order?: readonly string[];
}

const OF_VERSION = ['turn_id', 'version'];

/**
 * What is summed: what the user and models said, what was learnt, settings, and what was sent. Left out is what follows from other rows
 * (terms, hashes, counts), and what changes with every use of a fact or turn of a conversation: a damaged row that is changed before
 * it is checked takes its damage along.
 */
export const SUMMED = {
  setting: [{ table: 'settings', key: ['key'], columns: ['value'] }],
  vault: [
    {
      table: 'vaults',
      key: ['id'],
      columns: ['name', 'path', 'obsidian_id', 'ignore_patterns', 'paused', 'added_at', 'removed_at'],
    },
  ],
  conversation: [
    {
      table: 'conversations',
      key: ['id'],
      columns: ['channel', 'title', 'created_at', 'removed_at', 'pinned_at', 'archived_at'],
    },
  ],
  turn: [
    {
      table: 'turns',
      key: ['id'],
      columns: ['conversation_id', 'ordinal', 'active_version', 'created_at'],
    },
  ],
  message: [
    {
      table: 'messages',
      key: ['turn_id', 'ordinal'],
      columns: [
        'id',
        'role',
        'author',
        'content',
        'created_at',
        'version',
        'state',
        'model',
        'language',
        'scope',
        'prompt_tokens',
        'completion_tokens',
        'error',
        'reasoning',
        'prompt_cut',
      ],
    },
  ],
  part: [
    {
      table: 'reply_parts',
      key: [...OF_VERSION, 'ordinal'],
      columns: ['content', 'reasoning'],
    },
  ],
  fact: [
    {
      table: 'facts',
      key: ['id'],
      columns: [
        'content',
        'kind',
        'key',
        'subjects',
        'importance',
        'source',
        'channel',
        'turn_id',
        'state',
        'confidence',
        'message_id',
        'entity',
        'relation',
        'value',
        'anchor_vault_id',
        'anchor_path',
        'anchor_heading',
        'anchor_hash',
        'pinned',
        'created_at',
        'updated_at',
        'expires_at',
        'forgotten_at',
      ],
    },
  ],
  wording: [
    {
      table: 'fact_revisions',
      key: ['fact_id', 'ordinal'],
      columns: ['content', 'until', 'turn_id', 'subjects', 'importance', 'kind', 'value', 'expires_at'],
    },
  ],
  edges: [
    {
      table: 'fact_edges',
      key: ['to_id'],
      columns: ['from_id', 'kind', 'at', 'turn_id'],
      order: ['from_id', 'kind'],
    },
  ],
  people: [
    {
      table: 'fact_people',
      key: ['fact_id'],
      columns: ['person', 'tie', 'value', 'said', 'turn_id'],
      order: ['person', 'tie', 'value'],
    },
  ],
  'tombstone-key': [{ table: 'tombstone_keys', key: ['id'], columns: ['key'] }],
  tombstone: [{ table: 'tombstones', key: ['key_id', 'hash'], columns: ['kind', 'at'] }],
  context: [
    {
      table: 'context_blocks',
      key: OF_VERSION,
      columns: ['marker', 'language', 'at', 'text', 'last_number'],
    },
    {
      table: 'context_items',
      key: OF_VERSION,
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
    {
      table: 'prompts',
      key: OF_VERSION,
      columns: ['layout', 'steps', 'tokens', 'context_tokens', 'trail', 'made_from', 'created_at'],
    },
    {
      table: 'citations',
      key: OF_VERSION,
      columns: [
        'ordinal',
        'kind',
        'item_id',
        'note_id',
        'vault_id',
        'path',
        'title',
        'heading',
        'text_hash',
        'score',
      ],
      order: ['ordinal'],
    },
  ],
  retrieval: [
    {
      table: 'memory_retrievals',
      key: ['id'],
      columns: [
        'turn_id',
        'version',
        'channel',
        'user_message_preview',
        'memories_injected',
        'obsidian_notes_injected',
        'total_tokens_added',
        'timings',
        'skipped',
        'created_at',
      ],
    },
    {
      table: 'memory_retrieval_items',
      key: ['retrieval_id'],
      columns: [
        'ordinal',
        'kind',
        'item_id',
        'title',
        'path',
        'heading',
        'score',
        'verdict',
        'reason',
        'tokens',
      ],
      order: ['ordinal'],
    },
  ],
} as const satisfies Record<string, readonly SummedTable[]>;

/** SQL: the key of a row in `row_sums`. Only its first part is free text, so that no two rows have the same. */
export const keyOf = (row: string, key: readonly string[]): string =>
  key.map((column) => `${row}.${column}`).join(" || ' ' || ");

/**
 * SQL that has the rows of a kind summed, or summed anew after columns or tables were added to what it covers. Triggers name what
 * changed, and nothing else: they need no function of this program, so that a database can still be edited with any other tool.
 */
export function sumAnew(kind: string, tables: readonly SummedTable[]): string {
  const triggers = tables.map(({ table, key, columns, order }) => {
    const due = (row: string) =>
      `INSERT INTO sums_due VALUES ('${kind}', ${keyOf(row, key)}) ON CONFLICT DO NOTHING;`;
    // Of several rows with one sum, others may be left.
    const gone =
      tables.length === 1 && !order
        ? `DELETE FROM row_sums WHERE kind = '${kind}' AND key = ${keyOf('old', key)};`
        : due('old');
    return `
      DROP TRIGGER IF EXISTS ${table}_sum_inserted;
      DROP TRIGGER IF EXISTS ${table}_sum_changed;
      DROP TRIGGER IF EXISTS ${table}_sum_deleted;
      CREATE TRIGGER ${table}_sum_inserted AFTER INSERT ON ${table} BEGIN ${due('new')} END;
      CREATE TRIGGER ${table}_sum_changed AFTER UPDATE OF ${[...key, ...columns].join(', ')} ON ${table} BEGIN
        ${due('old')} ${due('new')}
      END;
      CREATE TRIGGER ${table}_sum_deleted AFTER DELETE ON ${table} BEGIN ${gone} END;
      INSERT INTO sums_backlog SELECT '${table}', '' WHERE EXISTS (SELECT 1 FROM ${table})
        ON CONFLICT DO UPDATE SET after = '';`;
  });
  return `DELETE FROM row_sums WHERE kind = '${kind}';${triggers.join('')}`;
}

/**
 * A sum of each row, or of a few rows that belong together, so that a bit that flips within a text is noticed. Whoever changes rows
 * names them in `sums_due`; the program sums those before it commits, and the tables of `sums_backlog` little by little.
 */
export const rowSums: Migration = {
  version: 23,
  name: 'row-sums',
  sql: `
    CREATE TABLE row_sums (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      sum INTEGER NOT NULL, -- CRC-32
      PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sums_due (
      kind TEXT NOT NULL,
      key TEXT NOT NULL,
      PRIMARY KEY (kind, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE sums_backlog (
      source TEXT PRIMARY KEY, -- a table whose rows are not all summed yet
      after TEXT NOT NULL -- key of the last one that is; '' for none
    ) STRICT, WITHOUT ROWID;
    ${Object.entries(SUMMED)
      .map(([kind, tables]) => sumAnew(kind, tables))
      .join('')}
  `,
};
