import { afterEach, describe, expect, it } from 'vitest';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import type { SettingsPatch } from '../../src/shared/settings.ts';
import { type OpenAiServer, type ReceivedPrompt, startOpenAiServer } from '../fakes/openAiServer.ts';
import { conversationAbout, madeUpNotes, madeUpReply } from '../support/madeUpVault.ts';
import { askInTurn, startsWithWhole } from '../support/recordedPrompts.ts';
import { seeded } from '../support/seeded.ts';
import { ask, createTestApp, indexVault, lastReply, type TestApp } from '../support/testApp.ts';

let test: TestApp;
let server: OpenAiServer;

/** An app on a vault, whose model is a server that records every prompt. */
async function open(notes: Readonly<Record<string, string>>, contextTokens: number): Promise<void> {
  server = await startOpenAiServer({
    contextTokens,
    ollama: [{ name: 'small' }, { name: 'far:cloud' }],
  });
  test = createTestApp(notes);
  await indexVault(test.app, test.vault);
  await test.app.services.vectors.settled();
  // A machine that is busy with other tests answers late, and late sources are left out.
  await use({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    'chat.contextTokens': contextTokens,
    timeoutMs: 5_000,
  });
}
afterEach(async () => {
  await test.dispose();
  await server.close();
});

const use = (settings: SettingsPatch) => test.app.client.app.changeSettings(settings);
const last = (): ReceivedPrompt => server.prompts.at(-1) as ReceivedPrompt;
const bytes = (prompt: ReceivedPrompt): string => prompt.messages.map(({ content }) => content).join('\n');

describe('forty turns', () => {
  it.each([
    [16_000, 0.7],
    [4_096, 0.5],
  ])(
    'at %i tokens: most prompts begin with the whole one before, and the others say why not',
    async (contextTokens, share) => {
      const notes = madeUpNotes(40);
      await open(notes, contextTokens);
      const random = seeded(3);
      server.behave({ kind: 'reply', text: () => madeUpReply(random) });
      const turns = await askInTurn(test.app, conversationAbout(notes, 40));
      const begins = server.prompts
        .slice(1)
        .map((prompt, place) => startsWithWhole(server.prompts[place] as ReceivedPrompt, prompt));
      expect(begins.filter(Boolean).length / begins.length).toBeGreaterThanOrEqual(share);
      if (contextTokens === 16_000) expect(begins.slice(0, 3)).toEqual([true, true, true]);
      for (const [place, beginsWithIt] of begins.entries()) {
        const id = turns[place + 1]?.turn.id as string;
        const trace = await test.app.client.traces.ofTurn({ turnId: id });
        expect([place, trace?.prompt?.steps.length === 0]).toEqual([place, beginsWithIt]);
        expect(trace?.prompt?.layout.map(({ role }) => role)).toEqual(
          server.prompts[place + 1]?.messages.map(({ role }) => role),
        );
      }
    },
    120_000,
  );
});

describe('a citation', () => {
  it('has a number that goes on from the block before, and may name a passage of an earlier block', async () => {
    await open(NOTES, 8_192);
    server.behave({ kind: 'reply', text: 'À la mi-mai [1].' });
    const first = await ask(test.app, 'Quand planter les tomates ?');
    server.behave({ kind: 'reply', text: 'Martin [2], et après la mi-mai [1]. Rien en [7].' });
    const { reply } = await ask(test.app, 'Qui entretient la chaudière ?', first.turn.conversationId);
    expect(bytes(last())).toMatch(/^\[2\] note, .*\n<<<.*\n« Chaudière/m);
    expect(reply.citations.map(({ ordinal, path }) => [ordinal, path])).toEqual([
      [1, 'Jardin.md'],
      [2, 'Chaudière.md'],
    ]);
  });
});

describe('another version of a reply', () => {
  it('is given the same bytes if it is given the same items', async () => {
    await open(NOTES, 8_192);
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    const before = last().messages;
    await lastReply(await test.app.client.chat.regenerate({ turnId: turn.id }));
    expect(last().messages).toEqual(before);
  });

  it('keeps a block of its own, which is sent while it is shown', async () => {
    await open(NOTES, 8_192);
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    await use({ autoRetrieve: false });
    await lastReply(await test.app.client.chat.regenerate({ turnId: turn.id }));
    await ask(test.app, 'Merci.', turn.conversationId);
    expect(bytes(last())).not.toContain('saints de glace');
    await test.app.client.chat.chooseVersion({ turnId: turn.id, version: 1 });
    const { turn: third } = await ask(test.app, 'Bonsoir.', turn.conversationId);
    expect(bytes(last())).toContain('saints de glace');
    expect(bytes(last())).not.toContain('Merci.');
    // It goes on with the prompt of the version that it follows.
    expect(test.app.services.prompts.get(third.id, 1)?.steps).toEqual([]);
  });
});

