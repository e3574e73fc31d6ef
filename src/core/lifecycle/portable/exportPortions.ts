import { PORTABLE, type Portion } from '../../../shared/contract/data.ts';
import { parseJson } from '../../../shared/json.ts';
import { soFar } from '../../storage/conversations/replyParts.ts';
import type { Db } from '../../storage/database.ts';
import { columnsOf, PICKED_KEPT, parentKept, type Row, TABLES, type Table, TURN_KEPT } from './tables.ts';

const ROWS_AT_ONCE = 50;
const FACT_TABLES = new Set(['facts', 'fact_revisions', 'fact_edges', 'fact_people']);

/**
 * Exports everything that cannot be derived, one portion at a time and always in the same order: equal databases give equal
 * exports.
 */
export function* exportPortions(db: Db): Generator<Portion> {
  for (const kind of PORTABLE) {
    const table = TABLES[kind];
    const conditions = [table.where, table.deletedAt && `${table.deletedAt} IS NULL`].filter(Boolean);
    const keys = db.all<{ key: string | number }>(
      `SELECT r.${table.key[0]} AS key FROM ${table.table} r
       WHERE ${conditions.length > 0 ? conditions.join(' AND ') : 'TRUE'} ORDER BY key`,
    );
    // A kind without rows gives one empty portion.
    for (let at = 0; at === 0 || at < keys.length; at += ROWS_AT_ONCE) {
      const some = JSON.stringify(keys.slice(at, at + ROWS_AT_ONCE).map(({ key }) => key));
      yield { kind, rows: readRows(db, table, { column: table.key[0] as string, values: some }) };
    }
  }
}

function readRows(db: Db, table: Table, by: { column: string; values: string }): Row[] {
  // Read from the schema, so that columns added by later versions are exported too.
  const columns = columnsOf(db, table.table).filter((column) => !table.derived?.includes(column));
  const select = columns.map((column) => `${expressionOf(table, column)} AS ${column}`);
  const rows = db.all<Row>(
    `SELECT ${select.join(', ')} FROM json_each(?) j JOIN ${table.table} r ON r.${by.column} = j.value
     ${table.where ? `WHERE ${table.where}` : ''} ORDER BY j.key, ${table.key.map((column) => `r.${column}`).join(', ')}`,
    by.values,
  );
  for (const row of rows)
    for (const column of Object.keys(table.json ?? {})) row[column] = parse(row[column]);
  const { under } = table;
  if (!under) return rows;
  const ids = JSON.stringify(rows.map((row) => row.id));
  for (const child of under.tables) {
    const column = child.refersBy ?? under.column;
    const children = Map.groupBy(readRows(db, child, { column, values: ids }), (row) => row[column]);
    for (const row of rows) {
      row[child.table] = (children.get(row.id) ?? []).map(({ [column]: _parent, ...rest }) => rest);
    }
  }
  return rows;
}

/** The SQL expression of what is exported of a column. */
function expressionOf({ table }: Table, column: string): string {
  // A fact outlives the conversation that taught it.
  if (FACT_TABLES.has(table) && column === 'turn_id') return TURN_KEPT;
  if (table === 'facts' && column === 'message_id')
    return `CASE WHEN ${TURN_KEPT} IS NOT NULL THEN r.message_id END`;
  if (table === 'turns' && (column === 'parent_id' || column === 'parent_version')) return parentKept(column);
  if (table === 'turns' && column === 'picked') return PICKED_KEPT;
  if (table === 'messages' && (column === 'content' || column === 'reasoning')) return soFar('r', column);
  return `r.${column}`;
}

/** The parsed value of a JSON column; the text itself if it is not valid JSON, as after an edit by hand. */
function parse(value: unknown): unknown {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}
