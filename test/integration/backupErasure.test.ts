import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { termStream } from '../../src/core/support/text/tokenise.ts';
import type { ForgetSubject, Ticked } from '../../src/shared/contract/forget.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { writeSchema8 } from '../fixtures/databaseSchema8.ts';
import { bytesLeft } from '../support/bytesLeft.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ask, createTestApp, type TestApp, until } from '../support/testApp.ts';
import { tickedOf } from '../support/ticked.ts';

const SECRET = 'Le parachutiste Quenouillard apprivoise des ornithorynques à Wattwiller';
const INFLECTED = 'Les parachutistes apprivoisaient un ornithorynque près de Wattwiller';
const OTHER = 'Léa est allergique aux arachides';

let test: TestApp;
let now: number;

beforeEach(() => {
  now = 1_700_000_000_000;
  test = createTestApp({}, { now: () => now });
});
afterEach(() => test.dispose());

const left = () => bytesLeft(test.dataDir, `${SECRET}. ${INFLECTED}`, { others: [OTHER] });
const settle = async () => {
  await test.app.services.jobs.settled();
  await test.app.services.vectors.settled();
};
const backUp = async () => {
  now += 1_000;
  return (await test.app.client.data.backUp({})).path;
};
const forgetNow = async (subject: ForgetSubject) => {
  const ticked = tickedOf(await test.app.client.forget.plan(subject));
  return test.app.client.forget.apply({ ticked, now: true });
};
const eraseFromBackups = async () => {
  await test.app.client.forget.eraseFromBackups();
  await until(async () => !(await test.app.client.forget.backupErasure()).running);
  return (await test.app.client.forget.backupErasure()).copies;
};

/** A conversation of which one turn tells the secret, and a fact that said it once. */
async function tellSecret(): Promise<{ conversationId: ConversationId }> {
  const { client } = test.app;
  const { turn } = await ask(test.app, SECRET);
  await ask(test.app, OTHER, turn.conversationId);
  const fact = await client.facts.add({ content: 'À préciser', subjects: ['Quenouillard'] });
  await client.facts.edit({ id: fact.id, content: INFLECTED });
  await client.facts.add({ content: OTHER });
  await ask(test.app, 'Que fait le parachutiste ?');
  await settle();
  return { conversationId: turn.conversationId };
}

