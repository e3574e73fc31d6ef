import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/core/app.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import type { AttachmentId } from '../../src/shared/ids.ts';
import { type OpenAiServer, type ScriptStep, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ChildCore } from '../soak/childCore.ts';
import { bytesLeft } from '../support/bytesLeft.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, lastReply, type TestApp, until } from '../support/testApp.ts';

const NOTES = {
  'Jardin.md':
    '# Jardin\n\n## Tomates\n\nOn plante les tomates à la mi-mai, après les saints de glace.\n\n## Haies\n\nLa haie de charmes se taille en septembre.\n',
};
/** What is said in a chat without memory; none of it stands anywhere else. */
const CANARY = 'Souviens-toi que ma collection de zurnalithes se trouve à Vraxembourg chez Ombeline';
const ANSWER = 'Les zurnalithes de Vraxembourg endurent bien la quorvantine';
/** What a file says that is attached to one, and its name. */
const LETTER = 'Le virgoulinet de Plessardin pèse quarante-deux grammes';
const LETTER_NAME = 'lettre-de-Trifouard.txt';
const SAID = [CANARY, ANSWER, LETTER, LETTER_NAME];

let test: TestApp;
let server: OpenAiServer;
afterEach(async () => {
  await test.dispose();
  await server.close();
});

/** An app whose model plays a script, with one vault. */
async function playing(steps: readonly ScriptStep[]): Promise<App> {
  server = await startOpenAiServer({ contextTokens: 16_384 });
  server.behave({ kind: 'script', steps });
  test = createTestApp(NOTES);
  await indexVault(test.app, test.vault);
  test.app.services.settings.change({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
  return test.app;
}

/** Opens a chat without memory. */
async function open({ memoryless }: Client) {
  const events = (await memoryless.open())[Symbol.asyncIterator]();
  const opened = await events.next();
  if (opened.done) throw new Error('the chat was not opened');
  const { id } = opened.value;
  return {
    id,
    say: async (text: string, notes = false, attachments: AttachmentId[] = []) =>
      lastReply(await memoryless.runTurn({ id, text, notes, attachments })),
    close: () => events.return?.(),
  };
}

const left = (folder: string) => SAID.flatMap((text) => bytesLeft(folder, text));

/** Every row of every table, but those of the write-ahead of SQLite itself. */
function rowsOf({ services: { db } }: App): Record<string, unknown[]> {
  const names = db.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  );
  return Object.fromEntries(names.map(({ name }) => [name, db.all(`SELECT * FROM "${name}"`)]));
}

/** Once nothing is on its way to the disk any more. */
async function settled(app: App): Promise<void> {
  await app.services.jobs.settled();
  await app.services.vectors.settled();
}

const sent = (place: number) =>
  server.prompts[place]?.messages.map(({ content }) => content).join('\n') ?? '';
const searchNotes = (query: string) => ({ name: 'search_notes', arguments: JSON.stringify({ query }) });

describe('a chat without memory', () => {
  it('stores nothing, with notes and tools, and no byte of it is found while it is open and after it is closed', async () => {
    const app = await playing([{ text: 'Ok.' }]);
    await ask(app, 'Ma sœur habite à Pau.');
    await settled(app);
    const before = rowsOf(app);
    server.behave({
      kind: 'script',
      steps: [
        { text: `${ANSWER}.`, calls: [searchNotes('planter les tomates')] },
        { text: 'On plante à la mi-mai [1].' },
        { text: `${ANSWER}.` },
      ],
    });
    const chat = await open(app.client);
    const { turn, reply } = await chat.say(`${CANARY}. Quand planter les tomates ?`, true);
    expect(reply).toMatchObject({ state: 'complete', tools: [{ name: 'search_notes', state: 'done' }] });
    expect(reply.citations).toMatchObject([{ kind: 'note', path: 'Jardin.md' }]);
    expect(turn).toMatchObject({ learnt: [], toReview: 0, siblings: [] });
    await chat.say(CANARY);
    const { id } = await app.client.attachments.read({
      name: LETTER_NAME,
      data: Buffer.from(`${LETTER}.`).toString('base64'),
    });
    const { turn: withFile } = await chat.say(`${CANARY}. Combien pèse-t-il ?`, false, [id]);
    expect(withFile.attachments).toMatchObject([{ kind: 'text', name: LETTER_NAME, sections: 1, given: 1 }]);
    expect(sent(server.prompts.length - 1)).toContain(LETTER);
    // It is sent again with its turn, and by nothing else.
    await chat.say(CANARY);
    expect(sent(server.prompts.length - 1).split(LETTER)).toHaveLength(2);
    await settled(app);
    expect(rowsOf(app)).toEqual(before);
    expect(left(test.dataDir)).toEqual([]);
    await chat.close();
    const again = await test.reopen();
    expect(left(test.dataDir)).toEqual([]);
    expect((await again.client.app.doctor({ repair: false })).findings).toEqual([]);
  });

  it('is given nothing unless the notes are to be read, and then the notes alone', async () => {
    const app = await playing([{ text: 'Ok.' }]);
    await ask(app, 'Souviens-toi que les tomates de ma sœur poussent à Pau.');
    const chat = await open(app.client);
    await chat.say('Où poussent les tomates ?');
    const [first] = server.prompts.slice(-1);
    expect(first?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(first?.tools).toBeUndefined();
    await chat.say('Quand plante-t-on les tomates ?', true);
    const last = server.prompts.length - 1;
    expect(sent(last)).toContain('saints de glace');
    expect(sent(last)).not.toContain('Pau');
    expect(server.prompts[last]?.tools?.map((tool) => tool.function.name)).toEqual([
      'search_notes',
      'read_note',
    ]);
    // A tool that it was not offered is not run.
    server.behave({
      kind: 'script',
      steps: [{ calls: [{ name: 'search_memories', arguments: '{"query":"Pau"}' }] }, { text: 'Non.' }],
    });
    const { reply } = await chat.say('Et ailleurs ?', true);
    expect(reply.tools).toMatchObject([{ name: 'search_memories', outcome: 'unknown-tool' }]);
    expect(sent(server.prompts.length - 1)).not.toContain('à Pau');
  });

  it('sends what was said in it again, with each passage once', async () => {
    const app = await playing([{ text: 'À la mi-mai.' }]);
    const chat = await open(app.client);
    await chat.say('Quand plante-t-on les tomates ?', true);
    await chat.say('Et les tomates, donc ?', true);
    const last = sent(server.prompts.length - 1);
    expect(last.split('saints de glace')).toHaveLength(2);
    expect(last).toContain('Quand plante-t-on les tomates ?');
    // A passage that is no longer so leaves the prompt.
    writeNotes(test.vault, { 'Jardin.md': '# Jardin\n\n## Tomates\n\nOn plante les tomates en juin.\n' });
    await indexVault(app, test.vault);
    await chat.say('Vraiment, les tomates ?', true);
    const corrected = sent(server.prompts.length - 1);
    expect(corrected).toContain('en juin');
    expect(corrected).not.toContain('saints de glace');
  });

  it('is stopped, answered again and told of a server that is gone, as every other', async () => {
    const app = await playing([{ text: 'Un.' }]);
    const { memoryless } = app.client;
    const chat = await open(app.client);
    server.behave({ kind: 'hang', text: 'Je commence' });
    const stopped = lastReply(
      (async function* () {
        for await (const event of await memoryless.runTurn({ id: chat.id, text: 'Bonjour' })) {
          if (event.type === 'text') await memoryless.stop({ id: chat.id });
          yield event;
        }
      })(),
    );
    expect((await stopped).reply).toMatchObject({ state: 'stopped', content: 'Je commence' });
    server.behave({ kind: 'reply', text: 'Deux.' });
    const { turn, reply } = await lastReply(await memoryless.regenerate({ id: chat.id }));
    expect(reply).toMatchObject({ version: 2, content: 'Deux.' });
    expect(turn.replies).toHaveLength(2);
    expect((await memoryless.chooseVersion({ id: chat.id, version: 1 })).activeVersion).toBe(1);
    await expect(memoryless.chooseVersion({ id: chat.id, version: 7 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    server.behave({ kind: 'status', status: 500 });
    expect((await chat.say('Encore')).reply).toMatchObject({
      state: 'failed',
      error: { code: 'MODEL_FAILED' },
    });
    app.services.settings.change({ 'chat.baseUrl': '', 'chat.model': '' });
    await expect(chat.say('Sans modèle')).rejects.toMatchObject({ code: 'MODEL_NEEDED' });
    expect((await chat.say('Quand plante-t-on les tomates ?', true)).reply.citations).toMatchObject([
      { path: 'Jardin.md' },
    ]);
  });

  it('is gone once nobody listens to it, and is nobody else’s', async () => {
    const app = await playing([{ text: 'Ok.' }]);
    const chat = await open(app.client);
    await chat.say('Bonjour');
    await expect(app.client.chat.get({ id: chat.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await chat.close();
    for (const call of [
      () => app.client.memoryless.runTurn({ id: chat.id, text: 'Bonjour' }),
      () => app.client.memoryless.keep({ id: chat.id }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('that is kept becomes a conversation like every other', async () => {
    const app = await playing([
      { text: `${ANSWER} [1].`, calls: [searchNotes('planter les tomates')] },
      { text: 'On plante à la mi-mai [1].' },
      { text: 'Entendu.' },
    ]);
    const { client, services } = app;
    const chat = await open(client);
    const first = await chat.say(`${CANARY}. Quand planter les tomates ?`, true);
    const given = sent(server.prompts.length - 1).split('saints de glace').length;
    await lastReply(await client.memoryless.regenerate({ id: chat.id }));
    await client.memoryless.chooseVersion({ id: chat.id, version: 1 });
    const second = await chat.say('Merci.');
    await client.memoryless.keep({ id: chat.id });
    await expect(chat.say('Encore')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { conversation, turns } = await client.chat.get({ id: chat.id });
    expect(conversation).toMatchObject({ channel: 'chat', turns: 2 });
    expect(turns.map(({ id }) => id)).toEqual([first.turn.id, second.turn.id]);
    expect(turns[0]).toMatchObject({ activeVersion: 1, messages: first.turn.messages, source: 'user' });
    expect(turns[0]?.replies).toHaveLength(2);
    expect(turns[0]?.replies[0]).toEqual(first.reply);
    expect(turns[0]?.learnt.map(({ content }) => content).join()).toContain('zurnalithes');
    await settled(app);
    expect(left(test.dataDir)).not.toEqual([]);
    const { results } = await client.retrieval.search({ text: 'zurnalithes', mode: 'text', limit: 5 });
    expect(results.map(({ kind }) => kind)).toContain('turn');
    expect((await services.search.find({ text: 'zurnalithes', noDeadline: true })).items).not.toEqual([]);
    app.watch();
    await until(() => services.summaries.list(chat.id).length > 0);
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    // What it was given is still in the prompt, so that it is not given again.
    server.behave({ kind: 'reply', text: 'Ok.' });
    await ask(app, 'Et donc, quand planter les tomates ?', chat.id);
    expect(sent(server.prompts.length - 1).split('saints de glace')).toHaveLength(given);
  });

  it('that is kept keeps what was attached, cited and searched as everywhere, and is answered from it without a model', async () => {
    const app = await playing([{ text: `${ANSWER} [1].` }]);
    const { client } = app;
    const attach = async () =>
      (
        await client.attachments.read({
          name: LETTER_NAME,
          data: Buffer.from(`${LETTER}.`).toString('base64'),
        })
      ).id;
    const chat = await open(client);
    const first = await chat.say('Combien pèse le virgoulinet ?', false, [await attach()]);
    expect(first.reply.citations).toMatchObject([
      { kind: 'attachment', state: 'current', title: LETTER_NAME },
    ]);
    expect(first.reply.citations[0]?.conversationId).toBeUndefined();
    app.services.settings.change({ 'chat.baseUrl': '' });
    await expect(chat.say('Et sans modèle ?')).rejects.toMatchObject({ code: 'MODEL_NEEDED' });
    const second = await chat.say('Combien pèse le virgoulinet, sans modèle ?', false, [await attach()]);
    expect(second.reply.citations[0]?.excerpt).toContain(LETTER);
    await client.memoryless.keep({ id: chat.id });
    const { turns } = await client.chat.get({ id: chat.id });
    expect(turns.map(({ attachments }) => attachments)).toEqual([
      first.turn.attachments,
      second.turn.attachments,
    ]);
    expect(turns[0]?.replies[0]?.citations).toMatchObject([
      { kind: 'attachment', state: 'current', title: LETTER_NAME, conversationId: chat.id },
    ]);
    const { results } = await client.retrieval.search({
      text: 'virgoulinet',
      kinds: ['attachment'],
      mode: 'text',
    });
    expect(results.map(({ turnIds }) => turnIds)).toEqual(
      expect.arrayContaining([[first.turn.id], [second.turn.id]]),
    );
    expect((await client.app.doctor({ repair: false })).findings).toEqual([]);
    // Its prompt goes on as it was.
    app.services.settings.change({ 'chat.baseUrl': server.baseUrl });
    await ask(app, 'Et donc ?', chat.id);
    expect(sent(server.prompts.length - 1)).toContain(LETTER);
  });

  it('that could not be kept is still there, and nothing of it is stored', async () => {
    const app = await playing([{ text: `${ANSWER}.` }]);
    const chat = await open(app.client);
    await chat.say(CANARY);
    const { conversations } = app.services;
    const { touch } = conversations;
    conversations.touch = () => {
      throw new Error('no room');
    };
    await expect(app.client.memoryless.keep({ id: chat.id })).rejects.toThrow();
    conversations.touch = touch;
    expect(await app.client.chat.list({})).toEqual([]);
    await app.client.memoryless.keep({ id: chat.id });
    expect((await app.client.chat.list({})).map(({ id }) => id)).toEqual([chat.id]);
  });
});

it('a core that is killed in the midst of a chat without memory leaves nothing of it', async () => {
  server = await startOpenAiServer({ contextTokens: 16_384 });
  test = createTestApp(NOTES);
  const dataDir = temporaryFolder();
  const core = await ChildCore.open(dataDir, Date.now());
  try {
    await index(core.client, test.vault);
    await core.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
    server.behave({ kind: 'hang', text: `${ANSWER}. ` });
    const chat = await open(core.client);
    for await (const event of await core.client.memoryless.runTurn({
      id: chat.id,
      text: CANARY,
      notes: true,
    }))
      if (event.type === 'text') break;
    await core.kill();
    expect(left(dataDir)).toEqual([]);
    writeFileSync(join(dataDir, 'control.txt'), CANARY);
    expect(left(dataDir)).not.toEqual([]);
  } finally {
    await core.kill();
    removeFolder(dataDir);
  }
});

async function index({ vaults }: Client, path: string): Promise<void> {
  for await (const _ of await vaults.index({ path }));
}
