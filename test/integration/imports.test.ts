import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportId, ImportProgress } from '../../src/shared/contract/imports.ts';
import { chatGptConversation, claudeConversation, type Line } from '../support/histories.ts';
import { createTestApp, type TestApp, until } from '../support/testApp.ts';

const LINES: readonly Line[] = [
  ['user', 'Quand planter les tomates ?'],
  ['assistant', 'À la mi-mai.'],
  ['user', 'Et les courges ?'],
  ['assistant', 'En même temps.'],
];
const JARDIN = chatGptConversation('c1', 'Jardin', LINES);

let test: TestApp;
beforeEach(() => {
  test = createTestApp({}, { now: () => 1_750_000_000_000 });
});
afterEach(() => test.dispose());

/** Sends a file to the core. */
async function send(value: unknown, name = 'conversations.json'): Promise<ImportId> {
  const { client } = test.app;
  const { id } = await client.imports.begin({ files: [{ name, modifiedAt: 1_700_000_000_000 }] });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  for (let from = 0; from < text.length; from += 1 << 20)
    await client.imports.append({ id, file: 0, from, text: text.slice(from, from + (1 << 20)) });
  return id;
}

async function ended(id: ImportId): Promise<ImportProgress> {
  return until(async () => {
    const { imports } = await test.app.client.imports.list();
    return imports.find((one) => one.id === id && one.state !== 'running');
  });
}

async function importAll(value: unknown, options: { channel?: string; learn?: boolean; name?: string } = {}) {
  const { name, ...rest } = options;
  const id = await send(value, name);
  await test.app.client.imports.start({ id, ...rest });
  return ended(id);
}

