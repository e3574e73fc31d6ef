import { z } from 'zod';
import { Choices } from '../../../shared/choices.ts';
import { MOST_FOLDERS } from '../../../shared/contract/chat.ts';
import type { Portable } from '../../../shared/contract/data.ts';
import { FactKind } from '../../../shared/contract/facts.ts';
import { LayoutEntry, PromptCut, Source, Step } from '../../../shared/contract/prompt.ts';
import { SkippedSource, VerdictReason } from '../../../shared/contract/reasons.ts';
import {
  ItemKind,
  RetrievalSettings,
  ScoreParts,
  SearchScope,
  Verdict,
} from '../../../shared/contract/retrieval.ts';
import { ToolCallState, ToolOutcomeCode, ToolParams } from '../../../shared/contract/tools.ts';
import { ItemMark } from '../../../shared/contract/traces.ts';
import {
  AttachmentId,
  ChunkId,
  ConversationId,
  FactId,
  MessageId,
  NoteId,
  SectionId,
  SummaryId,
  TurnId,
  VaultId,
} from '../../../shared/ids.ts';
import { parseJson } from '../../../shared/json.ts';
import type { Db } from '../../storage/database.ts';
import { MergeRecord } from '../../storage/factMerges.ts';
import { KEY_REMOVED } from '../../storage/settings.ts';

export type Row = Record<string, unknown>;
export type Value = string | number | null;

/** How a table is exported: the columns that cannot be derived, and the child tables. */
export interface Table {
  table: string;
  /** Columns that identify a row and define the order. */
  key: string[];
  /** Columns that hold JSON, with the shape of what they hold. */
  json?: Readonly<Record<string, z.ZodType>>;
  /** Columns that hold a text of a closed set, or an id. What their table checks by itself is left out. */
  text?: Readonly<Record<string, z.ZodType>>;
  /** Columns that are not exported: they are derived from others, or belong to one computer. */
  derived?: string[];
  /** Column that is set while a deleted row can be restored; such rows are not exported. */
  deletedAt?: 'removed_at' | 'forgotten_at';
  /** SQL condition that selects the rows to export. */
  where?: string;
  /** Child tables, each with the column that refers to this table. */
  under?: { column: string; tables: Table[] };
  /** Of a child table: its column that refers to the parent, if it is not the one that the others have. */
  refersBy?: string;
}

/** SQL: the id of the turn that the row `r` refers to, or null if the turn or its conversation was deleted. */
export const TURN_KEPT = `(SELECT t.id FROM turns t JOIN conversations v ON v.id = t.conversation_id
  WHERE t.id = r.turn_id AND v.removed_at IS NULL)`;

/**
 * SQL: a column of the turn that `r` was said after. One that was forgotten is not exported: then it is what that one was said after.
 */
export const parentKept = (column: 'parent_id' | 'parent_version'): string =>
  `(WITH RECURSIVE before(id, version) AS (
      SELECT r.parent_id, r.parent_version
      UNION ALL
      SELECT t.parent_id, t.parent_version FROM before b JOIN turns t ON t.id = b.id WHERE t.conversation_id <> r.conversation_id
    )
    SELECT ${column === 'parent_id' ? 'b.id' : 'b.version'} FROM before b LEFT JOIN turns t ON t.id = b.id
    WHERE b.id IS NULL OR t.conversation_id = r.conversation_id LIMIT 1)`;

/** SQL: what the turn `r` has to have to be shown where it was, beside what was said in the place of a turn that is not exported. */
export const PICKED_KEPT = `CASE
  WHEN r.active = 1 AND EXISTS (SELECT 1 FROM turns t WHERE t.id = r.parent_id AND t.conversation_id <> r.conversation_id)
  THEN (SELECT max(t.picked) + 1 FROM turns t WHERE t.conversation_id = r.conversation_id) ELSE r.picked END`;

