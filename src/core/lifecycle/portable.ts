import { existsSync } from 'node:fs';
import { PORTABLE, type Portable, type Portion, type PortionReport } from '../../shared/contract/data.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, FactId, TurnId } from '../../shared/ids.ts';
import { parseJson } from '../../shared/json.ts';
import { turnText } from '../items/turnText.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import { overlaps } from '../support/paths.ts';
import { termStream } from '../support/text/tokenise.ts';

type Row = Record<string, unknown>;
type Value = string | number | null;

interface Table {
  table: string;
  /** Columns that make a row unique, and give the order. */
  key: string[];
  /** Columns that hold JSON. */
  json?: string[];
  /** Columns that are derived from others, and written anew. */
  derived?: string[];
  /** Rows in their undo period stay behind. */
  where?: string;
  /** Rows that belong to one of this table, by this column of theirs. */
  under?: { column: string; tables: Table[] };
}

/** A turn of a conversation that is there. */
const TURN_KEPT = `(SELECT t.id FROM turns t JOIN conversations v ON v.id = t.conversation_id
  WHERE t.id = r.turn_id AND v.removed_at IS NULL)`;

const TABLES: Readonly<Record<Portable, Table>> = {
  settings: { table: 'settings', key: ['key'], json: ['value'] },
  vaults: { table: 'vaults', key: ['id'], json: ['ignore_patterns'], where: 'removed_at IS NULL' },
  conversations: {
    table: 'conversations',
    key: ['id'],
    derived: ['title_terms'],
    where: 'removed_at IS NULL',
    under: {
      column: 'conversation_id',
      tables: [
        {
          table: 'turns',
          key: ['ordinal'],
          derived: ['body_terms', 'term_count', 'text_hash'],
          under: {
            column: 'turn_id',
            tables: [
              { table: 'messages', key: ['ordinal'], json: ['scope', 'error', 'prompt_cut'] },
              { table: 'citations', key: ['version', 'ordinal'], json: ['heading'] },
              { table: 'context_items', key: ['ordinal'], json: ['heading'] },
            ],
          },
        },
      ],
    },
  },
  facts: {
    table: 'facts',
    key: ['id'],
    json: ['subjects'],
    derived: ['subject_terms', 'body_terms', 'term_count', 'text_hash'],
    where: 'forgotten_at IS NULL',
    under: { column: 'fact_id', tables: [{ table: 'fact_revisions', key: ['ordinal'] }] },
  },
  memory_retrievals: {
    table: 'memory_retrievals',
    key: ['id'],
    json: ['timings', 'skipped'],
    where: `(turn_id IS NULL OR ${TURN_KEPT} IS NOT NULL)`,
    under: {
      column: 'retrieval_id',
      tables: [{ table: 'memory_retrieval_items', key: ['ordinal'], json: ['heading'] }],
    },
  },
};

/** Settings that belong to one computer, or would send something away from the next. They are exported, and not taken over. */
const OF_ONE_COMPUTER = ['embedder', 'chat.baseUrl', 'chat.model', 'updateUrl', 'openAtLogin'];

const ROWS_AT_ONCE = 50;

export interface PortablePorts {
  db: Db;
  conversations: ConversationStore;
  facts: FactStore;
}

/** Everything that cannot be derived, a portion at a time and always in the same order: two equal databases give equal exports. */
export function* exportPortions(db: Db): Generator<Portion> {
  for (const kind of PORTABLE) {
    const table = TABLES[kind];
    const keys = db.all<{ key: string }>(
      `SELECT r.${table.key[0]} AS key FROM ${table.table} r ${table.where ? `WHERE ${table.where}` : ''} ORDER BY key`,
    );
    // A kind without rows is told all the same.
    for (let at = 0; at === 0 || at < keys.length; at += ROWS_AT_ONCE) {
      const some = JSON.stringify(keys.slice(at, at + ROWS_AT_ONCE).map(({ key }) => key));
      yield { kind, rows: readRows(db, table, { column: table.key[0] as string, values: some }) };
    }
  }
}