const foldersLeft = () => {
  const folder = join(test.dataDir, 'imports');
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe('an import of a history', () => {
  it('stores conversations with their dates, by which they are found, and leaves no file behind', async () => {
    const { counts, problems, state } = await importAll([
      JARDIN,
      claudeConversation('k1', 'Toit', [
        ['user', 'Qui répare le toit ?'],
        ['assistant', 'Martin.'],
      ]),
    ]);
    expect(state).toBe('done');
    expect(counts).toEqual({
      conversations: 2,
      restored: 0,
      turns: 3,
      messages: 6,
      unchanged: 0,
      forgotten: 0,
      facts: 0,
    });
    expect(problems).toEqual([]);
    const rows = await test.app.client.chat.list({});
    expect(rows.map(({ title, channel, turns, createdAt }) => [title, channel, turns, createdAt])).toEqual([
      ['Toit', 'import', 1, Date.UTC(2024, 1, 1, 10)],
      ['Jardin', 'import', 2, Date.UTC(2024, 0, 5, 9, 1)],
    ]);
    const { turns } = await test.app.client.chat.get({ id: rows[1]?.id as string });
    expect(turns.map(({ source }) => source)).toEqual(['import', 'import']);
    const { results } = await test.app.client.retrieval.search({
      text: 'courges',
      mode: 'text',
      kinds: ['turn'],
    });
    expect(results).toHaveLength(1);
    expect(foldersLeft()).toEqual([]);
    expect((await test.app.client.app.doctor({})).findings).toEqual([]);
  });

  it('adds nothing when it is run again, and only what is new once the file has grown', async () => {
    await importAll([JARDIN]);
    expect((await importAll([JARDIN])).counts).toMatchObject({ conversations: 0, messages: 0, unchanged: 4 });
    const grown = chatGptConversation('c1', 'Jardin', [
      ...LINES,
      ['user', 'Et les pois ?'],
      ['assistant', 'Mars.'],
    ]);
    expect((await importAll([grown])).counts).toMatchObject({ turns: 1, messages: 2, unchanged: 4 });
  });

  it('goes into the channel that the user chose', async () => {
    await importAll([JARDIN], { channel: 'Potager' });
    expect((await test.app.client.chat.list({ channel: 'Potager' })).map(({ title }) => title)).toEqual([
      'Jardin',
    ]);
  });

  it('takes transcripts in Markdown', async () => {
    const text = '# Jardin\n\n## User\n\nQuand planter ?\n\n## Assistant\n\nEn mai.\n';
    expect((await importAll(text, { name: 'talk.md' })).counts).toMatchObject({ turns: 1, messages: 2 });
    expect((await importAll(text, { name: 'elsewhere/talk.md' })).counts).toMatchObject({ unchanged: 2 });
  });

  it('stores messages of conversations whose programs number them from one', async () => {
    const talk = (id: string) => ({
      id,
      messages: [{ id: '1', role: 'user', content: `Bonjour ${id}`, createdAt: 1 }],
    });
    const file = { conversations: [talk('a'), talk('b')] };
    expect((await importAll(file)).counts).toMatchObject({ conversations: 2, messages: 2 });
    expect((await importAll(file)).counts).toMatchObject({ conversations: 0, messages: 0, unchanged: 2 });
  });

  it('tells what could not be taken as it was', async () => {
    const spoilt = chatGptConversation('c2', 'Photo', LINES, (mapping) => {
      Object.assign(mapping['c2-node-3']?.message as object, { create_time: Number.MAX_VALUE });
    });
    const { counts, problems } = await importAll([JARDIN, 7, spoilt]);
    expect(counts).toMatchObject({ conversations: 2, messages: 8 });
    expect(problems).toEqual(
      expect.arrayContaining([
        { problem: 'not-a-conversation', count: 1 },
        { problem: 'bad-date', count: 1 },
      ]),
    );
  });
});

describe('a preview of an import', () => {
  it('counts what would come, and stores nothing', async () => {
    await importAll([JARDIN]);
    const toit = claudeConversation('k1', 'Toit', [['user', 'Qui répare le toit ?']]);
    const id = await send([JARDIN, toit, 'x']);
    expect(await test.app.client.imports.preview({ id })).toEqual({
      sources: [
        { source: 'chatgpt', conversations: 1 },
        { source: 'claude', conversations: 1 },
      ],
      conversations: 2,
      messages: 5,
      known: 4,
      deleted: 0,
      forgotten: 0,
      period: { from: Date.UTC(2024, 0, 5, 9, 1), to: Date.UTC(2024, 1, 1, 10) },
      problems: [{ problem: 'not-a-conversation', count: 1, examples: [] }],
    });
    expect(await test.app.client.chat.list({})).toHaveLength(1);
    await test.app.client.imports.cancel({ id });
    expect(foldersLeft()).toEqual([]);
  });

  it('tells what was deleted and would come back, and what was forgotten and stays away', async () => {
    const { client } = test.app;
    const toit = claudeConversation('k1', 'Toit', [['user', 'Qui répare le toit ?']]);
    await importAll([JARDIN, toit]);
    const rows = await client.chat.list({});
    const idOf = (title: string) => rows.find((row) => row.title === title)?.id as string;
    await client.chat.remove({ id: idOf('Toit') });
    const { turns } = await client.chat.get({ id: idOf('Jardin') });
    await client.forget.apply({ ticked: { turns: [turns[1]?.id as string] } });
    const preview = await client.imports.preview({ id: await send([JARDIN, toit]) });
    expect(preview).toMatchObject({ deleted: 1, forgotten: 1, known: 3 });
    expect((await importAll([JARDIN, toit])).counts).toMatchObject({
      conversations: 0,
      restored: 1,
      forgotten: 1,
      messages: 0,
      unchanged: 3,
    });
    const { results } = await client.retrieval.search({ text: 'courges', mode: 'text' });
    expect(results).toEqual([]);
  });
});

describe('facts of an import', () => {
  const OWN = chatGptConversation('c1', 'Moi', [
    ['user', 'Ma sœur Léa habite à Toulouse.'],
    ['assistant', 'C’est noté.'],
  ]);
  const facts = async () => (await test.app.client.facts.list({ statuses: ['current', 'pending'] })).facts;

  it('are not learnt unless the user asks', async () => {
    await importAll([OWN]);
    expect(await facts()).toEqual([]);
  });

  it('wait for the user’s word if they ask, once', async () => {
    expect((await importAll([OWN], { learn: true })).counts.facts).toBe(1);
    expect((await facts()).map(({ status, content }) => [status, /Toulouse/.test(content)])).toEqual([
      ['pending', true],
    ]);
    expect((await importAll([OWN], { learn: true })).counts.facts).toBe(0);
    expect(await facts()).toHaveLength(1);
  });
});

describe('an import that is interrupted', () => {
  /** So many conversations that they are several portions. */
  const many = Array.from({ length: 120 }, (_, n) =>
    chatGptConversation(`c${n}`, `Conversation ${n}`, [
      ['user', `Question ${n} ${'mot '.repeat(400)}`],
      ['assistant', `Réponse ${n} ${'mot '.repeat(400)}`],
    ]),
  );
  const turns = () => test.app.services.conversations.countTurns();

  it('goes on after a restart where it was, and counts everything once', async () => {
    const id = await send(many);
    await test.app.client.imports.start({ id });
    await until(() => turns() > 0);
    await test.reopen();
    expect(turns()).toBeLessThan(120);
    const { counts, bytes } = await ended(id);
    expect(counts).toMatchObject({ conversations: 120, turns: 120, messages: 240, unchanged: 0 });
    expect(bytes.done).toBe(bytes.total);
    expect(turns()).toBe(120);
    expect(foldersLeft()).toEqual([]);
  });

  it('keeps what it had imported if it is cancelled, and goes no further', async () => {
    const id = await send(many);
    await test.app.client.imports.start({ id });
    await until(() => turns() > 0);
    await test.app.client.imports.cancel({ id });
    const { state, counts } = await ended(id);
    expect(state).toBe('cancelled');
    expect(counts.turns).toBe(turns());
    expect(foldersLeft()).toEqual([]);
    await test.app.client.imports.cancel({ id });
    expect((await test.app.client.imports.list()).imports).toEqual([]);
  });

  it('restores nothing that the user deleted meanwhile', async () => {
    const id = await send(many);
    await test.app.client.imports.start({ id });
    await until(() => turns() > 0);
    const [row] = await test.app.client.chat.list({});
    await test.app.client.chat.remove({ id: row?.id as string });
    await test.reopen();
    expect((await ended(id)).counts).toMatchObject({ conversations: 120, restored: 0 });
    expect(turns()).toBe(119);
  });

  it('before it was started leaves no files behind', async () => {
    await send(many);
    await test.reopen();
    expect(foldersLeft()).toEqual([]);
  });
});

it('files that do not follow each other piece by piece are refused', async () => {
  const { client } = test.app;
  const id = await send('abc');
  await expect(client.imports.append({ id, file: 0, from: 2, text: 'x' })).rejects.toMatchObject({
    code: 'BAD_INPUT',
  });
  await expect(client.imports.append({ id, file: 1, from: 0, text: 'x' })).rejects.toMatchObject({
    code: 'BAD_INPUT',
  });
  await expect(client.imports.preview({ id: 'import_none' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
