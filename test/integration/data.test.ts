import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, restoreBackup } from '../../src/core/app.ts';
import type { AppEvent } from '../../src/shared/contract/app.ts';
import type { Summary } from '../../src/shared/contract/summaries.ts';
import { importPortions, readExport, writeExport } from '../../src/shared/exportFile.ts';
import type { ConversationId, FactId, SummaryId } from '../../src/shared/ids.ts';
import { parseJson } from '../../src/shared/json.ts';
import { CLI } from '../support/command.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, openTestCore, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
let home: string;

beforeEach(async () => {
  home = temporaryFolder();
  test = createTestApp({ 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' });
  const { client } = test.app;
  await indexVault(test.app, test.vault);
  const { turn } = await ask(test.app, 'Souviens-toi que le code du portail est 4812. Et les tomates ?');
  await ask(test.app, 'Quand planter les tomates ?', turn.conversationId);
  const fact = await client.facts.add({
    content: 'Léa est allergique aux arachides',
    subjects: ['Léa', 'santé'],
  });
  await client.facts.edit({
    id: fact.id,
    content: 'Léa est allergique aux arachides et aux noix',
    pinned: true,
  });
  await client.chat.change({ id: turn.conversationId, title: 'Potager', pinned: true, channel: 'Maison' });
  await client.app.changeSettings({ maxResults: 6, language: 'fr' });
});

afterEach(async () => {
  await test.dispose();
  removeFolder(home);
});

async function exported({ client }: App): Promise<string> {
  let text = '';
  for await (const piece of writeExport(await client.data.export())) text += piece;
  return text;
}

const open = (name: string) => openTestCore(join(home, name));

const importInto = ({ client }: App, text: string) =>
  importPortions(client, readExport(parseJson(text)) ?? []);

describe('an export', () => {
  it('is one JSON document of everything that cannot be derived, without terms, notes or keys', async () => {
    const document = JSON.parse(await exported(test.app)) as Record<string, Record<string, unknown>[]>;
    expect(document).toMatchObject({ format: 'souvenir', version: 1 });
    expect(document.conversations?.[0]).toMatchObject({ title: 'Potager', channel: 'Maison' });
    const turns = document.conversations?.[0]?.turns as {
      messages: { content: string }[];
      citations: unknown[];
    }[];
    expect(turns).toHaveLength(2);
    expect(turns[0]?.messages[0]?.content).toMatch(/4812/);
    expect(turns[1]?.citations.length).toBeGreaterThan(0);
    expect(document.facts).toHaveLength(2);
    expect(JSON.stringify(document)).not.toMatch(/_terms|rowid|mi-mai/);
    expect(document.settings).toContainEqual({ key: 'maxResults', value: 6 });
  });

  it('read into an empty folder gives an equal export, found and whole; read in again it changes nothing', async () => {
    const text = await exported(test.app);
    const other = open('other');
    expect(await importInto(other, text)).toMatchObject({ unchanged: 0, leftOut: 0 });
    expect(await exported(other)).toBe(text);
    expect((await other.client.app.doctor({ repair: false })).findings.map(({ code }) => code)).toEqual(
      expect.not.arrayContaining(['full-text-missing', 'full-text-orphan', 'foreign-key']),
    );
    const found = await other.client.retrieval.search({
      text: 'code du portail',
      mode: 'text',
      kinds: ['fact', 'turn'],
    });
    expect(found.results.map(({ kind }) => kind).sort()).toEqual(['fact', 'turn']);
    expect(await importInto(other, text)).toMatchObject({ added: 0 });
    expect(await exported(other)).toBe(text);
    await other.close();
  });

  it('keeps summaries of every level, the user’s own wordings and what the user removed, and has none made again', async () => {
    const turns = 14;
    let conversationId: ConversationId | undefined;
    for (let n = 0; n < turns; n += 1) {
      const text = `On a décidé de livrer le lot ${n} du chantier à Tarbes avec Mickael.`;
      conversationId = (await ask(test.app, text, conversationId)).turn.conversationId;
    }
    const id = conversationId as ConversationId;
    const settled = async (app: App) => {
      app.watch();
      app.services.jobs.reschedule();
      await until(() => !app.services.summaries.isDue() && !app.services.jobs.has('summarise', ''));
    };
    await settled(test.app);
    const { client, services } = test.app;
    const [high, ...others] = await client.summaries.list({ conversationId: id });
    expect(high).toMatchObject({ level: 2 });
    const byModel = others.at(-2);
    services.summaries.write(
      byModel?.id as SummaryId,
      { ...(byModel as Summary), text: 'Du modèle.' },
      {
        madeBy: 'model',
        at: 7,
      },
    );
    await client.summaries.correct({ id: others[1]?.id as SummaryId, text: 'Mes propres mots.' });
    await client.summaries.remove({ id: others.at(-1)?.id as SummaryId });
    await settled(test.app);
    const before = await client.summaries.list({ conversationId: id });
    expect(before.map(({ madeBy }) => madeBy)).toEqual(expect.arrayContaining(['rules', 'model', 'user']));

    const text = await exported(test.app);
    const other = open('other');
    await importInto(other, text);
    expect(await exported(other)).toBe(text);
    await settled(other);
    expect(await exported(other)).toBe(text);
    expect(await other.client.summaries.list({ conversationId: id })).toEqual(before);
    const { results } = await other.client.retrieval.search({
      text: 'Mes propres mots.',
      levels: [1],
      mode: 'text',
    });
    expect(results[0]?.id).toBe(others[1]?.id);
    expect((await other.client.app.doctor({ repair: false })).findings).toEqual([]);
    await other.close();
  });

  it('keeps what a turn taught in the order in which it was taught', async () => {
    const { turn } = await ask(test.app, 'Bonjour.');
    const fact = { kind: 'fact', key: null, importance: 0.5, source: 'chat' } as const;
    const taught = { ...fact, subjects: [], channel: 'chat', turnId: turn.id, expiresAt: null };
    const learn = (name: string, createdAt: number) =>
      test.app.services.factStore.insert({
        ...taught,
        id: `fact_${name}` as FactId,
        content: name,
        createdAt,
      });
    for (const [place, name] of ['c', 'a', 'b'].entries()) learn(name, place);
    const other = open('other');
    await importInto(other, await exported(test.app));
    const { turns } = await other.client.chat.turns({ ids: [turn.id] });
    expect(turns[0]?.learnt.map(({ content }) => content)).toEqual(['c', 'a', 'b']);
    await other.close();
  });

  it('adds what is new to what is there, and leaves the rest', async () => {
    const text = await exported(test.app);
    const { client } = test.app;
    const { facts } = await client.facts.list({});
    await client.facts.edit({ id: facts[0]?.id as string, content: 'Changé depuis' });
    const [conversation] = await client.chat.list({});
    await ask(test.app, 'Et les haies ?', conversation?.id);
    expect(await importInto(test.app, text)).toMatchObject({ added: 0 });
    expect((await client.facts.list({})).facts[0]?.content).toBe('Changé depuis');
    const other = open('other');
    const id = conversation?.id as ConversationId;
    await importInto(other, text);
    await ask(other, 'Une question posée ailleurs', id);
    await importInto(other, await exported(test.app));
    const { turns } = await other.client.chat.get({ id });
    expect(turns.map((turn) => turn.messages[0]?.content.slice(0, 12))).toEqual([
      'Souviens-toi',
      'Quand plante',
      'Une question',
      'Et les haies',
    ]);
    await other.close();
  });

  it('of schema 8 is read: its sentences become reasons, its context items keep their places', async () => {
    const document = JSON.parse(await exported(test.app)) as {
      conversations: { turns: Record<string, unknown>[] }[];
      memory_retrievals: { memory_retrieval_items: Record<string, unknown>[]; [name: string]: unknown }[];
    };
    for (const retrieval of document.memory_retrievals) {
      delete retrieval.version;
      retrieval.skipped = [{ source: 'vectors', because: 'not ready' }];
      for (const item of retrieval.memory_retrieval_items) {
        delete item.reason;
        item.because = 'relevance 0.80';
      }
    }
    for (const turn of document.conversations.flatMap(({ turns }) => turns)) {
      delete turn.prompts;
      delete turn.context_blocks;
    }
    const other = open('old');
    await importInto(other, JSON.stringify(document));
    const { traces } = await other.client.traces.list({});
    const trace = await other.client.traces.get({ id: traces[0]?.id as string });
    expect(trace.skipped).toEqual([{ source: 'vectors', reason: { code: 'not-ready', figures: {} } }]);
    expect(trace.items[0]?.reason).toEqual({ code: 'relevant', figures: { score: 0.8 } });
    expect(trace.prompt).toBeNull();
    await other.close();
  });

  it('leaves out what belongs to one computer, and what was deleted', async () => {
    await test.app.client.app.changeSettings({ 'chat.baseUrl': 'https://models.example.com/v1' });
    const { facts } = await test.app.client.facts.list({});
    await test.app.client.facts.remove({ ids: [facts[0]?.id as string] });
    const text = (await exported(test.app)).replaceAll(test.vault, '/nowhere/at/all');
    const other = open('other');
    expect(await importInto(other, text)).toMatchObject({ leftOut: 2 });
    expect((await other.client.app.settings())['chat.baseUrl']).toBe('');
    expect(await other.client.vaults.list()).toEqual([]);
    expect((await other.client.facts.list({ all: true })).facts).toHaveLength(1);
    await other.close();
  });

  it('carries the work that is still to be done, which goes on where its kind is known and is left out elsewhere', async () => {
    const { jobs } = test.app.services;
    const held = jobs.pause(['transcribe']);
    jobs.register({ kind: 'transcribe', handler: () => undefined });
    jobs.enqueue('transcribe', 'turn_2', { priority: -2, dueAt: 5 });
    jobs.enqueue('transcribe', 'turn_1', { priority: -1 });
    // Maintenance follows from the rows: it is not carried.
    const { facts } = await test.app.client.facts.list({});
    await test.app.client.facts.remove({ ids: [facts[0]?.id as string] });
    await jobs.settled();
    expect((await test.app.client.app.jobs()).map(({ kind }) => kind)).toEqual([
      'compare-facts',
      'purge-facts',
      'transcribe',
    ]);
    const text = await exported(test.app);
    held();
    const other = open('other');
    const done: string[] = [];
    other.services.jobs.pause(['transcribe']);
    other.services.jobs.register({ kind: 'transcribe', handler: ({ subject }) => void done.push(subject) });
    await importInto(other, text);
    expect(await importInto(other, text)).toMatchObject({ added: 0 });
    expect(await exported(other)).toBe(text);
    await other.close();
    const again = open('other');
    again.services.jobs.register({ kind: 'transcribe', handler: ({ subject }) => void done.push(subject) });
    await again.services.jobs.settled();
    expect(done).toEqual(['turn_2', 'turn_1']);
    await again.close();
    const stranger = open('stranger');
    expect(await importInto(stranger, text)).toMatchObject({ leftOut: 2 });
    expect((await stranger.client.app.jobs()).map(({ kind }) => kind)).toEqual(['compare-facts']);
    await stranger.close();
  });

  it.each([
    ['no JSON', '{'],
    ['another document', '{"conversations": []}'],
    ['a later version', '{"format":"souvenir","version":2}'],
  ])('is refused where it is %s', (_, text) => expect(readExport(parseJson(text))).toBeNull());

  it.each([
    [{ kind: 'facts' as const, rows: [{ id: 'fact_1', content: { not: 'text' } }] }],
    [{ kind: 'facts' as const, rows: [{ id: 'fact_1', content: 'x', kind: 'opinion' }] }],
    [{ kind: 'conversations' as const, rows: [{ id: 'conv_1', title: 'x' }] }],
  ])(
    'with rows that are not what they say is refused, and nothing of the portion is taken: %j',
    async (portion) => {
      const before = await exported(test.app);
      const good = {
        id: 'fact_0',
        content: 'x',
        kind: 'fact',
        importance: 0.5,
        source: 'manual',
        created_at: 1,
        updated_at: 1,
      };
      const rows = portion.kind === 'facts' ? [good, ...portion.rows] : portion.rows;
      await expect(test.app.client.data.import({ ...portion, rows })).rejects.toMatchObject({
        code: 'IMPORT_INVALID',
      });
      expect(await exported(test.app)).toBe(before);
    },
  );
});

describe('a copy made while notes are indexed and questions asked', () => {
  it('restored into an empty folder is whole, and exports the same', async () => {
    writeNotes(
      test.vault,
      Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`n${n}.md`, `# N${n}\n\nTexte ${n}.`])),
    );
    const indexing = indexVault(test.app, test.vault);
    let asked = 0;
    let copied = false;
    const chatting = (async () => {
      while (!copied) {
        await ask(test.app, `Que dit la note numéro ${asked} ?`);
        asked += 1;
      }
    })();
    while (asked < 3) await sleep(5);
    const file = join(home, 'copy.sqlite');
    await test.app.client.data.backUp({ path: file });
    copied = true;
    await Promise.all([indexing, chatting]);
    restoreBackup(join(home, 'other'), file);
    const other = open('other');
    // The last turn may have ended after the copy was made: the copy has it as it stood.
    const last = (text: string) => {
      const document = JSON.parse(text) as {
        conversations: { created_at: number }[];
        facts: Record<string, unknown>[];
        memory_retrievals: unknown[];
      };
      const until = document.conversations.toSorted((a, b) => b.created_at - a.created_at)[0];
      return {
        ...document,
        memory_retrievals: [],
        // A fact that is always given was used by the turns after the copy.
        facts: document.facts.map((fact) => ({ ...fact, use_count: 0, last_used_at: 0 })),
        conversations: document.conversations.filter((one) => one !== until),
      };
    };
    const copy = last(await exported(other));
    const original = last(await exported(test.app));
    expect(copy.conversations.length).toBeGreaterThanOrEqual(3);
    const kept = new Set(copy.conversations.map((one) => JSON.stringify(one)));
    expect(original.conversations.filter((one) => kept.has(JSON.stringify(one)))).toHaveLength(kept.size);
    expect({ ...copy, conversations: [] }).toEqual({ ...original, conversations: [] });
    expect((await other.client.app.doctor({ repair: false })).findings).toEqual([]);
    await other.close();
    // At rest both are equal to the letter.
    const still = join(home, 'still.sqlite');
    await test.app.client.data.backUp({ path: still });
    restoreBackup(join(home, 'third'), still);
    const third = open('third');
    expect(await exported(third)).toBe(await exported(test.app));
    await third.close();
  });
});

