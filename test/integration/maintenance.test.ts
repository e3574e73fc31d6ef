import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppEvent } from '../../src/shared/contract/app.ts';
import type { DeletedItem } from '../../src/shared/contract/data.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const DAY = 86_400_000;

let test: TestApp;
let now: number;
let told: AppEvent['type'][];

beforeEach(async () => {
  now = 1_700_000_000_000;
  told = [];
  test = createTestApp(
    { 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' },
    { now: () => now },
  );
  test.app.services.events.listen(({ type }) => told.push(type));
  await indexVault(test.app, test.vault);
});
afterEach(() => test.dispose());

const rows = (table: string) =>
  test.app.services.db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n;

/** Moves the clock on, and waits for what is due then. */
const pass = async (ms: number) => {
  now += ms;
  await test.app.services.jobs.settled();
};

describe('what was deleted', () => {
  it('can be brought back for thirty days, and is erased then, each in its time', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const fact = await client.facts.add({ content: 'Léa est allergique aux arachides' });
    const [vault] = await client.vaults.list();
    await client.chat.remove({ id: turn.conversationId });
    await pass(DAY);
    await client.facts.remove({ ids: [fact.id] });
    await pass(DAY);
    await client.vaults.remove({ id: vault?.id as string });
    await pass(0);
    expect(await client.app.jobs()).toEqual([
      {
        kind: 'purge-conversations',
        state: 'waiting',
        count: 1,
        problem: null,
        nextAt: now + 28 * DAY + 1,
      },
      { kind: 'purge-facts', state: 'waiting', count: 1, problem: null, nextAt: now + 29 * DAY + 1 },
      { kind: 'purge-vaults', state: 'waiting', count: 1, problem: null, nextAt: now + 30 * DAY + 1 },
    ]);
    await pass(28 * DAY);
    expect([rows('conversations'), rows('facts'), rows('vaults')]).toEqual([1, 1, 1]);
    await pass(1);
    expect([rows('conversations'), rows('facts'), rows('vaults')]).toEqual([0, 1, 1]);
    await pass(DAY);
    expect([rows('facts'), rows('fact_fts'), rows('vaults')]).toEqual([0, 0, 1]);
    await pass(DAY);
    expect([rows('vaults'), rows('notes'), rows('chunks'), rows('chunk_fts')]).toEqual([0, 0, 0, 0]);
    expect(await client.app.jobs()).toEqual([]);
    expect((await client.app.stats()).jobs).toEqual([]);
  });

  it('and was brought back is not erased, and nothing is due any more', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    await client.chat.remove({ id: turn.conversationId });
    await pass(20 * DAY);
    await client.chat.restore({ id: turn.conversationId });
    await pass(0);
    expect(await client.app.jobs()).toEqual([]);
    await pass(31 * DAY);
    expect((await client.chat.get({ id: turn.conversationId })).turns).toHaveLength(1);
  });

  it('is erased after a restart too', async () => {
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    await test.app.client.chat.remove({ id: turn.conversationId });
    await pass(0);
    now += 31 * DAY;
    await test.reopen();
    await pass(0);
    expect([rows('conversations'), rows('turns'), rows('turn_fts')]).toEqual([0, 0, 0]);
  });

  it('leaves no vector, and facts that were erased are told to the windows', async () => {
    const { client, services } = test.app;
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const fact = await client.facts.add({ content: 'Léa est allergique aux arachides' });
    await services.vectors.settled();
    await client.chat.remove({ id: turn.conversationId });
    await client.facts.remove({ ids: [fact.id] });
    told.length = 0;
    await pass(31 * DAY);
    expect(told).toContain('facts');
    await services.vectors.settled();
    expect(await services.vectors.compare()).toEqual([]);
    expect(services.vectors.progress().vectors).toBe(1);
  });

  it('and cannot be erased yet does not keep the rest from it', async () => {
    const { client, services } = test.app;
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const fact = await client.facts.add({ content: 'Léa est allergique aux arachides' });
    await client.chat.remove({ id: turn.conversationId });
    await client.facts.remove({ ids: [fact.id] });
    services.db.run(
      "CREATE TEMP TRIGGER ill BEFORE DELETE ON conversations BEGIN SELECT raise(ABORT, 'ill'); END",
    );
    await pass(31 * DAY);
    expect([rows('conversations'), rows('facts')]).toEqual([1, 0]);
    expect(await client.app.jobs()).toMatchObject([
      { kind: 'purge-conversations', state: 'waiting', problem: 'INTERNAL', nextAt: now + 15_000 },
    ]);
    services.db.run('DROP TRIGGER ill');
    await pass(15_000);
    expect(rows('conversations')).toBe(0);
  });
});