describe('erasing from backups', () => {
  it('leaves no byte of it in any file, stems included, and all the rest in every copy', async () => {
    const { client } = test.app;
    await tellSecret();
    const path = await backUp();
    const before = new BetterSqlite3(path, { readonly: true });
    const rows = before.prepare('SELECT count(*) FROM messages').pluck().get() as number;
    before.close();
    await client.data.restore({ path });
    await backUp();
    const madeAt = (await client.data.copies()).map((copy) => [copy.path, copy.madeAt]);
    await forgetNow({ topic: 'Quenouillard' });
    await forgetNow({ topic: 'parachutiste ; ornithorynque' });
    await settle();
    const files = new Set(left().map((line) => line.split(':')[0]));
    expect([...files].every((name) => name?.startsWith('backups'))).toBe(true);
    expect(files.size).toBe(3);
    expect((await client.forget.check({ topic: 'Wattwiller' })).untouched.backups).toHaveLength(3);
    const copies = await eraseFromBackups();
    expect(copies.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    expect(left()).toEqual([]);
    expect((await client.forget.check({ topic: 'Wattwiller' })).untouched.backups).toEqual([]);
    expect((await client.data.copies()).map((copy) => [copy.path, copy.madeAt])).toEqual(madeAt);
    // What was not forgotten is in the copy, which can be restored.
    const after = new BetterSqlite3(path, { readonly: true });
    expect(after.prepare('SELECT count(*) FROM messages').pluck().get()).toBeLessThan(rows);
    after.close();
    await client.data.restore({ path });
    expect((await client.facts.list({})).facts.map(({ content }) => content)).toContain(OTHER);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    await settle();
    expect(left()).toEqual([]);
  });

  it('leaves no title that a copy could put back once it is erased', async () => {
    const { client } = test.app;
    const { turn } = await ask(test.app, OTHER);
    await client.chat.change({ id: turn.conversationId, title: SECRET });
    await client.forget.apply({ ticked: { titles: [turn.conversationId] } });
    await backUp();
    now += 31 * 86_400_000;
    await settle();
    expect((await client.forget.check({ topic: 'Quenouillard' })).untouched.backups).not.toEqual([]);
    await eraseFromBackups();
    await settle();
    expect(left()).toEqual([]);
    expect((await client.chat.list({})).map(({ id }) => id)).toEqual([turn.conversationId]);
  });

  it('brings a copy of an old schema to the present one, and rewrites it too', async () => {
    const { client } = test.app;
    const id = 'old-talk' as ConversationId;
    const message = (one: string, content: string) => ({
      id: one as MessageId,
      role: 'user' as const,
      content,
      createdAt: now,
    });
    const talk = { id, channel: 'import', title: '', messages: [message('1', SECRET), message('2', OTHER)] };
    await client.chat.import({ conversations: [talk] });
    const { turns } = await client.chat.get({ id });
    const old = join(test.dataDir, 'backups', 'before-migration-v8-0001.sqlite');
    await backUp();
    writeOldCopy(old, { conversationId: id, turnId: turns[0]?.id ?? '', content: SECRET });
    await forgetNow({ topic: 'Quenouillard' });
    await settle();
    expect(left().some((line) => line.startsWith('backups/before-migration'))).toBe(true);
    const copies = await eraseFromBackups();
    expect(copies.map(({ state }) => state)).toEqual(['done', 'done']);
    expect(left()).toEqual([]);
    await client.data.restore({ path: old });
    expect((await client.chat.list({ archived: true })).length).toBeGreaterThan(0);
    expect((await client.app.doctor({ repair: false })).findings.map(({ code }) => code)).not.toContain(
      'database-damaged',
    );
  });

  it('keeps in the copies what can still be restored, and what was not forgotten', async () => {
    const { client } = test.app;
    await tellSecret();
    const path = await backUp();
    const { groups } = await client.forget.plan({ topic: 'Quenouillard' });
    const facts = groups.find(({ group }) => group === 'facts')?.items.map(({ id }) => id) ?? [];
    const { at } = await client.forget.apply({ ticked: { facts } });
    const all = (await client.facts.list({ all: true })).facts.map(({ id }) => id).sort();
    await eraseFromBackups();
    await client.forget.undo({ at });
    await client.data.restore({ path });
    expect((await client.facts.list({ all: true })).facts.map(({ id }) => id).sort()).toEqual(all);
  });

  describe('where an older copy was restored meanwhile', () => {
    /** What tells the secret is deleted, and then only in copies. */
    async function restoreOlder() {
      const { client } = test.app;
      const empty = await backUp();
      await tellSecret();
      const { id } = await client.facts.add({ content: 'Il aime le café' });
      const path = await backUp();
      const { groups } = await client.forget.plan({ topic: 'Quenouillard' });
      const ids = (name: string) =>
        groups.flatMap(({ group, items }) => (group === name ? items.map((item) => item.id) : []));
      const ticked = { facts: ids('facts'), turns: ids('turns') } as Ticked;
      const { at } = await client.forget.apply({ ticked });
      await client.facts.remove({ ids: [id] });
      await client.data.restore({ path: empty });
      await settle();
      return { path, ids: [...ticked.facts, id], at };
    }

    it('keeps in the copies what can still be restored from there', async () => {
      const { client } = test.app;
      const { path, ids, at } = await restoreOlder();
      await eraseFromBackups();
      await client.data.restore({ path });
      await settle();
      await client.facts.restore({ ids });
      await client.forget.undo({ at });
      expect(await client.chat.list({ query: 'Quenouillard' })).toHaveLength(1);
    });

    it('leaves no byte of it there once its time is over', async () => {
      await restoreOlder();
      now += 31 * 86_400_000;
      await eraseFromBackups();
      expect(bytesLeft(test.dataDir, 'Quenouillard apprivoise', { others: [OTHER] })).toEqual([]);
    });
  });

  it('tells which copies are unreadable, and leaves these as they are', async () => {
    await tellSecret();
    const broken = await backUp();
    const whole = await backUp();
    writeFileSync(broken, readFileSync(broken).fill(7, 0, 8_192));
    const bytes = readFileSync(broken);
    await forgetNow({ topic: 'Quenouillard' });
    const copies = await eraseFromBackups();
    expect(Object.fromEntries(copies.map(({ path, ...copy }) => [path, copy]))).toMatchObject({
      [whole]: { state: 'done', problem: null },
      [broken]: { state: 'failed', problem: { code: 'BACKUP_UNUSABLE', params: { path: broken } } },
    });
    expect(readFileSync(broken).equals(bytes)).toBe(true);
    expect(readdirSync(join(test.dataDir, 'backups')).filter((name) => name.includes('partial'))).toEqual([]);
    expect((await test.app.client.forget.check({ topic: 'Wattwiller' })).untouched.backups).toMatchObject([
      { path: broken },
    ]);
  });

  it('goes on after a restart', async () => {
    await tellSecret();
    await backUp();
    await forgetNow({ topic: 'Quenouillard' });
    await forgetNow({ topic: 'parachutiste' });
    const resume = test.app.services.jobs.pause(['erase-from-backups']);
    await test.app.client.forget.eraseFromBackups();
    expect((await test.app.client.forget.backupErasure()).copies.map(({ state }) => state)).toEqual([
      'waiting',
    ]);
    await test.reopen();
    resume();
    await until(async () => !(await test.app.client.forget.backupErasure()).running);
    await settle();
    expect(left()).toEqual([]);
  });

  it('goes on where a backup is restored before it is done, in what is set aside too', async () => {
    const { client } = test.app;
    await tellSecret();
    const path = await backUp();
    await forgetNow({ topic: 'Quenouillard' });
    await forgetNow({ topic: 'parachutiste' });
    await settle();
    test.app.services.jobs.pause(['erase-from-backups']);
    await client.forget.eraseFromBackups();
    await client.data.restore({ path });
    await until(async () => !(await client.forget.backupErasure()).running);
    await settle();

    expect((await client.forget.backupErasure()).copies.map(({ state }) => state)).toEqual(['done', 'done']);
    expect(left()).toEqual([]);
  });
});

/** Writes a copy as schema 8 made it, one turn of which says something. */
function writeOldCopy(path: string, turn: { conversationId: string; turnId: string; content: string }): void {
  const root = temporaryFolder();
  try {
    const db = new BetterSqlite3(join(writeSchema8(root), 'souvenir.sqlite'));
    db.pragma('foreign_keys = OFF');
    const one = db
      .prepare<[], { id: string; conversation_id: string }>('SELECT id, conversation_id FROM turns')
      .get();
    if (!one) throw new Error('the fixture has turns');
    db.prepare('UPDATE turns SET id = ?, conversation_id = ?, body_terms = ? WHERE id = ?').run(
      turn.turnId,
      turn.conversationId,
      termStream(turn.content),
      one.id,
    );
    db.prepare('UPDATE turns SET conversation_id = ? WHERE conversation_id = ?').run(
      turn.conversationId,
      one.conversation_id,
    );
    db.prepare('UPDATE conversations SET id = ? WHERE id = ?').run(turn.conversationId, one.conversation_id);
    for (const { name } of db
      .prepare<[], { name: string }>(
        "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'turn_id' WHERE m.type = 'table'",
      )
      .all())
      db.prepare(`UPDATE ${name} SET turn_id = ? WHERE turn_id = ?`).run(turn.turnId, one.id);
    db.prepare('UPDATE messages SET content = ? WHERE turn_id = ? AND version IS NULL').run(
      turn.content,
      turn.turnId,
    );
    db.prepare('DELETE FROM turn_fts WHERE rowid IN (SELECT rowid FROM turns WHERE id = ?)').run(turn.turnId);
    db.prepare(
      "INSERT INTO turn_fts (rowid, title, body) SELECT rowid, '', body_terms FROM turns WHERE id = ?",
    ).run(turn.turnId);
    db.prepare('VACUUM INTO ?').run(path);
    db.close();
  } finally {
    removeFolder(root);
  }
}
