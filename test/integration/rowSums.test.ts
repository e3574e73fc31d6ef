import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { columnsOf, TABLES, type Table } from '../../src/core/lifecycle/portable/tables.ts';
import { SUM_KINDS, tablesOf } from '../../src/core/storage/rowSums.ts';
import { writeSchema8 } from '../fixtures/databaseSchema8.ts';
import { flipWithin } from '../support/flipBits.ts';
import { ask, createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

/** Neither the title of its conversation nor the preview of its retrieval goes as far as these words. */
const TAIL = 'où se trouve la clé rouillée du grenier ?';
const QUESTION = `${'Je range la maison depuis ce matin, pièce après pièce, et cherche encore. '.repeat(8)}Dis-moi, ${TAIL}`;
const FACT = 'Léa est allergique aux arachides';

let test: TestApp;

beforeEach(() => {
  test = createTestApp();
});
afterEach(() => test.dispose());

const database = () => join(test.dataDir, 'souvenir.sqlite');

/** Closes the app, flips a bit within a text of its database, and opens it again. */
const flip = (text: string) => test.reopen(() => flipWithin(database(), text));

const doctor = async (repair: boolean) => {
  const { ok, findings } = await test.app.client.app.doctor({ repair });
  return { ok, findings: findings.filter(({ code }) => !code.startsWith('vector-')) };
};

const said = async (id: Awaited<ReturnType<typeof ask>>['turn']) =>
  (await test.app.client.chat.get({ id: id.conversationId })).turns.flatMap(({ messages }) =>
    messages.map(({ content }) => content),
  );

const facts = async () => (await test.app.client.facts.list({})).facts.map(({ content }) => content);

/** How many rows lack a sum. */
const unsummed = () =>
  SUM_KINDS.flatMap((kind) =>
    tablesOf(kind).map(({ table, key }) => {
      const name = key.map((column) => `t.${column}`).join(" || ' ' || ");
      const found = test.app.services.db.get<{ n: number }>(
        `SELECT count(*) AS n FROM ${table} t WHERE NOT EXISTS (SELECT 1 FROM row_sums s WHERE s.kind = ? AND s.key = ${name})`,
        kind,
      );
      return found?.n ?? 0;
    }),
  ).reduce((sum, n) => sum + n, 0);

describe('a bit that flips within the text of a row', () => {
  it('is told with the copy that holds the row whole, from which --repair brings it back', async () => {
    const { turn } = await ask(test.app, QUESTION);
    const { path } = await test.app.client.data.backUp({});
    await flip(TAIL);
    expect(await said(turn)).not.toEqual([QUESTION]);
    const copy = path.split('/').at(-1);
    const finding = { code: 'row-damaged', what: `message ${turn.id} 1 (${copy})` };
    expect(await doctor(false)).toEqual({ ok: false, findings: [{ ...finding, repaired: false }] });
    expect(await doctor(true)).toEqual({ ok: true, findings: [{ ...finding, repaired: true }] });
    expect(await said(turn)).toEqual([QUESTION]);
    const { results } = await test.app.client.retrieval.search({
      text: 'clé rouillée',
      mode: 'text',
      kinds: ['turn'],
    });
    expect(results.map(({ id }) => id)).toEqual([turn.id]);
  });

  it('is told where no copy holds the row, and what is left is what there is', async () => {
    const { turn } = await ask(test.app, QUESTION);
    await flip(TAIL);
    const finding = { code: 'row-damaged', what: `message ${turn.id} 1`, repaired: false };
    expect(await doctor(true)).toEqual({ ok: false, findings: [finding] });
    expect(await doctor(true)).toEqual({ ok: true, findings: [] });
    await test.app.client.data.backUp({});
  });

  it('names the copy that holds an earlier wording', async () => {
    const fact = await test.app.client.facts.add({ content: 'Léa habite à Lyon' });
    const { path } = await test.app.client.data.backUp({});
    await test.app.client.facts.edit({ id: fact.id, content: FACT });
    await flip(FACT);
    expect((await doctor(true)).findings).toEqual([
      { code: 'row-damaged', what: `fact ${fact.id} (${path.split('/').at(-1)})`, repaired: false },
    ]);
  });

  it('lets no copy push out a good one', async () => {
    await test.app.client.facts.add({ content: FACT });
    await test.app.client.data.backUp({});
    const before = readdirSync(join(test.dataDir, 'backups'));
    await flip(FACT);
    await expect(test.app.client.data.backUp({})).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    expect(readdirSync(join(test.dataDir, 'backups'))).toEqual(before);
    expect((await doctor(true)).ok).toBe(true);
    await test.app.client.data.backUp({});
    expect(await facts()).toEqual([FACT]);
  });

  it('is told in the window after the next start, and no longer once it is repaired', async () => {
    const fact = await test.app.client.facts.add({ content: FACT });
    await test.app.client.data.backUp({});
    await flip(FACT);
    test.app.watch();
    const notice = await until(async () => (await test.app.client.app.notices())[0]);
    expect(notice).toMatchObject({ code: 'database-damaged', params: { reason: `fact ${fact.id}` } });
    expect((await doctor(true)).ok).toBe(true);
    expect(await test.app.client.app.notices()).toEqual([]);
  });

  it('is mended in titles, earlier wordings and settings too', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, QUESTION);
    await client.chat.change({ id: turn.conversationId, title: 'Le trousseau perdu' });
    const fact = await client.facts.add({ content: 'Hugo travaille à la scierie' });
    await client.facts.edit({ id: fact.id, content: 'Hugo travaille au moulin' });
    await client.app.changeSettings({ contextTag: 'maison/registre' });
    await client.data.backUp({});
    await test.app.close();
    for (const text of ['Le trousseau perdu', 'Hugo travaille à la scierie', 'maison/registre'])
      flipWithin(database(), text);
    await test.reopen();
    const { ok, findings } = await doctor(true);
    expect({ ok, codes: findings.map(({ code }) => code) }).toMatchObject({ ok: true });
    expect(findings).toHaveLength(3);
    expect((await test.app.client.chat.get({ id: turn.conversationId })).conversation.title).toBe(
      'Le trousseau perdu',
    );
    const [read] = (await test.app.client.facts.list({})).facts;
    expect(read?.revisions.map(({ content }) => content)).toEqual(['Hugo travaille à la scierie']);
    expect((await test.app.client.app.settings()).contextTag).toBe('maison/registre');
  });

  it('is mended in the passages of a note by reading the note again', async () => {
    await test.dispose();
    test = createTestApp({ 'Jardin.md': '# Jardin\n\nLes tomates cornues se plantent à la mi-mai.' });
    await indexVault(test.app, test.vault);
    await flip('Les tomates cornues se plantent');
    expect((await doctor(false)).findings.map(({ code }) => code)).toEqual(['derived-damaged']);
    expect((await doctor(true)).ok).toBe(true);
    const { results } = await test.app.client.retrieval.search({ text: 'tomates cornues', mode: 'text' });
    expect(results[0]?.excerpt).toContain('Les tomates cornues se plantent');
  });
});

