import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Portable, Portion, PortionReport } from '../../../shared/contract/data.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ConversationId, FactId, SummaryId, TurnId } from '../../../shared/ids.ts';
import { Settings } from '../../../shared/settings.ts';
import { clampTime } from '../../../shared/time.ts';
import { turnTerms } from '../../items/turnText.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { writeAttachmentTerms } from '../../storage/attachments.ts';
import { arrange, endOfPath } from '../../storage/conversations/branches.ts';
import type { ConversationStore } from '../../storage/conversations.ts';
import type { Db } from '../../storage/database.ts';
import type { FactStore } from '../../storage/facts.ts';
import { ForgottenSummaries } from '../../storage/forgottenSummaries.ts';
import { UNTITLED } from '../../storage/forgottenTurns.ts';
import { reasonOfSentence, skippedOfSentences } from '../../storage/migrations/0009-reasons.ts';
import { oldEntity, oldRelation, oldTies } from '../../storage/migrations/0022-fact-record.ts';
import { writeSummaryTerms } from '../../storage/summaries.ts';
import type { Forgotten } from '../../storage/tombstones.ts';
import type { Clock } from '../../support/clock.ts';
import { overlaps } from '../../support/paths.ts';
import { termStream } from '../../support/text/tokenise.ts';
import { importedTurn, type Renderers } from './importedTurn.ts';
import { insert, insertNew, insertUnder, rowsUnder, toNumber, toValue } from './insertRows.ts';
import { type Row, TABLES, type Value } from './tables.ts';

/** Settings that belong to one computer, or would make another computer send data away or write in a vault. They are exported, but not imported. */
const OF_ONE_COMPUTER = [
  'embedder',
  'chat.baseUrl',
  'chat.model',
  'chat.sendNotes',
  'chat.sendMemory',
  'updateUrl',
  'openAtLogin',
  'factsNote',
];

export interface PortablePorts extends Renderers {
  db: Db;
  conversations: ConversationStore;
  facts: FactStore;
  jobs: Jobs;
  clock: Clock;
}

type Outcome = keyof PortionReport;

/**
 * Imports one portion of an export in one transaction. Existing rows stay as they are; deleted rows that can still be restored
 * are restored. Terms and full text are rebuilt.
 * @throws AppError IMPORT_INVALID if a row does not fit its table; nothing is imported then
 */
export function importPortion(ports: PortablePorts, { kind, rows }: Portion): PortionReport {
  const { db } = ports;
  const report: PortionReport = { added: 0, restored: 0, unchanged: 0, leftOut: 0, forgotten: 0 };
  const importRow: Record<Portable, (row: Row) => Outcome> = {
    settings: (row) => (isForAnyComputer(row) ? insertNew(db, TABLES.settings, row) : 'leftOut'),
    vaults: (row) => importVault(db, row),
    conversations: (row) => importConversation(ports, row),
    tombstone_keys: (row) => importTombstones(db, row),
    facts: (row) => importFact(ports, row),
    memory_retrievals: (exported) => {
      const row = withReasons(exported);
      if (row.turn_id !== null && !exists(db, 'turns', row.turn_id)) return 'leftOut';
      const outcome = insertNew(db, TABLES.memory_retrievals, row);
      if (outcome === 'added') insertUnder(db, TABLES.memory_retrievals, row);
      return outcome;
    },
    jobs: (row) => importJob(ports, row),
  };
  try {
    db.transaction(() => {
      for (const row of rows) report[importRow[kind](row)] += 1;
      ports.facts.followTurns(ports.clock.now());
      if (kind === 'facts')
        ports.facts.reconcile(
          rows.map(({ id }) => id as FactId),
          ports.clock.now(),
        );
    });
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (!code.startsWith('SQLITE_CONSTRAINT') && !code.startsWith('SQLITE_MISMATCH')) throw error;
    throw new AppError('IMPORT_INVALID', { reason: `${kind}: ${code}` }, { cause: error });
  }
  return report;
}

/** Is it a setting that this version knows, with a value that it may have, and that holds on every computer? */
function isForAnyComputer({ key, value }: Row): boolean {
  if (typeof key !== 'string' || OF_ONE_COMPUTER.includes(key) || !Object.hasOwn(Settings.shape, key))
    return false;
  return Settings.shape[key as keyof Settings].safeParse(value).success;
}

/** Skips a vault whose folder is not on this computer, or overlaps another vault's folder. */
function importVault(db: Db, row: Row): Outcome {
  const path = String(row.path);
  const known = db.get<{ removed: number }>(
    'SELECT removed_at IS NOT NULL AS removed FROM vaults WHERE id = ?',
    toValue(row.id),
  );
  if (known?.removed === 0) return 'unchanged';
  const isNested = db
    .all<{ path: string }>(
      'SELECT path FROM vaults WHERE id <> ? AND (removed_at IS NULL OR ?)',
      toValue(row.id),
      known ? 0 : 1,
    )
    .some((other) => overlaps(path, other.path));
  return isNested || !isAbsolute(path) || !isFolder(path) ? 'leftOut' : insertNew(db, TABLES.vaults, row);
}