const Heading = z.array(z.string());
const Lang = z.enum(['en', 'fr']);
const StoredError = z.object({
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
});
/** A server may refuse a prompt that holds anything else. */
const isJsonObject = (json: string): boolean => {
  const value = parseJson(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
};
const Texts = z.array(z.string());
const Folders = z.array(z.string().max(4_096)).max(MOST_FOLDERS);
const ItemId = z.union([ChunkId, TurnId, SummaryId, FactId, SectionId]);

export const TABLES: Readonly<Record<Portable, Table>> = {
  settings: {
    table: 'settings',
    key: ['key'],
    json: { value: z.json() },
    where: `r.key <> '${KEY_REMOVED}'`,
  },
  vaults: {
    table: 'vaults',
    key: ['id'],
    json: { ignore_patterns: z.array(z.string()) },
    text: { id: VaultId },
    derived: ['root_identity'],
    deletedAt: 'removed_at',
  },
  conversations: {
    table: 'conversations',
    key: ['id'],
    json: { folders: Folders, choices: Choices },
    text: { id: ConversationId },
    derived: ['title_terms', 'turn_count', 'path_changes'],
    deletedAt: 'removed_at',
    under: {
      column: 'conversation_id',
      tables: [
        {
          table: 'turns',
          key: ['ordinal'],
          json: { folders: Folders },
          text: { id: TurnId, parent_id: TurnId.nullable() },
          derived: [
            'body_terms',
            'term_count',
            'tool_terms',
            'text_hash',
            'active',
            'fork',
            'replaced',
            'characters',
          ],
          under: {
            column: 'turn_id',
            tables: [
              {
                table: 'messages',
                key: ['ordinal'],
                json: {
                  scope: SearchScope.nullable(),
                  error: StoredError.nullable(),
                  prompt_cut: PromptCut.nullable(),
                },
                text: { id: MessageId, language: Lang.nullable() },
              },
              {
                table: 'attachments',
                key: ['ordinal'],
                text: { id: AttachmentId, note_id: NoteId.nullable() },
                under: {
                  column: 'attachment_id',
                  tables: [
                    {
                      table: 'attachment_sections',
                      key: ['ordinal'],
                      json: { heading: Heading },
                      text: { id: SectionId },
                      derived: ['title_terms', 'body_terms', 'term_count', 'text_hash'],
                    },
                  ],
                },
              },
              {
                table: 'citations',
                key: ['version', 'ordinal'],
                json: { heading: Heading },
                text: { kind: ItemKind, item_id: ItemId },
              },
              { table: 'context_blocks', key: ['version'], text: { language: Lang } },
              {
                table: 'context_items',
                key: ['version', 'ordinal'],
                json: { heading: Heading },
                text: { kind: ItemKind, item_id: ItemId },
              },
              {
                table: 'tool_calls',
                key: ['version', 'ordinal'],
                json: { params: ToolParams },
                text: {
                  language: Lang,
                  state: ToolCallState,
                  outcome: ToolOutcomeCode,
                  arguments: z.string().refine(isJsonObject),
                  name: z.string().regex(/^[\w-]{1,64}$/),
                },
              },
              {
                table: 'tool_items',
                key: ['version', 'call', 'ordinal'],
                json: { heading: Heading },
                text: { kind: ItemKind, item_id: ItemId },
              },
              {
                table: 'item_marks',
                key: ['kind', 'item_id'],
                text: { kind: ItemKind, item_id: ItemId, mark: ItemMark },
              },
              {
                table: 'prompts',
                key: ['version'],
                json: {
                  layout: z.array(LayoutEntry),
                  steps: z.array(Step),
                  trail: z.json(),
                  made_from: z.array(Source),
                },
              },
            ],
          },
        },
        {
          table: 'summaries',
          key: ['level', 'id'],
          json: { findings: Texts, files: Texts, tools: Texts, topics: Texts, made_from: z.array(Source) },
          text: { id: SummaryId },
          derived: ['sent_text', 'body_terms', 'term_count', 'text_hash'],
          under: { column: 'summary_id', tables: [{ table: 'summary_turns', key: ['turn_id'] }] },
        },
      ],
    },
  },
  facts: {
    table: 'facts',
    key: ['id'],
    json: { subjects: z.array(z.string()), anchor_heading: Heading.nullable() },
    text: { id: FactId, anchor_vault_id: VaultId.nullable() },
    // `state` says what `status` said before schema 22.
    derived: ['subject_terms', 'body_terms', 'term_count', 'text_hash', 'retired_at', 'status'],
    deletedAt: 'forgotten_at',
    under: {
      column: 'fact_id',
      tables: [
        {
          table: 'fact_revisions',
          key: ['ordinal'],
          json: { subjects: z.array(z.string()).nullable() },
          text: { kind: FactKind.nullable() },
        },
        { table: 'fact_edges', key: ['from_id', 'kind'], text: { from_id: FactId }, refersBy: 'to_id' },
        { table: 'fact_people', key: ['person', 'tie', 'value'] },
        { table: 'fact_drift', key: ['since'] },
        { table: 'fact_lines', key: ['note'] },
        { table: 'fact_conflicts', key: ['at'] },
        { table: 'fact_sayings', key: ['turn_id'], where: `${TURN_KEPT} IS NOT NULL` },
        { table: 'fact_merges', key: ['at'], json: { before: MergeRecord } },
        { table: 'fact_reviews', key: ['other_id', 'kind'] },
      ],
    },
  },
  // A key that nothing is hashed with is made when it is needed.
  tombstone_keys: {
    table: 'tombstone_keys',
    key: ['id'],
    where: 'EXISTS (SELECT 1 FROM tombstones s WHERE s.key_id = r.id)',
    under: { column: 'key_id', tables: [{ table: 'tombstones', key: ['hash'] }] },
  },
  memory_retrievals: {
    table: 'memory_retrievals',
    key: ['id'],
    json: {
      timings: z.record(z.string(), z.number()),
      skipped: z.array(SkippedSource),
      settings: RetrievalSettings.nullable(),
    },
    where: `(turn_id IS NULL OR ${TURN_KEPT} IS NOT NULL)`,
    under: {
      column: 'retrieval_id',
      tables: [
        {
          table: 'memory_retrieval_items',
          key: ['ordinal'],
          json: { heading: Heading, reason: VerdictReason, parts: ScoreParts.nullable() },
          text: { kind: ItemKind, verdict: Verdict },
        },
      ],
    },
  },
  // Work still to be done. Jobs on the whole database are left out: they follow from its rows, and belong to one computer.
  jobs: {
    table: 'jobs',
    key: ['id'],
    derived: ['id', 'state', 'revision', 'attempts', 'lease', 'leased_until', 'error_code'],
    where: "subject <> ''",
  },
};

/** Columns of tables, read once per database. */
const knownColumns = new WeakMap<Db, Map<string, string[]>>();

/** The columns of a table, from its schema, without `rowid`. */
export function columnsOf(db: Db, table: string): string[] {
  const known = knownColumns.get(db) ?? new Map<string, string[]>();
  knownColumns.set(db, known);
  const columns =
    known.get(table) ??
    db
      .all<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
      .map(({ name }) => name)
      .filter((name) => name !== 'rowid');
  known.set(table, columns);
  return columns;
}
