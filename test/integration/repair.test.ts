import { rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

let test: TestApp;

beforeEach(async () => {
  test = createTestApp({ 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' });
  await indexVault(test.app, test.vault);
});
afterEach(() => test.dispose());

/** Closes the app, changes its database past every check, and opens it again. */
const tamper = (work: (db: BetterSqlite3.Database) => void) =>
  test.reopen(() => {
    const db = new BetterSqlite3(join(test.dataDir, 'souvenir.sqlite'));
    db.unsafeMode();
    db.pragma('foreign_keys = OFF');
    for (const name of ['sha256', 'folded_words', 'tag_key']) db.function(name, (text) => String(text));
    work(db);
    db.close();
  });

const doctor = async (repair: boolean) => {
  const { ok, findings } = await test.app.client.app.doctor({ repair });
  return {
    ok,
    codes: [...new Set(findings.map(({ code }) => code))],
    repaired: findings.every((one) => one.repaired),
  };
};

describe('doctor --repair', () => {
  it('writes an index again that lacks rows of its table', async () => {
    const fact = await test.app.client.facts.add({ content: 'Léa est allergique aux arachides' });
    await tamper((db) => {
      // The rows are written while the schema does not mention the index.
      const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'facts_by_creation'").get() as {
        sql: string;
      };
      db.pragma('writable_schema = ON');
      const { rootpage } = db
        .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'facts_by_creation'")
        .get() as {
        rootpage: number;
      };
      db.prepare("DELETE FROM sqlite_schema WHERE name = 'facts_by_creation'").run();
      db.pragma('writable_schema = RESET');
      db.prepare('UPDATE facts SET created_at = created_at + 5').run();
      db.pragma('writable_schema = ON');
      db.prepare("INSERT INTO sqlite_schema VALUES ('index', 'facts_by_creation', 'facts', ?, ?)").run(
        rootpage,
        sql,
      );
      db.pragma('writable_schema = RESET');
    });
    expect(await doctor(false)).toMatchObject({ ok: false, codes: ['database-damaged'] });
    expect(await doctor(true)).toEqual({ ok: true, codes: ['database-damaged'], repaired: true });
    expect((await test.app.client.facts.list({})).facts[0]?.id).toBe(fact.id);
  });

  it('gives turns and messages without a conversation a new one, and erases what is only derived', async () => {
    const { turn: first } = await ask(test.app, 'Quand planter les tomates ?');
    const { turn: second } = await ask(test.app, 'Où est la clé du grenier ?');
    await tamper((db) => {
      db.prepare('DELETE FROM conversations WHERE id = ?').run(first.conversationId);
      db.prepare('DELETE FROM turns WHERE id = ?').run(second.id);
      db.prepare('DELETE FROM notes').run();
    });
    expect((await doctor(false)).codes).toContain('foreign-key');
    expect(await doctor(true)).toMatchObject({ ok: true, repaired: true });
    const { client } = test.app;
    const adopted = await client.chat.get({ id: first.conversationId });
    expect(adopted.turns.map(({ id }) => id)).toEqual([first.id]);
    const rescued = (await client.chat.list({})).find(
      ({ title, id }) => /^(Recovered|Conversation ret)/.test(title) && id !== first.conversationId,
    );
    const { turns } = await client.chat.get({ id: rescued?.id as typeof first.conversationId });
    expect(turns.map(({ id }) => id)).toEqual([second.id]);
    expect(turns[0]?.messages[0]?.content).toBe('Où est la clé du grenier ?');
    const { results } = await client.retrieval.search({
      text: 'clé du grenier',
      mode: 'text',
      kinds: ['turn'],
    });
    expect(results.map(({ id }) => id)).toEqual([second.id]);
    expect((await client.app.stats()).notes.indexed).toBe(1);
  });

  it('keeps the earlier wordings of a fact that is gone', async () => {
    const { client } = test.app;
    const fact = await client.facts.add({ content: 'Léa habite à Lyon' });
    await client.facts.edit({ id: fact.id, content: 'Léa habite à Nantes' });
    await tamper((db) => db.prepare('DELETE FROM facts').run());
    expect(await doctor(true)).toMatchObject({ ok: true, repaired: true });
    expect((await test.app.client.facts.list({})).facts.map(({ content }) => content)).toEqual([
      'Léa habite à Lyon',
    ]);
  });

  it('makes a full text again whose own tables are damaged', async () => {
    await ask(test.app, 'Quand planter les tomates ?');
    await tamper((db) => {
      db.prepare('DELETE FROM turn_fts_data WHERE id > 10').run();
    });
    expect((await doctor(false)).ok).toBe(false);
    expect(await doctor(true)).toMatchObject({ ok: true, repaired: true });
    const { results } = await test.app.client.retrieval.search({
      text: 'planter',
      mode: 'text',
      kinds: ['turn'],
    });
    expect(results).toHaveLength(1);
  });

  it('builds the vectors again whose folder is gone while Souvenir runs', async () => {
    await test.app.services.vectors.settled();
    rmSync(join(test.dataDir, 'vectors'), { recursive: true });
    expect(await doctor(false)).toEqual({ ok: false, codes: ['vector-missing'], repaired: false });
    expect(await doctor(true)).toEqual({ ok: true, codes: ['vector-missing'], repaired: true });
  });
});