/** A retrieval with its reasons as data: exports of schema 8 hold English sentences under `because`. */
function withReasons(row: Row): Row {
  const isSkippedOld =
    Array.isArray(row.skipped) &&
    row.skipped.length > 0 &&
    row.skipped.every((one: Row | null) => typeof one?.because === 'string');
  return {
    ...row,
    ...(isSkippedOld ? { skipped: JSON.parse(skippedOfSentences(JSON.stringify(row.skipped))) } : {}),
    memory_retrieval_items: rowsUnder(row, 'memory_retrieval_items').map(({ because, ...item }) =>
      typeof because === 'string' ? { ...item, reason: JSON.parse(reasonOfSentence(because)) } : item,
    ),
  };
}

/** Skips jobs of a kind that this version does not know: nothing here could run them. */
function importJob({ jobs }: PortablePorts, { kind, subject, due_at, priority }: Row): Outcome {
  if (typeof kind !== 'string' || typeof subject !== 'string' || subject === '')
    throw new AppError('IMPORT_INVALID', { reason: 'a job without a kind or a subject' });
  if (!jobs.knows(kind)) return 'leftOut';
  if (jobs.has(kind, subject)) return 'unchanged';
  jobs.enqueue(kind, subject, { dueAt: clampTime(toNumber(due_at)), priority: toNumber(priority) });
  return 'added';
}

/** Adds a conversation, or adds missing turns to one that exists. */
function importConversation(ports: PortablePorts, exported: Row): Outcome {
  const { db, conversations, facts } = ports;
  const all = rowsUnder(exported, 'turns');
  const row: Row & { turns: Row[] } = {
    ...exported,
    turns: all.filter(({ id }) => !facts.tombstones.has({ kind: 'turn', id: String(id) })),
  };
  // What was forgotten is not imported again.
  if (all.length > 0 && row.turns.length === 0) return 'forgotten';
  const isTitleGone = facts.tombstones.has({ kind: 'title', title: String(row.title) });
  const outcome = insertNew(db, TABLES.conversations, {
    ...row,
    ...(isTitleGone ? { title: UNTITLED } : {}),
    title_terms: '',
    turn_count: 0,
  });
  const id = row.id as ConversationId;
  const [turns] = TABLES.conversations.under?.tables ?? [];
  if (!turns) throw new Error('conversations have turns');
  const wanted = new Set(row.turns.map((turn) => turn.id));
  const isKept = (turn: unknown) => wanted.has(turn) || exists(db, 'turns', turn);
  const added = linked(all, isKept).filter((turn) => wanted.has(turn.id) && !exists(db, 'turns', turn.id));
  const end = endOfPath(db, id);
  const elsewhere = conversations.turns(id).filter((turn) => !all.some((one) => one.id === turn.id));
  const isTaken = (parent: unknown, version: unknown) =>
    elsewhere.some(({ parentId, parentVersion }) => parentId === parent && parentVersion === version);
  for (const one of added) {
    // What went on differently here goes on with it, so that neither hides the other.
    const isBeside = isTaken(one.parent_id, one.parent_version);
    const turn = isBeside ? { ...one, parent_id: end.parentId, parent_version: end.parentVersion } : one;
    insert(db, turns, {
      ...turn,
      ordinal: freeOrdinal(db, id, turn),
      conversation_id: id,
      body_terms: '',
      term_count: 0,
    });
    insertUnder(
      db,
      turns,
      importedTurn(turn, (table) => rowsUnder(turn, table), ports),
    );
  }
  for (const turn of added) {
    const turnId = turn.id as TurnId;
    conversations.setTerms(turnId, turnTerms(db, turnId));
    for (const { id: fileId } of rowsUnder(turn, 'attachments')) writeAttachmentTerms(db, String(fileId));
  }
  if (added.length > 0) arrange(db, id);
  importSummaries(ports, exported, new Set(added.map((turn) => String(turn.id))));
  const title = conversations.get(id)?.title;
  if (title !== undefined && added.length > 0) conversations.setTitle(id, title, termStream(title));
  return outcome === 'unchanged' && added.length > 0 ? 'added' : outcome;
}

/** Adds the summaries of turns that were added; where one of their turns is not among these, or what they say was forgotten, they are made again. */
function importSummaries({ db, facts }: PortablePorts, conversation: Row, added: ReadonlySet<string>): void {
  const table = TABLES.conversations.under?.tables.find((one) => one.table === 'summaries');
  if (!table) throw new Error('conversations have summaries');
  const rows = rowsUnder(conversation, 'summaries').filter(
    (row) =>
      !exists(db, 'summaries', row.id) &&
      rowsUnder(row, 'summary_turns').every(({ turn_id }) => added.has(String(turn_id))),
  );
  const ids = new Set(rows.map((row) => row.id));
  // Which summary stands above which is looked at when all of them are there.
  for (const row of rows) {
    const parent = ids.has(row.parent_id) ? row.parent_id : null;
    insert(db, table, { ...row, conversation_id: conversation.id, parent_id: parent });
    insertUnder(db, table, row);
  }
  for (const { id } of rows) writeSummaryTerms(db, String(id));
  const forgotten = new ForgottenSummaries(db);
  for (const row of rows) {
    const at = facts.tombstones.forgottenAt({ kind: 'summary', id: String(row.id) });
    if (at !== null && toNumber(row.updated_at) <= at) forgotten.blank(row.id as SummaryId);
  }
}

