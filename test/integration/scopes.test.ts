import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchTools } from '../../src/core/chat/tools/searchTools.ts';
import { Toolbox } from '../../src/core/chat/tools/toolbox.ts';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';
import { choicesInForce, type Scope } from '../../src/shared/choices.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { Dice } from '../support/seeded.ts';
import { ask, createTestApp, lastReply, type TestApp, until } from '../support/testApp.ts';

let test: TestApp;
/** Each conversation says a word in every turn, and has one in a file that is attached to it, that no other one has. */
const said: { id: ConversationId; channel: string; word: string }[] = [];
const CHANNELS = ['chat', 'Travail', 'Santé'];
const WORDS = ['zorba', 'quetsche', 'brimbale', 'farlouse'];

const TALK = (word: string) => [
  `On a décidé de repeindre la cuisine en bleu, nom de code ${word}.`,
  `Mon dentiste du projet ${word} s'appelle Martin ${word}.`,
  `La réunion ${word} du jardin est reportée à mardi.`,
];
const QUESTIONS = [
  'De quelle couleur repeindre la cuisine ?',
  'Comment s’appelle mon dentiste ?',
  'Quand est la réunion du jardin ?',
  'on a parlé de quoi avant ?',
  'nos derniers échanges',
  'résume notre semaine',
  'what did we decide about the kitchen?',
  'what do you know about me?',
  'Qui est Martin ?',
];

beforeAll(async () => {
  test = createTestApp({ 'Cuisine.md': '# Cuisine\n\nLa cuisine sera repeinte en bleu.\n' });
  const { client, services } = test.app;
  await client.app.changeSettings({ recentHours: 720, maxResults: 10, importanceFloor: 0 });
  for (const [place, word] of WORDS.entries()) {
    const channel = CHANNELS[place % CHANNELS.length] ?? 'chat';
    const [first = '', ...others] = TALK(word);
    let id: ConversationId | undefined;
    for await (const event of await client.chat.runTurn({ text: first, channel }))
      if (event.type === 'done') id = event.turn.conversationId;
    if (!id) throw new Error('nothing was stored');
    for (const text of others) await ask(test.app, text, id);
    const { id: file } = await client.attachments.read({
      name: `plan-${word}.txt`,
      data: Buffer.from(`Le plan de la cuisine, nom de code ${word}joint : un mur en bleu.`).toString(
        'base64',
      ),
    });
    await lastReply(
      await client.chat.runTurn({ text: 'Voici le plan.', conversationId: id, attachments: [file] }),
    );
    // Long enough for a summary of summaries.
    await client.chat.import({
      conversations: [
        {
          id: `long_${place}` as ConversationId,
          channel,
          title: `Histoire ${word}long`,
          messages: Array.from({ length: 24 }, (_, n) => ({
            id: `m${n}` as MessageId,
            role: n % 2 === 0 ? 'user' : 'assistant',
            content: `La cuisine ${word}long, étape ${n} : on a décidé de peindre le mur numéro ${n} en bleu. ${'Encore un mot. '.repeat(20)}`,
            createdAt: Date.now() - (24 - n) * 60_000,
          })),
        },
      ],
    });
    said.push({ id, channel, word }, { id, channel, word: `${word}joint` });
    said.push({ id: `long_${place}` as ConversationId, channel, word: `${word}long` });
  }
  await client.facts.add({ content: 'Le numéro du plombier est le 12', subjects: ['plombier'] });
  await client.facts.add({ content: 'Je m’appelle Camille', kind: 'identity' });
  test.app.watch();
  services.jobs.reschedule();
  await until(() => !services.summaries.isDue() && !services.jobs.has(SUMMARISE, ''), 60_000);
  const { n } = services.db.get<{ n: number }>(
    'SELECT count(DISTINCT conversation_id) AS n FROM summaries WHERE level > 1',
  ) ?? { n: 0 };
  if (n < WORDS.length) throw new Error('there are no summaries of summaries');
  await services.vectors.settled();
}, 120_000);
afterAll(() => test.dispose());

/** The conversations of which a text says something. */
function toldOf(text: string): Set<ConversationId> {
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  return new Set(said.flatMap(({ id, word }) => (words.has(word) ? [id] : [])));
}