function readRows(db: Db, table: Table, by: { column: string; values: string }): Row[] {
  // What a later version derives or adds is found here by itself.
  const columns = columnsOf(db, table.table).filter((column) => !table.derived?.includes(column));
  const select = columns.map((column) =>
    // A fact outlives the conversation that taught it.
    table.table === 'facts' && column === 'turn_id' ? `${TURN_KEPT} AS turn_id` : `r.${column}`,
  );
  const rows = db.all<Row>(
    `SELECT ${select.join(', ')} FROM json_each(?) j JOIN ${table.table} r ON r.${by.column} = j.value
     ORDER BY j.key, ${table.key.map((column) => `r.${column}`).join(', ')}`,
    by.values,
  );
  for (const row of rows) for (const column of table.json ?? []) row[column] = parse(row[column]);
  const { under } = table;
  if (!under) return rows;
  const ids = JSON.stringify(rows.map((row) => row.id));
  for (const child of under.tables) {
    const children = Map.groupBy(
      readRows(db, child, { column: under.column, values: ids }),
      (row) => row[under.column],
    );
    for (const row of rows) {
      row[child.table] = (children.get(row.id) ?? []).map(({ [under.column]: _parent, ...rest }) => rest);
    }
  }
  return rows;
}

/** Columns of a table, read once for each database. */
const knownColumns = new WeakMap<Db, Map<string, string[]>>();