describe('restoring while Souvenir runs', () => {
  it('puts the copy in the place of what is there, keeps that, and tells the windows', async () => {
    const { client } = test.app;
    const { path } = await client.data.backUp({});
    const before = await exported(test.app);
    await client.facts.add({ content: 'Ajouté plus tard' });
    const told: string[] = [];
    const stop = test.app.services.events.listen((event: AppEvent) => told.push(event.type));
    const { replaced } = await client.data.restore({ path });
    stop();
    expect(told).toContain('reset');
    expect(await exported(test.app)).toBe(before);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    await client.data.restore({ path: replaced as string });
    expect((await client.facts.list({})).facts.some(({ content }) => content === 'Ajouté plus tard')).toBe(
      true,
    );
    await ask(test.app, 'Quand planter les tomates ?');
  });

  it('leaves everything as it is where the copy cannot be used', async () => {
    const before = await exported(test.app);
    const file = join(home, 'text.sqlite');
    writeFileSync(file, 'not a database');
    await expect(test.app.client.data.restore({ path: file })).rejects.toMatchObject({
      code: 'BACKUP_UNUSABLE',
    });
    expect(await exported(test.app)).toBe(before);
    // A copy that passes every check and cannot be opened all the same.
    await expect(
      test.app.services.replaceData(() => {
        const file = join(test.dataDir, 'souvenir.sqlite');
        const kept = readFileSync(file);
        writeFileSync(file, 'broken');
        return () => writeFileSync(file, kept);
      }),
    ).rejects.toMatchObject({ code: 'DATABASE_DAMAGED' });
    expect(await exported(test.app)).toBe(before);
  });
});

