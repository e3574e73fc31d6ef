import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/core/app.ts';
import { SCHEMA_8_NOW, writeSchema8 } from '../fixtures/databaseSchema8.ts';
import { SCHEMA_21_NOW, writeSchema21 } from '../fixtures/databaseSchema21.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { openTestCore } from '../support/testApp.ts';

type Row = Record<string, unknown>;
interface Table {
  /** Columns that name a row. */
  key: string[];
  columns: string[];
  rows: Row[];
}

/** Terms and their counts follow from the texts, and are written again by every new tokeniser. */
const DERIVED = /_terms$|^term_count$/;
/** Columns that a later version may restate, by table; their rows are counted all the same. */
const RESTATED: Readonly<Record<string, string[]>> = {
  turns: ['text_hash'],
  text_versions: ['version'],
  memory_retrievals: ['skipped'],
  memory_retrieval_items: ['because'],
  facts: ['key'],
};
/** A row that changes again takes a new number in the outbox: it is known by what it stands for. */
const KEYS: Readonly<Record<string, string[]>> = { vector_outbox: ['kind', 'item_id'] };
/** Tables to which opening may add rows; none of their rows goes. */
const GROWS = new Set(['text_versions', 'vector_outbox']);
/** What is derived from the vaults' files, and what waits to be done: indexing may change it. */
const SETTLES = /^(?:notes|chunks|links|note_names|note_tags|vector_\w+|text_versions|chunk_fts)$/;

/** Every table with its rows; of a full-text table the row ids. */
function readTables(path: string): Map<string, Table> {
  const db = new BetterSqlite3(path, { readonly: true });
  const schema = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    .all();
  const virtual = schema.filter(({ sql }) => sql.startsWith('CREATE VIRTUAL')).map(({ name }) => name);
  const tables = new Map<string, Table>();
  for (const { name, sql } of schema) {
    if (name.startsWith('sqlite_') || sql.includes('fts5vocab')) continue;
    if (virtual.some((table) => name.startsWith(`${table}_`))) continue;
    if (virtual.includes(name)) {
      const rows = db.prepare<[], Row>(`SELECT rowid FROM ${name}`).all();
      tables.set(name, { key: ['rowid'], columns: ['rowid'], rows });
      continue;
    }
    const info = db.prepare<[string], { name: string; pk: number }>('SELECT * FROM pragma_table_info(?)');
    const all = info.all(name);
    const key = KEYS[name] ?? all.filter(({ pk }) => pk > 0).map((column) => column.name);
    const columns = KEYS[name] ?? all.map((column) => column.name);
    tables.set(name, { key, columns, rows: db.prepare<[], Row>(`SELECT * FROM ${name}`).all() });
  }
  db.close();
  return tables;
}

/** The columns of `before` that `after` still has, without those that may be restated; ordered by key. */
function contents(name: string, before: Table, after: Table, rows: readonly Row[]): string[] {
  const compared = before.columns.filter(
    (column) => after.columns.includes(column) && !DERIVED.test(column) && !RESTATED[name]?.includes(column),
  );
  return rows.map((row) => JSON.stringify([...before.key, ...compared].map((column) => row[column]))).sort();
}

let root: string;
let dataDir: string;
let app: App;
let before: Map<string, Table>;

const database = () => join(dataDir, 'souvenir.sqlite');

const open = (write: (root: string) => string, now: number) => () => {
  root = temporaryFolder();
  dataDir = write(root);
  before = readTables(database());
  app = openTestCore(dataDir, { clock: { now: () => now } });
};
afterEach(async () => {
  await app.close();
  removeFolder(root);
});

function expectEveryRow(): void {
  const after = readTables(database());
  for (const [name, table] of before) {
    const now = after.get(name);
    if (!now) throw new Error(`there is no table ${name}`);
    const missing = table.key.filter((column) => !now.columns.includes(column));
    expect([name, missing]).toEqual([name, []]);
    const rows = contents(name, table, now, table.rows);
    const kept = contents(name, table, now, now.rows);
    expect([name, kept]).toEqual([name, GROWS.has(name) ? expect.arrayContaining(rows) : rows]);
  }
}