function columnsOf(db: Db, table: string): string[] {
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

/** A column of JSON; what was edited by hand and is none is kept as it reads. */
function parse(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

/**
 * Takes over one portion of an export in one transaction. Rows that are there already stay; terms and full text are written anew.
 * @throws AppError IMPORT_INVALID where a row is not what its table holds; nothing is taken over then
 */
export function importPortion(ports: PortablePorts, { kind, rows }: Portion): PortionReport {
  const { db } = ports;
  const report: PortionReport = { added: 0, unchanged: 0, leftOut: 0 };
  const take: Record<Portable, (row: Row) => keyof PortionReport> = {
    settings: (row) =>
      OF_ONE_COMPUTER.includes(String(row.key)) ? 'leftOut' : insertNew(db, TABLES.settings, row),
    vaults: (row) => takeVault(db, row),
    conversations: (row) => takeConversation(ports, row),
    facts: (row) => takeFact(ports, row),
    memory_retrievals: (row) => {
      if (row.turn_id !== null && !exists(db, 'turns', row.turn_id)) return 'leftOut';
      const outcome = insertNew(db, TABLES.memory_retrievals, row);
      if (outcome === 'added') insertUnder(db, TABLES.memory_retrievals, row);
      return outcome;
    },
  };
  try {
    db.transaction(() => {
      for (const row of rows) report[take[kind](row)] += 1;
    });
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (!code.startsWith('SQLITE_CONSTRAINT') && !code.startsWith('SQLITE_MISMATCH')) throw error;
    throw new AppError('IMPORT_INVALID', { reason: `${kind}: ${code}` }, { cause: error });
  }
  return report;
}

/** A vault whose folder is not on this computer is left out, and so is one that would lie within another. */
function takeVault(db: Db, row: Row): keyof PortionReport {
  const path = String(row.path);
  if (exists(db, 'vaults', row.id)) return 'unchanged';
  const nested = db
    .all<{ path: string }>('SELECT path FROM vaults')
    .some((other) => overlaps(path, other.path));
  return nested || !existsSync(path) ? 'leftOut' : insertNew(db, TABLES.vaults, row);
}

/** Turns that are not there yet are added to a conversation that is. */
function takeConversation({ db, conversations }: PortablePorts, row: Row): keyof PortionReport {
  const isNew = insertNew(db, TABLES.conversations, { ...row, title_terms: '' }) === 'added';
  const id = row.id as ConversationId;
  const [turns] = TABLES.conversations.under?.tables ?? [];
  if (!turns) throw new Error('conversations have turns');
  const added = rowsUnder(row, 'turns').filter((turn) => !exists(db, 'turns', turn.id));
  for (const turn of added) {
    insert(db, turns, {
      ...turn,
      ordinal: freeOrdinal(db, id, toValue(turn.ordinal)),
      conversation_id: id,
      body_terms: '',
      term_count: 0,
    });
    db.run(
      "INSERT INTO turn_fts (rowid, title, body) SELECT rowid, '', '' FROM turns WHERE id = ?",
      turn.id as TurnId,
    );
    insertUnder(db, turns, turn);
  }
  for (const turn of added) {
    const turnId = turn.id as TurnId;
    conversations.setTerms(turnId, termStream(turnText(db, turnId)));
  }
  const title = conversations.get(id)?.title;
  if (title !== undefined && added.length > 0) conversations.setTitle(id, title, termStream(title));
  return isNew || added.length > 0 ? 'added' : 'unchanged';
}

/** The place of a turn in its conversation: its own, or the next one where that is taken. */
function freeOrdinal(db: Db, id: ConversationId, ordinal: Value): Value {
  const { taken, last } = db.get<{ taken: number; last: number | null }>(
    'SELECT count(*) FILTER (WHERE ordinal = ?) AS taken, max(ordinal) AS last FROM turns WHERE conversation_id = ?',
    ordinal,
    id,
  ) ?? { taken: 0, last: null };
  return taken > 0 ? (last ?? 0) + 1 : ordinal;
}

function takeFact({ db, facts }: PortablePorts, row: Row): keyof PortionReport {
  const turnId = exists(db, 'turns', row.turn_id) ? row.turn_id : null;
  const blank = { subject_terms: '', body_terms: '', term_count: 0 };
  if (insertNew(db, TABLES.facts, { ...row, ...blank, turn_id: turnId }) === 'unchanged') return 'unchanged';
  insertUnder(db, TABLES.facts, row);
  facts.writeTerms(row.id as FactId);
  return 'added';
}

const exists = (db: Db, table: string, id: unknown): boolean =>
  typeof id === 'string' && db.get(`SELECT 1 FROM ${table} WHERE id = ?`, id) !== undefined;

function rowsUnder(row: Row, table: string): Row[] {
  const rows = row[table];
  return Array.isArray(rows) ? (rows as Row[]) : [];
}

function insertUnder(db: Db, { under }: Table, row: Row): void {
  for (const table of under?.tables ?? []) {
    for (const child of rowsUnder(row, table.table))
      insert(db, table, { ...child, [under?.column ?? '']: row.id });
  }
}

/** Inserts a row whose key is not there yet. */
function insertNew(db: Db, table: Table, row: Row): 'added' | 'unchanged' {
  const where = table.key.map((column) => `${column} = ?`).join(' AND ');
  const key = table.key.map((column) => toValue(row[column]));
  if (db.get(`SELECT 1 FROM ${table.table} WHERE ${where}`, ...key)) return 'unchanged';
  insert(db, table, row);
  return 'added';
}

function insert(db: Db, table: Table, row: Row): void {
  const known = columnsOf(db, table.table).filter((column) => Object.hasOwn(row, column));
  const values = known.map((column) =>
    table.json?.includes(column) && row[column] !== null ? JSON.stringify(row[column]) : toValue(row[column]),
  );
  db.run(
    `INSERT INTO ${table.table} (${known.join(', ')}) VALUES (${known.map(() => '?').join(', ')})`,
    ...values,
  );
}

/** @throws AppError IMPORT_INVALID for a list or an object where a plain value belongs */
function toValue(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new AppError('IMPORT_INVALID', { reason: `a ${typeof value} where a text or a number belongs` });
}