/**
 * The turns of an exported conversation, each with one that is kept and that it was said after. Exports before schema 28 do not say
 * which: there, each was said after the one before it.
 */
function linked(turns: readonly Row[], isKept: (turn: unknown) => boolean): Row[] {
  const parents = new Map<unknown, Row>();
  return turns.map((turn, place) => {
    const before = turns[place - 1];
    const said: Row = Object.hasOwn(turn, 'parent_id')
      ? { parent_id: turn.parent_id, parent_version: turn.parent_version ?? null }
      : { parent_id: before?.id ?? null, parent_version: before?.active_version ?? null };
    const isFirst = said.parent_id === null || said.parent_id === undefined;
    const parent =
      isFirst || isKept(said.parent_id)
        ? said
        : (parents.get(said.parent_id) ?? { parent_id: null, parent_version: null });
    parents.set(turn.id, parent);
    return { ...turn, ...parent };
  });
}

/** The ordinal of an imported turn: its own, or the next free one if that is taken, or that of the turn it was said after is higher. */
function freeOrdinal(db: Db, id: ConversationId, turn: Row): Value {
  const ordinal = toValue(turn.ordinal);
  const { taken, last } = db.get<{ taken: number; last: number | null }>(
    `SELECT count(*) FILTER (WHERE ordinal = @ordinal OR (ordinal > @ordinal AND id = @parent)) AS taken, max(ordinal) AS last
     FROM turns WHERE conversation_id = @id`,
    { id, ordinal, parent: toValue(turn.parent_id) },
  ) ?? { taken: 0, last: null };
  return taken > 0 ? (last ?? 0) + 1 : ordinal;
}

/** Adds a key with its tombstones, or adds missing tombstones to one that exists. */
function importTombstones(db: Db, row: Row): Outcome {
  const outcome = insertNew(db, TABLES.tombstone_keys, row);
  const [tombstones] = TABLES.tombstone_keys.under?.tables ?? [];
  if (!tombstones) throw new Error('keys have tombstones');
  const added = rowsUnder(row, 'tombstones').map((one) =>
    insertNew(db, { ...tombstones, key: ['key_id', 'hash'] }, { ...one, key_id: row.id }),
  );
  return added.includes('added') ? 'added' : outcome;
}

function importFact({ db, facts }: PortablePorts, exported: Row): Outcome {
  const row = asRecorded(exported);
  if (facts.tombstones.has(...saidBy(row))) return 'forgotten';
  const withTurn = (one: Row): Row => ({
    ...one,
    turn_id: exists(db, 'turns', one.turn_id) ? one.turn_id : null,
  });
  const blank = { subject_terms: '', body_terms: '', term_count: 0 };
  const outcome = insertNew(db, TABLES.facts, withTurn({ ...row, ...blank }));
  if (outcome !== 'added') return outcome;
  // A line that an erased fact left behind is that of the fact again.
  db.run('DELETE FROM fact_lines WHERE fact_id = ?', toValue(row.id));
  const under = (TABLES.facts.under?.tables ?? []).map(({ table }): [string, Row[]] => [
    table,
    rowsUnder(row, table)
      .map(withTurn)
      .filter(({ turn_id }) => table !== 'fact_sayings' || turn_id !== null),
  ]);
  insertUnder(db, TABLES.facts, { ...row, ...Object.fromEntries(under) });
  facts.writeTerms(row.id as FactId);
  return 'added';
}

/** What a fact says, in its words and as the value of a relation. */
function saidBy({ content, entity, relation, value }: Row): Forgotten[] {
  const said: Forgotten = { kind: 'content', content: String(content) };
  if (typeof entity !== 'string' || typeof relation !== 'string' || typeof value !== 'string') return [said];
  return [said, { kind: 'value', entity, relation, value }];
}

/** A fact of an export, as this schema records it: those before schema 22 say less, and have keys of another form. */
function asRecorded({ status, ...row }: Row): Row {
  if (Object.hasOwn(row, 'state')) return row;
  const { key } = row;
  const subjects = JSON.stringify(row.subjects ?? []);
  const entity = typeof key === 'string' ? oldEntity(key, subjects) : null;
  if (typeof key !== 'string' || entity === null) return { ...row, state: status ?? 'current', key: null };
  const relation = oldRelation(key);
  const ties = (JSON.parse(oldTies(key, subjects)) as Row[]).map((tie) => ({ ...tie, turn_id: row.turn_id }));
  return {
    ...row,
    state: status ?? 'current',
    entity,
    relation,
    key: `${entity}.${relation}`,
    fact_people: ties,
  };
}

/** False too for a path that no file can have. */
function isFolder(path: string): boolean {
  return !path.includes('\0') && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

const exists = (db: Db, table: string, id: unknown): boolean =>
  typeof id === 'string' && db.get(`SELECT 1 FROM ${table} WHERE id = ?`, id) !== undefined;