/** Columns of an export that no sum covers: how often and when something was used changes too often. */
const OF_USE = ['last_used_at', 'use_count', 'updated_at'];

/** Every exported column of a table and those under it, as `table.column`. */
function exported(table: Table): string[] {
  const own = columnsOf(test.app.services.db, table.table).filter(
    (column) => !table.derived?.includes(column) && (!OF_USE.includes(column) || table.table === 'facts'),
  );
  return [
    ...own.map((column) => `${table.table}.${column}`),
    ...(table.under?.tables ?? []).flatMap(exported),
  ];
}

describe('the sums of rows', () => {
  it('cover every column that is exported, but for those of use and of work', () => {
    const summed = new Set(
      SUM_KINDS.flatMap(tablesOf).flatMap(({ table, key, columns }) =>
        [...key, ...columns].map((column) => `${table}.${column}`),
      ),
    );
    const { jobs: _work, ...tables } = TABLES;
    const left = Object.values(tables)
      .flatMap(exported)
      .filter((column) => !summed.has(column));
    expect(left).toEqual(['facts.last_used_at', 'facts.use_count']);
  });

  it('take an edit with another tool as what was meant', async () => {
    await test.app.client.facts.add({ content: FACT });
    await ask(test.app, QUESTION);
    await test.reopen(() => {
      const db = new BetterSqlite3(database());
      db.prepare('UPDATE facts SET importance = 0.75').run();
      db.prepare('UPDATE messages SET content = upper(content)').run();
      db.prepare('DELETE FROM fact_revisions').run();
      db.prepare("INSERT INTO settings VALUES ('maxResults', '7')").run();
      db.close();
    });
    expect((await doctor(false)).findings.filter(({ code }) => code === 'row-damaged')).toEqual([]);
  });

  it('cover every row, and go with their rows', async () => {
    await ask(test.app, QUESTION);
    await test.app.client.facts.add({ content: FACT });
    const { db, rowChecks } = test.app.services;
    expect(unsummed()).toBe(0);
    expect(db.all('SELECT * FROM sums_due')).toEqual([]);

    for (const table of ['conversations', 'facts', 'settings']) db.run(`DELETE FROM ${table}`);
    expect(db.all("SELECT * FROM row_sums WHERE kind NOT IN ('schema', 'version')")).toEqual([]);
    expect(await rowChecks.find()).toEqual({ rows: [], derived: [], schema: [] });
  });

  it('come to a database that has none in slices, while it is used', async () => {
    await test.app.client.facts.add({ content: FACT });
    await test.reopen(() => cpSync(join(writeSchema8(test.vault), 'souvenir.sqlite'), database()));
    const { db } = test.app.services;
    const left = () => db.get<{ n: number }>('SELECT count(*) AS n FROM sums_backlog')?.n ?? 0;
    expect(left()).toBeGreaterThan(0);
    await test.app.client.facts.add({ content: 'Hugo travaille au moulin' });
    expect(unsummed()).toBeGreaterThan(0);
    expect((await doctor(false)).findings.filter(({ code }) => code === 'row-damaged')).toEqual([]);
    expect(left()).toBe(0);
    expect(unsummed()).toBe(0);
  });

  it('sum a part of an open reply once', async () => {
    const { turn } = await ask(test.app, QUESTION);
    const { db, conversations } = test.app.services;
    db.run("UPDATE messages SET state = 'pending' WHERE version = 1");
    const sums = () =>
      db.all<{ key: string }>("SELECT kind, key, sum FROM row_sums WHERE kind IN ('message', 'part')");
    const part = { content: 'Dans la remise', reasoning: '', isWhole: false };
    conversations.keepPart(turn.id, 1, part);
    const before = sums();
    conversations.keepPart(turn.id, 1, part);
    const after = sums();
    expect(after).toHaveLength(before.length + 1);
    expect(after).toEqual(expect.arrayContaining(before));
  });
});
