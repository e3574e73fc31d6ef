import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/core/models/probes.ts';
import { rebuildFullText } from '../../src/core/search/lexical/fullTextRepair.ts';
import type { TurnEvent } from '../../src/shared/contract/chat.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import {
  countPromptTokens,
  type OpenAiServer,
  type ReceivedPrompt,
  startOpenAiServer,
} from '../fakes/openAiServer.ts';
import { writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, lastReply, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
let server: OpenAiServer;

const NOTES = {
  'Jardin.md': '# Jardin\n\n## Tomates\n\nLes tomates se plantent à la mi-mai, après les saints de glace.',
  'Chaudière.md': '# Chaudière\n\nLa chaudière est entretenue par Martin en septembre.',
};

beforeEach(async () => {
  server = await startOpenAiServer();
  test = createTestApp(NOTES);
  await indexVault(test.app, test.vault);
  await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
});
afterEach(async () => {
  await test.dispose();
  await server.close();
});

const last = (): ReceivedPrompt => server.prompts.at(-1) as ReceivedPrompt;
const blocks = (prompt: ReceivedPrompt) =>
  prompt.messages.filter((message) => message.content.startsWith('[Context]'));
const shape = (prompt: ReceivedPrompt) =>
  prompt.messages.map(({ role, content }) => (content.startsWith('[Context]') ? 'context' : role));
const carrying = (prompt: ReceivedPrompt, words: string) =>
  blocks(prompt).filter(({ content }) => content.includes(words));

describe('a turn with a chat model', () => {
  it('is answered to the end while the disk has no room to keep the part of it that has come', async () => {
    const { db } = test.app.services;
    db.run(
      "CREATE TRIGGER full BEFORE UPDATE OF content ON messages WHEN new.state = 'pending' BEGIN SELECT RAISE(ABORT, 'no room'); END",
    );
    const words = Array.from({ length: 12 }, (_, n) => `mot${n}`).join(' ');
    // It comes for long enough that parts of it are kept.
    server.behave({ kind: 'paced', text: words, everyMs: 100 });
    const { reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(reply).toMatchObject({ state: 'complete', content: words });
  });

  it('embeds the question alone: what the prompt holds is compared by vectors that are stored', async () => {
    const first = await ask(test.app, 'Quand planter les tomates ?');
    const { vectors } = test.app.services;
    await vectors.settled();
    const serving = vectors.serving();
    if (!serving) throw new Error('there are no vectors');
    const questions: string[] = [];
    // An embedder that is too slow for anything but a question.
    vectors.serving = () => ({
      ...serving,
      embedder: {
        ...serving.embedder,
        embedQuery: (text, signal) => {
          questions.push(text);
          return serving.embedder.embedQuery(text, signal);
        },
        embedPassages: (_, signal) =>
          new Promise<never>((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason as Error));
          }),
      },
    });
    const next = 'Et quand entretenir la chaudière ?';
    const { turn } = await ask(test.app, next, first.turn.conversationId);
    vectors.serving = () => serving;
    expect(questions).toEqual([next]);
    const trace = await test.app.client.traces.ofTurn({ turnId: turn.id });
    expect(trace?.skipped).toEqual([]);
  });

  it('sends the block just before the message it was retrieved for, and keeps reply, citations and usage', async () => {
    server.behave({ kind: 'reply', text: 'À la mi-mai [1]. Et [9] n’existe pas.' });
    const { reply } = await ask(test.app, 'Quand planter les tomates ?');
    expect(shape(last())).toEqual(['system', 'context', 'user']);
    expect(last().messages[2]?.content).toBe('Quand planter les tomates ?');
    expect(blocks(last())[0]?.content).toMatch(
      /<<<[0-9a-f]{12}\n« Jardin › Tomates » \(Jardin\.md\)\nLes tomates.*\n[0-9a-f]{12}>>>/,
    );
    expect(reply).toMatchObject({
      state: 'complete',
      content: 'À la mi-mai [1]. Et [9] n’existe pas.',
      model: 'small',
      promptTokens: countPromptTokens(last()),
      completionTokens: 8,
    });
    expect(reply.citations.map((citation) => [citation.ordinal, citation.path])).toEqual([[1, 'Jardin.md']]);
  });

  it('carries an item in one block only, and that block at its place in later prompts', async () => {
    const first = await ask(test.app, 'Quand planter les tomates ?');
    const { conversationId } = first.turn;
    await ask(test.app, 'Les tomates se plantent quand exactement ?', conversationId);
    await ask(test.app, 'Et la chaudière, qui l’entretient ?', conversationId);
    expect(shape(last())).toEqual([
      'system',
      'context',
      'user',
      'assistant',
      'user',
      'assistant',
      'context',
      'user',
    ]);
    expect(carrying(last(), 'saints de glace')).toHaveLength(1);
    expect(carrying(last(), 'Martin')).toHaveLength(1);
    const preview = await test.app.client.retrieval.preview({
      text: 'Quand planter les tomates ?',
      conversationId,
    });
    const held = preview.candidates.find((candidate) => candidate.path === 'Jardin.md');
    expect(held).toMatchObject({ verdict: 'in-window', reason: { code: 'in-prompt', figures: { turn: 1 } } });
  });

  it('drops a block past its depth, and lets its items come back', async () => {
    await test.app.client.app.changeSettings({ contextWindowDepth: 2 });
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    await ask(test.app, 'Bonjour', turn.conversationId);
    expect(carrying(last(), 'saints de glace')).toHaveLength(1);
    await ask(test.app, 'Bonsoir', turn.conversationId);
    expect(carrying(last(), 'saints de glace')).toHaveLength(0);
    await ask(test.app, 'Rappelle : quand planter les tomates ?', turn.conversationId);
    expect(carrying(last(), 'saints de glace')).toHaveLength(1);
  });

  it('lets an edited note and an edited fact through at the very next turn', async () => {
    const fact = await test.app.client.facts.add({ content: 'David habite à Ordizan', subjects: ['David'] });
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const { conversationId } = turn;
    await ask(test.app, 'Où habite David ?', conversationId);
    expect(carrying(last(), 'Ordizan')).toHaveLength(1);
    writeNotes(test.vault, { 'Jardin.md': NOTES['Jardin.md'].replace('mi-mai', 'début juin') });
    await indexVault(test.app, test.vault);
    await test.app.client.facts.edit({ id: fact.id, content: 'David habite à Toulouse' });
    await ask(test.app, 'Quand planter les tomates, déjà ?', conversationId);
    expect(carrying(last(), 'mi-mai')).toHaveLength(0);
    expect(carrying(last(), 'début juin')).toHaveLength(1);
    expect(carrying(last(), 'Ordizan')).toHaveLength(0);
    await ask(test.app, 'Et où habite David ?', conversationId);
    expect(carrying(last(), 'Toulouse')).toHaveLength(1);
  });

  it('frees half of the blocks at once when a new one would not fit, and says so in the trace', async () => {
    writeNotes(test.vault, {
      'Vélo.md': '# Vélo\n\nLe vélo est réparé par Sophie, rue des Lilas.',
      'Piscine.md': '# Piscine\n\nLa piscine ferme à vingt heures le jeudi.',
    });
    await indexVault(test.app, test.vault);
    await test.app.client.app.changeSettings({ 'chat.contextTokens': 1_200, timeoutMs: 5_000 });
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    for (const question of ['Qui entretient la chaudière ?', 'Qui répare le vélo ?'])
      await ask(test.app, question, turn.conversationId);
    expect(['saints de glace', 'Martin', 'Sophie'].map((words) => carrying(last(), words).length)).toEqual([
      1, 1, 1,
    ]);
    const before = last().messages;
    const { turn: fourth } = await ask(test.app, 'Quand ferme la piscine ?', turn.conversationId);
    expect(
      ['saints de glace', 'Martin', 'Sophie', 'vingt heures'].map((words) => carrying(last(), words).length),
    ).toEqual([0, 0, 1, 1]);
    expect(last().messages.slice(0, before.length)).not.toEqual(before);
    const trace = await test.app.client.traces.ofTurn({ turnId: fourth.id });
    expect(trace?.prompt?.steps).toEqual([
      { code: 'block-share', figures: expect.objectContaining({ limit: 225 }) as object },
    ]);
  });

  it('retrieves nothing for a system turn, nor when it is switched off, and the trace says so', async () => {
    const traceOf = async ({ turn }: Awaited<ReturnType<typeof ask>>) => {
      const trace = await test.app.client.traces.ofTurn({ turnId: turn.id });
      return {
        items: trace?.items,
        skipped: trace?.skipped,
        sent: trace?.prompt?.layout.map(({ role }) => role),
      };
    };
    const nothing = (code: string) => ({
      items: [],
      skipped: ['notes', 'memory'].map((source) => ({ source, reason: { code, figures: {} } })),
      sent: ['system', 'user'],
    });
    const text = 'Quand planter les tomates ?';
    const own = await lastReply(test.app.services.chat.runTurn({ text, system: true }));
    expect(shape(last())).toEqual(['system', 'user']);
    expect(await traceOf(own)).toEqual(nothing('own-message'));
    await test.app.client.app.changeSettings({ autoRetrieve: false });
    const off = await ask(test.app, text);
    expect(shape(last())).toEqual(['system', 'user']);
    expect(await traceOf(off)).toEqual(nothing('switched-off'));
  });

  it('stores, indexes and learns nothing that was only sent as context', async () => {
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    await ask(test.app, 'Merci.', turn.conversationId);
    const { results } = await test.app.client.retrieval.search({ text: 'saints de glace', limit: 50 });
    expect(new Set(results.map((result) => result.kind))).toEqual(new Set(['note']));
    const stored = test.app.services.db.all<{ content: string }>('SELECT content FROM messages');
    expect(stored.some(({ content }) => /\[Context\]|saints de glace/.test(content))).toBe(false);
    expect((await test.app.client.facts.list({})).facts).toEqual([]);
  });

  it('finds what a note says only in the note, also after a reply that repeats it', async () => {
    server.behave({
      kind: 'reply',
      text: 'Les tomates se plantent à la mi-mai, après les saints de glace [1]. Arrosez peu au début.',
    });
    await ask(test.app, 'Quand planter les tomates ?');
    const { results } = await test.app.client.retrieval.search({ text: 'saints de glace', limit: 50 });
    expect(new Set(results.map((result) => result.kind))).toEqual(new Set(['note']));
    // What the model said of its own is found as said.
    const own = await test.app.client.retrieval.search({ text: 'arrosez', mode: 'text', limit: 50 });
    expect(own.results.map((result) => result.kind)).toEqual(['turn']);
    await test.app.services.vectors.settled();
    const alike = await test.app.client.retrieval.search({
      text: 'les saints de glace',
      mode: 'semantic',
      limit: 5,
    });
    expect(alike.results[0]?.kind).toBe('note');
  });

  it('finds a reply by its own words, though each of them also stands in a note that it was given', async () => {
    server.behave({ kind: 'reply', text: 'Vers la mi-mai, une fois passés les saints de glace [1].' });
    await ask(test.app, 'Quand planter les tomates ?');
    const said = async () =>
      (await test.app.client.retrieval.search({ text: 'mi-mai', mode: 'text', kinds: ['turn'] })).results;
    expect(await said()).toHaveLength(1);
    // Terms that an earlier version wrote are written again at the next start.
    const { db } = test.app.services;
    db.run("UPDATE turns SET body_terms = 'plant', term_count = 1, text_hash = 'old'");
    rebuildFullText(db, 'turn');
    expect(await said()).toHaveLength(0);
    db.run("UPDATE text_versions SET version = 1 WHERE what = 'turn'");
    await test.reopen();
    expect(await said()).toHaveLength(1);
  });

  it('answers messages that come at once after one another together, with one retrieval', async () => {
    server.behave({ kind: 'slow', text: 'Les deux.', afterMs: 150 });
    const { turn: before } = await ask(test.app, 'Bonjour.');
    const { conversationId } = before;
    const runs = ['Quand planter les tomates ?', 'Et qui entretient la chaudière ?'].map((text) =>
      test.app.client.chat.runTurn({ conversationId, text }),
    );
    const [first, second] = await Promise.all(runs.map(async (run) => lastReply(await run)));
    expect(second?.turn).toEqual(first?.turn);
    expect(first?.turn.messages.map(({ content }) => content)).toHaveLength(2);
    expect(first?.reply).toMatchObject({ state: 'complete', content: 'Les deux.' });
    expect(last().messages.at(-1)?.content).toMatch(/tomates[\s\S]*chaudière/);
    expect(carrying(last(), 'saints de glace')).toHaveLength(1);
    expect(carrying(last(), 'Martin')).toHaveLength(1);
    const { traces } = await test.app.client.traces.list({});
    expect(traces.filter(({ turnId }) => turnId === first?.turn.id)).toHaveLength(1);
  });

  it('answers what comes while a reply is written afterwards, together', async () => {
    server.behave({ kind: 'hang', text: 'Je réfléchis' });
    const begun = await test.app.client.chat.runTurn({ text: 'Quand planter les tomates ?' });
    const turn = await until(async () => {
      const event = (await begun.next()).value as TurnEvent;
      return event.type === 'text' ? (await test.app.client.chat.list({}))[0] : null;
    });
    server.behave({ kind: 'reply', text: 'Voilà.' });
    const later = ['Qui entretient la chaudière ?', 'Et quand ?'].map((text) =>
      test.app.client.chat.runTurn({ conversationId: turn.id, text }),
    );
    const streams = await Promise.all(later);
    const { turns } = await test.app.client.chat.get({ id: turn.id });
    expect(turns.map(({ messages }) => messages.length)).toEqual([1, 2]);
    await test.app.client.chat.stop({ turnId: turns[0]?.id as never });
    const [one, other] = await Promise.all(streams.map(lastReply));
    expect(other?.turn.id).toBe(one?.turn.id);
    expect(one?.reply).toMatchObject({ state: 'complete', content: 'Voilà.' });
    const [stopped] = (await test.app.client.chat.get({ id: turn.id })).turns;
    expect(stopped?.replies[0]).toMatchObject({ state: 'stopped' });
  });

  it('logs what was considered and why, without what it says', async () => {
    await ask(test.app, 'Quand planter les tomates ?');
    expect(
      test.app.services.db.get(
        'SELECT user_message_preview AS q, obsidian_notes_injected AS n FROM memory_retrievals',
      ),
    ).toMatchObject({ q: 'Quand planter les tomates ?', n: 1 });
    const items = test.app.services.db.all<{ verdict: string; reason: string }>(
      'SELECT verdict, reason FROM memory_retrieval_items ORDER BY ordinal',
    );
    expect(items[0]).toMatchObject({
      verdict: 'injected',
      reason: expect.stringMatching(/^\{"code":"relevant","figures":\{"score":0\.\d+\}\}$/) as string,
    });
  });

  it('asks the server for its context, and shortens what does not fit', async () => {
    await server.close();
    server = await startOpenAiServer({ contextTokens: 700 });
    await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl });
    await ask(test.app, `Bonjour ${'mot '.repeat(3_000)}`);
    const sent = last()
      .messages.map(({ content }) => content)
      .join('');
    expect(sent.length / 3.5).toBeLessThan(700);
    expect(last().messages.at(-1)?.content).toMatch(/ \[…\]$/);
  });
});