describe('an imported turn of thousands of messages', () => {
  it('leaves the prompt room for the question and its block', async () => {
    await open(NOTES, 4_096);
    const messages = Array.from({ length: 3_000 }, (_, index) => ({
      id: `m${index}`,
      role: index === 0 ? ('user' as const) : ('assistant' as const),
      content: `Message ${index} d’un long journal importé.`,
      createdAt: 1_700_000_000_000 + index,
    }));
    const id = 'conv_journal' as ConversationId;
    await test.app.client.chat.import({ conversations: [{ id, title: 'Journal', messages }] });
    await ask(test.app, 'Quand planter les tomates ?', id);
    expect(bytes(last()).length / 3.5).toBeLessThan(4_096 - 1_024);
    expect(bytes(last())).toContain('saints de glace');
    expect(last().messages.at(-1)?.content).toBe('Quand planter les tomates ?');
  });
});

describe('a model that is not on this computer', () => {
  const SECRETS = ['saints de glace', 'Martin', 'Ordizan', 'Je le sais par vos notes'];
  let conversationId: ConversationId;

  /** A conversation that was held with a model on this computer, about notes and a fact. */
  async function talkAtHome(): Promise<void> {
    await open(NOTES, 8_192);
    await test.app.client.facts.add({ content: 'David habite à Ordizan', subjects: ['David'] });
    server.behave({ kind: 'reply', text: 'Je le sais par vos notes : après les saints de glace [1].' });
    const { turn } = await ask(test.app, 'Quand planter les tomates ?');
    conversationId = turn.conversationId;
    await ask(test.app, 'Où habite David ?', conversationId);
    expect(SECRETS.filter((secret) => bytes(last()).includes(secret))).toContain('Ordizan');
    await use({ 'chat.model': 'far:cloud' });
  }
  const sent = () => SECRETS.filter((secret) => bytes(last()).includes(secret));
  /** The sources that the trace of a turn says were not sent. */
  const notAllowed = async (turnId: TurnId) => {
    const trace = await test.app.client.traces.ofTurn({ turnId });
    return trace?.skipped.filter(({ reason }) => reason.code === 'not-allowed').map(({ source }) => source);
  };

  it('gets no note, no fact, no earlier block and no reply that was made from them', async () => {
    await talkAtHome();
    const { turn } = await ask(test.app, 'Et la chaudière, qui l’entretient ?', conversationId);
    expect(sent()).toEqual([]);
    expect(await notAllowed(turn.id)).toEqual(['notes', 'memory']);
    expect(bytes(last())).toContain('Cette réponse vient de notes ou de la mémoire');
    expect(
      last()
        .messages.filter(({ role }) => role === 'user')
        .map(({ content }) => content),
    ).toEqual(['Quand planter les tomates ?', 'Où habite David ?', 'Et la chaudière, qui l’entretient ?']);
    await lastReply(await test.app.client.chat.regenerate({ turnId: turn.id }));
    expect(sent()).toEqual([]);
  });

  it('gets none either when a turn from before is answered again', async () => {
    await talkAtHome();
    const { turns } = await test.app.client.chat.get({ id: conversationId });
    await lastReply(await test.app.client.chat.regenerate({ turnId: turns[1]?.id as string }));
    expect(sent()).toEqual([]);
  });

  it('gets what the user allows: notes, memory, each by its own switch', async () => {
    await talkAtHome();
    await use({ 'chat.sendNotes': true });
    const { turn } = await ask(test.app, 'Qui entretient la chaudière ?', conversationId);
    expect(await notAllowed(turn.id)).toEqual(['memory']);
    expect(sent()).toContain('Martin');
    expect(sent()).not.toContain('Ordizan');
    await use({ 'chat.sendMemory': true });
    await ask(test.app, 'Merci, et où habite David ?', conversationId);
    expect(sent()).toContain('Ordizan');
  });
});

const NOTES = {
  'Jardin.md': '# Jardin\n\n## Tomates\n\nLes tomates se plantent à la mi-mai, après les saints de glace.',
  'Chaudière.md': '# Chaudière\n\nLa chaudière est entretenue par Martin en septembre.',
};