/** All that a question brings up: candidates of retrieval, and what tools give. */
async function broughtUp(question: string, id: ConversationId): Promise<string> {
  const { client, services } = test.app;
  const { candidates, block } = await client.retrieval.preview({
    text: question,
    conversationId: id,
    noDeadline: true,
    limit: 100,
    minScore: 0,
  });
  const settings = services.settings.read;
  const scopeOf = (of: ConversationId | undefined) =>
    choicesInForce(settings(), (of && services.conversations.get(of)) || { channel: 'chat' }).scope;
  const { db, search, factStore, clock, log } = services;
  const toolbox = new Toolbox(
    { settings, log },
    searchTools({ db, search, factStore, settings, scopeOf, clock }),
  );
  const caller = {
    conversationId: id,
    turnId: null,
    maySee: new Set(['notes', 'memory'] as const),
    language: 'fr' as const,
    signal: new AbortController().signal,
  };
  const calls = [
    ['search_memories', { query: question }],
    ['search_text', { query: question }],
    ['get_recent_memories', { limit: 20 }],
  ] as const;
  const given = await Promise.all(
    calls.map(([name, input]) => toolbox.run(name, JSON.stringify(input), caller)),
  );
  return JSON.stringify([candidates, block, given]);
}

/** Sets a scope in one of the three places where it can be chosen, the others to what it must hold before. */
async function choose(scope: Scope, id: ConversationId, dice: Dice): Promise<void> {
  const { client } = test.app;
  const other = dice.pick(['everything', 'channel', 'conversation'] as const);
  const where = dice.pick(['settings', 'channel', 'conversation'] as const);
  const channel = said.find((one) => one.id === id)?.channel ?? 'chat';
  await client.app.changeSettings({
    scope: where === 'settings' ? scope : other,
    channelChoices: where === 'settings' ? {} : { [channel]: { scope: where === 'channel' ? scope : other } },
  });
  await client.chat.change({ id, choices: where === 'conversation' ? { scope } : {} });
}

it.each(['conversation', 'channel'] as const)(
  'nothing that was said elsewhere passes, whatever is asked: only this %s',
  async (scope) => {
    const dice = new Dice(scope.length);
    for (let round = 0; round < 24; round += 1) {
      const own = dice.pick(said);
      await choose(scope, own.id, dice);
      const word = dice.pick(said).word;
      const question = dice.chance(0.5) ? dice.pick(QUESTIONS) : `${dice.pick(QUESTIONS)} ${word}`;
      const text = await broughtUp(question, own.id);
      const allowed = said
        .filter((one) => (scope === 'channel' ? one.channel === own.channel : one.id === own.id))
        .map((one) => one.id);
      // A question is not an answer: what it names is told of by the question itself.
      expect([question, [...toldOf(text)].filter((id) => !allowed.includes(id))]).toEqual([question, []]);
      expect(text).toContain('Camille');
    }
  },
  60_000,
);

it('facts added by hand are part of every scope, and everything is found where nothing is left out', async () => {
  const dice = new Dice(7);
  for (const scope of ['conversation', 'channel'] as const) {
    const own = dice.pick(said);
    await choose(scope, own.id, dice);
    expect(await broughtUp('Quel est le numéro du plombier ?', own.id)).toContain('plombier est le 12');
  }
  const found = new Set<ConversationId>();
  for (const { id, word } of said) {
    await choose('everything', id, dice);
    const other = dice.pick(said);
    const text = await broughtUp(`Où en est ${word} ?`, other.id);
    for (const one of toldOf(text)) found.add(one);
    if (word.endsWith('joint')) expect(text).toContain(`plan-${word.replace('joint', '')}.txt`);
  }
  expect(found.size).toBe(new Set(said.map(({ id }) => id)).size);
}, 60_000);

it('in a new conversation nothing was said yet, and its channel has been', async () => {
  const { client } = test.app;
  const told = async () => {
    const { candidates } = await client.retrieval.preview({
      text: 'nos derniers échanges',
      noDeadline: true,
    });
    return [...toldOf(JSON.stringify(candidates))];
  };
  await client.app.changeSettings({ scope: 'conversation', channelChoices: {} });
  expect(await told()).toEqual([]);
  await client.app.changeSettings({ scope: 'channel' });
  const ofChannel = said.filter(({ channel }) => channel === 'chat').map(({ id }) => id);
  const some = await told();
  expect(some.length).toBeGreaterThan(0);
  expect(some.filter((id) => !ofChannel.includes(id))).toEqual([]);
});