describe('a server that cuts the prompt silently', () => {
  it('is found out by its own count, which the reply tells', async () => {
    await server.close();
    server = await startOpenAiServer({ cutsAbove: 1_024 });
    await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl });
    const short = await ask(test.app, 'Bonjour');
    expect(short.reply.promptCut).toBeNull();
    const long = await ask(test.app, `Bonjour ${'mot '.repeat(3_000)}`);
    expect(long.reply.promptCut?.reported).toBe(514);
    expect(long.reply.promptCut?.sent).toBeGreaterThan(3_000);
  });
});

describe('a model server that fails', () => {
  const failing = async (text = 'Bonjour') => (await ask(test.app, text)).reply;

  it.each([
    [{ kind: 'status', status: 500 }, 'MODEL_FAILED', ''],
    [{ kind: 'garbage' }, 'MODEL_GARBAGE', ''],
    [{ kind: 'cut', text: 'Un début de' }, 'MODEL_CUT', 'Un début de'],
    [{ kind: 'no-end', text: 'Un début de' }, 'MODEL_CUT', 'Un début de'],
  ] as const)('with %j is told as %s, the partial reply kept', async (behaviour, code, content) => {
    server.behave(behaviour);
    expect(await failing()).toMatchObject({ state: 'failed', content, error: { code } });
  });

  it('with an unknown model, or by not being there, is told apart', async () => {
    await test.app.client.app.changeSettings({ 'chat.model': 'nobody' });
    expect(await failing()).toMatchObject({ state: 'failed', error: { code: 'MODEL_UNKNOWN' } });
    await server.close();
    expect(await failing()).toMatchObject({ state: 'failed', error: { code: 'MODEL_REFUSED' } });
  });

  it('by hanging is stopped by the user, the partial reply kept and the connection closed', async () => {
    server.behave({ kind: 'hang', text: 'Je commence' });
    let content = '';
    let conversationId: ConversationId | undefined;
    for await (const event of await test.app.client.chat.runTurn({ text: 'Bonjour' })) {
      if (event.type === 'accepted') conversationId = event.conversationId;
      if (event.type === 'text') {
        content += event.delta;
        const { turns } = await test.app.client.chat.get({ id: conversationId as ConversationId });
        if (content === 'Je commence') await test.app.client.chat.stop({ turnId: turns[0]?.id as string });
      }
      if (event.type === 'done')
        expect(event.turn.replies[0]).toMatchObject({ state: 'stopped', content: 'Je commence' });
    }
    await until(() => server.left() === 1);
  });

  it('keeps the user’s message in every case', async () => {
    server.behave({ kind: 'status', status: 503 });
    const { turn } = await ask(test.app, 'Une question à garder');
    const { turns } = await test.app.client.chat.get({ id: turn.conversationId });
    expect(turns[0]?.messages[0]?.content).toBe('Une question à garder');
    server.behave({ kind: 'reply', text: 'Voilà.' });
    const again = await lastReply(await test.app.client.chat.regenerate({ turnId: turn.id }));
    expect(again.reply).toMatchObject({ state: 'complete', content: 'Voilà.', version: 2 });
  });
});

