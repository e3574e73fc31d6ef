import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppEvent } from '../../src/shared/contract/app.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const MINUTE = 60_000;
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
  it('can be brought back for ten minutes, and is erased then, each in its time', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const fact = await client.facts.add({ content: 'Léa est allergique aux arachides' });
    const [vault] = await client.vaults.list();
    await client.chat.remove({ id: turn.conversationId });
    await pass(MINUTE);
    await client.facts.remove({ ids: [fact.id] });
    await pass(MINUTE);
    await client.vaults.remove({ id: vault?.id as string });
    await pass(0);
    expect(await client.app.jobs()).toEqual([
      {
        kind: 'purge-conversations',
        state: 'waiting',
        count: 1,
        problem: null,
        nextAt: now + 8 * MINUTE + 1,
      },
      { kind: 'purge-facts', state: 'waiting', count: 1, problem: null, nextAt: now + 9 * MINUTE + 1 },
      { kind: 'purge-vaults', state: 'waiting', count: 1, problem: null, nextAt: now + 10 * MINUTE + 1 },
    ]);
    await pass(8 * MINUTE);
    expect([rows('conversations'), rows('facts'), rows('vaults')]).toEqual([1, 1, 1]);
    await pass(1);
    expect([rows('conversations'), rows('facts'), rows('vaults')]).toEqual([0, 1, 1]);
    await pass(MINUTE);
    expect([rows('facts'), rows('fact_fts'), rows('vaults')]).toEqual([0, 0, 1]);
    await pass(MINUTE);
    expect([rows('vaults'), rows('notes'), rows('chunks'), rows('chunk_fts')]).toEqual([0, 0, 0, 0]);
    expect(await client.app.jobs()).toEqual([]);
    expect((await client.app.stats()).jobs).toEqual([]);
  });

  it('and was brought back is not erased, and nothing is due any more', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    await client.chat.remove({ id: turn.conversationId });
    await pass(5 * MINUTE);
    await client.chat.restore({ id: turn.conversationId });
    await pass(0);
    expect(await client.app.jobs()).toEqual([]);
    await pass(DAY);
    expect((await client.chat.get({ id: turn.conversationId })).turns).toHaveLength(1);
  });

  it('is erased after a restart too', async () => {
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    await test.app.client.chat.remove({ id: turn.conversationId });
    await pass(0);
    now += DAY;
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
    await pass(11 * MINUTE);
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
    await pass(11 * MINUTE);
    expect([rows('conversations'), rows('facts')]).toEqual([1, 0]);
    expect(await client.app.jobs()).toMatchObject([
      { kind: 'purge-conversations', state: 'waiting', problem: 'INTERNAL', nextAt: now + 15_000 },
    ]);
    services.db.run('DROP TRIGGER ill');
    await pass(15_000);
    expect(rows('conversations')).toBe(0);
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