describe('a restore that is killed', () => {
  it('leaves the old data or the new, whole', async () => {
    const { client } = test.app;
    const old = join(home, 'old.sqlite');
    await client.data.backUp({ path: old });
    const before = await exported(test.app);
    await client.facts.add({ content: 'Ajouté plus tard' });
    const after = await exported(test.app);
    await test.app.close();
    const outcomes = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const child = spawn(process.execPath, [CLI, 'restore', old, '--data', test.dataDir], {
        stdio: 'ignore',
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      // Node itself needs most of the time; from there on every few milliseconds.
      await Promise.race([ended, sleep(round === 11 ? 30_000 : 250 + round * 25, undefined, { ref: false })]);
      child.kill('SIGKILL');
      await ended;
      const app = openTestCore(test.dataDir);
      const now = await exported(app);
      expect([before, after]).toContain(now);
      outcomes.add(now === before ? 'new' : 'old');
      await app.close();
      if (outcomes.has('new')) break;
    }
    test.app = openTestCore(test.dataDir);
    expect((await test.app.client.app.doctor({ repair: false })).findings).toEqual([]);
  });
});

describe('erasing everything', () => {
  it('leaves an empty Souvenir that works, no copy, nothing in the log, and the vault as it was', async () => {
    await test.app.client.data.backUp({});
    const note = readFileSync(join(test.vault, 'Jardin.md'), 'utf8');
    await test.app.client.data.erase();
    const { client } = test.app;
    expect(await client.app.stats()).toMatchObject({
      vaults: 0,
      notes: { total: 0 },
      conversations: 0,
      turns: 0,
      facts: 0,
    });
    expect((await client.data.backups()).backups).toEqual([]);
    expect((await client.app.settings()).maxResults).toBe(4);
    for (const name of readdirSync(test.dataDir, { recursive: true, encoding: 'utf8' })) {
      const file = join(test.dataDir, name);
      if (/\.(sqlite|lock|json|log|sqlite-wal|sqlite-shm)$/.test(name))
        expect(readFileSync(file).includes('arachides')).toBe(false);
    }
    expect(existsSync(join(test.dataDir, 'backups'))).toBe(false);
    expect(readFileSync(join(test.vault, 'Jardin.md'), 'utf8')).toBe(note);
    await indexVault(test.app, test.vault);
    const { reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply.citations.length).toBeGreaterThan(0);
  });
});