describe('thoughts of a model', () => {
  it.each(['tags', 'field', 'lone-closing-tag'] as const)(
    'in %s are no part of the reply, and are never sent again',
    async (as) => {
      server.behave({ kind: 'think', thoughts: 'Voyons le potager.', text: 'À la mi-mai.', as });
      const { turn, reply } = await ask(test.app, 'Quand planter les tomates ?');
      expect(reply).toMatchObject({ state: 'complete', content: 'À la mi-mai.', promptCut: null });
      expect(reply.reasoning.trim()).toBe('Voyons le potager.');
      await ask(test.app, 'Merci.', turn.conversationId);
      expect(JSON.stringify(last().messages)).not.toContain('potager');
      expect(last().messages.some(({ content }) => content === 'À la mi-mai.')).toBe(true);
    },
  );
});

describe('a reply whose thoughts have no beginning', () => {
  it('is told apart as soon as they end', async () => {
    server.behave({
      kind: 'think',
      thoughts: 'Voyons le potager.',
      text: 'À la mi-mai.',
      as: 'lone-closing-tag',
    });
    const shown = { text: '', reasoning: '' };
    for await (const event of await test.app.client.chat.runTurn({ text: 'Quand planter les tomates ?' })) {
      if (event.type === 'text' || event.type === 'reasoning') shown[event.type] += event.delta;
      if (event.type === 'text-was-reasoning')
        Object.assign(shown, { text: '', reasoning: shown.reasoning + shown.text });
      if (event.type === 'done') expect(event.turn.replies[0]).toMatchObject({ content: shown.text });
    }
    expect([shown.reasoning.trim(), shown.text.trim()]).toEqual(['Voyons le potager.', 'À la mi-mai.']);
  });
});