describe('a database of schema 8', () => {
  beforeEach(open(writeSchema8, SCHEMA_8_NOW));

  it('holds something in every table', () => {
    expect([...before].filter(([, { rows }]) => rows.length === 0).map(([name]) => name)).toEqual([]);
    expect([...before.keys()]).toEqual(
      expect.arrayContaining(['fact_revisions', 'fact_subjects', 'citations', 'context_items']),
    );
  });

  it('is copied before anything in it changes', () => {
    const copies = readdirSync(join(dataDir, 'backups'));
    expect(copies).toEqual(['before-migration-v8-0001.sqlite']);
    expect(readTables(join(dataDir, 'backups', copies[0] as string))).toEqual(before);
  });

  it('keeps every row of every table', expectEveryRow);

  it('is sound, and has lost nothing once its vaults and vectors are up to date', async () => {
    expect((await app.client.app.doctor({ repair: false })).findings).toEqual([]);
    const after = readTables(database());
    for (const [name, table] of before) {
      if (SETTLES.test(name)) continue;
      expect([name, after.get(name)?.rows.length]).toEqual([name, table.rows.length]);
    }
    const { notes } = await app.client.app.stats();
    expect(notes).toMatchObject({ total: 12, indexed: 10, skipped: 1, failed: 1 });
  });

  it('shows what it held, and brings back what was deleted in it', async () => {
    const { client } = app;
    const search = await client.retrieval.search({ text: 'tomates', kinds: ['note'] });
    expect(search.results[0]).toMatchObject({ path: 'Jardin.md' });
    const { facts } = await client.facts.list({ all: true });
    const byContent = new Map(facts.map((fact) => [fact.content, fact]));
    expect(byContent.get('David habite à Toulouse')?.revisions.map(({ content }) => content)).toEqual([
      'David habite à Ordizan',
      'David habite à Tarbes',
    ]);
    expect(byContent.get('Le parking est fermé cette semaine')?.status).toBe('expired');
    const forgotten = byContent.get('Le vieux code du portail était 1234');
    expect(forgotten?.status).toBe('forgotten');
    const restored = await client.facts.restore({ ids: [forgotten?.id as string] });
    expect(restored.facts[0]?.status).toBe('current');
    const conversations = await client.chat.list({});
    expect(conversations.map(({ title, pinned }) => [title, pinned])).toContainEqual([
      'Potager et chaudière',
      true,
    ]);
    const regenerated = conversations.find(({ channel, pinned }) => channel === 'Maison' && !pinned);
    const { turns } = await client.chat.get({ id: regenerated?.id as string });
    expect(turns[1]?.replies.map(({ content }) => content)).toEqual([
      'Par Martin, de Thermo-Sud [1], chaque septembre.',
      'C’est Martin qui s’en charge, en septembre [1].',
      'Martin, once a year [1].',
    ]);
    expect(turns[1]).toMatchObject({ activeVersion: 2 });
  });

  it('states its reasons as data: every sentence is read', async () => {
    const sentences = before.get('memory_retrieval_items')?.rows.map(({ because }) => String(because)) ?? [];
    const { traces } = await app.client.traces.list({});
    const items = (await Promise.all(traces.map(({ id }) => app.client.traces.get({ id })))).flatMap(
      (trace) => trace.items,
    );
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThanOrEqual(sentences.length);
    expect(items.filter(({ reason }) => reason.code === 'unknown')).toEqual([]);
  });
});

describe('a database of schema 21', () => {
  beforeEach(open(writeSchema21, SCHEMA_21_NOW));

  it('keeps every fact, revision and subject, and is sound', async () => {
    expect(before.get('facts')?.rows).toHaveLength(11);
    expect(before.get('fact_revisions')?.rows).toHaveLength(2);
    expect(before.get('fact_subjects')?.rows).toHaveLength(18);
    expectEveryRow();
    expect((await app.client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('has keys that name people whatever the language, with one current fact each', async () => {
    const { facts } = await app.client.facts.list({ all: true });
    const keyed = facts
      .filter(({ key }) => key !== null)
      .map(({ content, key, status }) => [content, key, status])
      .sort(([one], [other]) => ((one ?? '') < (other ?? '') ? -1 : 1));
    expect(keyed).toEqual([
      ['Je m’appelle Mickael Duval', 'user.name', 'current'],
      ['J’habite à Toulouse', 'user.home', 'current'],
      ['Ma sœur habite à Brest', 'person:anne.home', 'superseded'],
      ['Ma sœur s’appelle Anne', 'person:anne.name', 'current'],
      ['Mon chat s’appelle Moustache', 'person:moustache.name', 'current'],
      ['Mon frère habite à Tarbes', 'person:brother.home', 'superseded'],
      ['My brother lives in Lyon', 'person:brother.home', 'current'],
      ['My sister lives in Nantes', 'person:anne.home', 'current'],
    ]);
    const byContent = new Map(facts.map((fact) => [fact.content, fact]));
    expect(byContent.get('Mon frère habite à Tarbes')?.supersededBy).toBe(
      byContent.get('My brother lives in Lyon')?.id,
    );
    const { results } = await app.client.retrieval.search({ text: 'Tarbes', kinds: ['fact'], mode: 'text' });
    expect(results).toEqual([]);
  });
});