describe('recently deleted', () => {
  const deleted = async () => (await test.app.client.data.deleted()).deleted;
  const exported = async () => {
    const portions = [];
    for await (const portion of await test.app.client.data.export()) portions.push(portion);
    return portions;
  };
  const items = (some: readonly DeletedItem[]) => some.map(({ what, id }) => ({ what, id }));

  it('lists what was deleted until it is erased, and brings it back as it was', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Je m’appelle Mickael, quand planter les tomates ?');
    const fact = await client.facts.add({ content: 'Léa est allergique aux arachides' });
    const [vault] = await client.vaults.list();
    const before = await exported();
    await client.chat.remove({ id: turn.conversationId });
    now += 1_000;
    await client.facts.remove({ ids: [fact.id] });
    now += 1_000;
    await client.vaults.remove({ id: vault?.id as string });
    const found = await deleted();
    expect(found).toMatchObject([
      { what: 'vaults', id: vault?.id, name: vault?.name, deletedAt: now, eraseAt: now + 30 * DAY },
      { what: 'facts', id: fact.id, name: fact.content },
      { what: 'conversations', id: turn.conversationId },
    ]);
    await client.data.restoreDeleted({ items: items(found) });
    expect(await deleted()).toEqual([]);
    expect(await exported()).toEqual(before);
  });

  it('can be erased now, and says when the last of it is gone', async () => {
    const { client, services } = test.app;
    const fact = await client.facts.add({ content: 'Léa est allergique aux arachides' });
    const kept = await client.facts.add({ content: 'Paul aime la randonnée' });
    await client.facts.remove({ ids: [fact.id] });
    await client.data.eraseDeleted({ items: [...items(await deleted()), { what: 'facts', id: kept.id }] });
    expect((await client.facts.list({ all: true })).facts.map(({ id }) => id)).toEqual([kept.id]);
    expect(await client.data.deleted()).toEqual({ deleted: [], erasing: true });
    await services.jobs.settled();
    expect(await client.data.deleted()).toEqual({ deleted: [], erasing: false });
    const [vault] = await client.vaults.list();
    await client.vaults.remove({ id: vault?.id as string });
    await client.data.eraseDeleted({ items: items(await deleted()) });
    await pass(60_000);
    expect([rows('vaults'), rows('notes'), rows('chunk_fts')]).toEqual([0, 0, 0]);
  });

  it('is kept for as long as the setting says', async () => {
    const { client } = test.app;
    const fact = await client.facts.add({ content: 'Léa est allergique aux arachides' });
    await client.facts.remove({ ids: [fact.id] });
    await client.app.changeSettings({ keepDeletedDays: 1 });
    expect(await deleted()).toMatchObject([{ eraseAt: now + DAY }]);
    await pass(DAY);
    expect(await deleted()).toHaveLength(1);
    await pass(60_001);
    expect(rows('facts')).toBe(0);
  });
});

describe('the doctor', () => {
  it('finds jobs that nothing can run, and removes them', async () => {
    const { client, services } = test.app;
    services.db.run("INSERT INTO jobs (kind, subject) VALUES ('unheard-of', 'turn_1')");
    const found = { code: 'job-unknown', what: 'unheard-of' };
    expect(await client.app.doctor({ repair: false })).toMatchObject({ ok: false, findings: [found] });
    expect(await client.app.doctor({ repair: true })).toMatchObject({
      ok: true,
      findings: [{ ...found, repaired: true }],
    });
    expect(await client.app.jobs()).toEqual([]);
  });
});

describe('the daily backup', () => {
  const backups = async () => (await test.app.client.data.backups()).backups.length;

  it('is made by a program that stays open, once a day', async () => {
    await pass(DAY);
    expect(await backups()).toBe(0);
    test.app.watch();
    await pass(0);
    expect(await backups()).toBe(1);
    await pass(DAY - 1_000);
    expect(await backups()).toBe(1);
    await pass(1_000);
    expect(await backups()).toBe(2);
    await test.reopen();
    test.app.watch();
    await pass(0);
    expect(await backups()).toBe(2);
    expect(await test.app.client.app.jobs()).toEqual([
      { kind: 'daily-backup', state: 'waiting', count: 1, problem: null, nextAt: now + DAY },
    ]);
  });

  it('that fails is tried again, and says why', async () => {
    writeFileSync(join(test.dataDir, 'backups'), 'in the way');
    test.app.watch();
    await pass(0);
    expect((await test.app.client.data.backups()).problem?.code).toBe('BACKUP_UNUSABLE');
    expect(await test.app.client.app.jobs()).toMatchObject([
      { kind: 'daily-backup', state: 'waiting', problem: 'BACKUP_UNUSABLE', nextAt: now + 15_000 },
    ]);
  });

  it('that the close cuts short leaves nothing half made', async () => {
    test.app.watch();
    const made = test.app.client.data.backUp({});
    const closed = test.app.close();
    await expect(made).rejects.toMatchObject({ code: 'OWNER_UNREACHABLE' });
    await closed;
    expect(readdirSync(join(test.dataDir, 'backups'))).toEqual([]);
    await test.reopen();
  });
});