describe('a model that is not on this computer', () => {
  it('is told by its address', async () => {
    const locate = async (baseUrl: string, model = 'small') =>
      (await test.app.client.models.locate({ baseUrl, model })).remoteHost;
    expect(await locate(server.baseUrl)).toBeNull();
    expect(await locate('http://127.0.0.1:9/v1')).toBeNull();
    expect(await locate('http://127.0.0.1:9/v1', 'kimi-k2.5:cloud')).toBe('ollama.com');
    expect(await locate('https://api.example.com/v1/')).toBe('api.example.com');
    expect(['http://127.0.0.1:1/v1', 'http://localhost:1/v1', 'http://[::1]:1/v1'].map(isLoopback)).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      [
        'http://192.168.1.2/v1',
        'https://api.example.com/v1',
        'http://127.0.0.1.example.com/v1',
        'nonsense',
      ].map(isLoopback),
    ).toEqual([false, false, false, false]);
  });

  it.each(['gpt-oss:120b-cloud', 'copy'])(
    'though its server is, is given neither notes nor memory: %s',
    async (name) => {
      await server.close();
      server = await startOpenAiServer({
        ollama: [{ name, remote_host: 'https://ollama.com:443', remote_model: 'gpt-oss:120b' }],
      });
      await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': name });
      expect(await test.app.client.models.locate({ baseUrl: server.baseUrl, model: name })).toEqual({
        remoteHost: 'ollama.com',
      });
      await ask(test.app, 'Quand planter les tomates ?');
      expect(shape(last())).toEqual(['system', 'user']);
    },
  );
});
