import { afterEach, expect, it } from 'vitest';
import { splitSentences } from '../../src/core/support/text/sentences.ts';
import type { LayoutEntry } from '../../src/shared/contract/prompt.ts';
import type { ConversationId, SummaryId, TurnId } from '../../src/shared/ids.ts';
import type { SettingsPatch } from '../../src/shared/settings.ts';
import { readDialogues } from '../eval/facts/dialogues.ts';
import {
  countPromptTokens,
  type OpenAiServer,
  type ReceivedPrompt,
  startOpenAiServer,
} from '../fakes/openAiServer.ts';
import { Dice } from '../support/seeded.ts';
import { createTestApp, lastReply, type TestApp, until } from '../support/testApp.ts';

const TURNS = 300;
/** Longer than a sitting: what one message plays or tells is over before the next. */
const PAUSE_MS = 61 * 60_000;
const FIRST = Date.UTC(2026, 0, 12, 8);
const CONTEXT_TOKENS = 4_096;
/** Of the context, what the reply may take. */
const REPLY_TOKENS = 1_024;

/** What is said once in an early turn, the question for it in the last one, and what an answer needs. Few of them are learnt by a rule. */
const FACTS = [
  {
    said: 'Pour la chaudière, c’était la vanne du circulateur qui était grippée : le plombier l’a changée dimanche.',
    asked: 'Qu’est-ce qui n’allait pas avec la chaudière ?',
    tells: 'vanne du circulateur',
  },
  {
    said: 'By the way, I’m allergic to penicillin, so no doctor may give me any.',
    asked: 'Which medicine am I allergic to?',
    tells: 'penicillin',
  },
  {
    said: 'Le vernissage de Salomé tombe le 9 octobre à la galerie des Cordeliers.',
    asked: 'Quand a lieu le vernissage de Salomé ?',
    tells: '9 octobre',
  },
  {
    said: 'Henrik told me over lunch that the old mill had been sold to a cheese maker from Gouda.',
    asked: 'Who bought the old mill?',
    tells: 'cheese maker from Gouda',
  },
  {
    said: 'Le code de la porte du cabinet dentaire est 47B12, à taper deux fois.',
    asked: 'C’est quoi le code de la porte du cabinet dentaire ?',
    tells: '47B12',
  },
  {
    said: 'We finally settled on a terrace four and a half metres wide, with larch boards.',
    asked: 'How wide will the terrace be?',
    tells: 'four and a half metres',
  },
  {
    said: 'Ma sœur Margaux élève des chèvres angora près de Saint-Girons.',
    asked: 'Que fait ma sœur Margaux ?',
    tells: 'chèvres angora',
  },
  {
    said: 'The kitchen tiles that we picked in the end are called Sea Holly.',
    asked: 'What are the kitchen tiles called?',
    tells: 'Sea Holly',
  },
  {
    said: 'J’ai rangé l’acte de vente de la grange dans le tiroir du bas du secrétaire.',
    asked: 'Où ai-je rangé l’acte de vente de la grange ?',
    tells: 'tiroir du bas',
  },
  {
    said: 'The marathon training plan starts with thirty kilometres a week, on Dr Okafor’s advice.',
    asked: 'How many kilometres a week does the marathon training plan start with?',
    tells: 'thirty kilometres',
  },
] as const;
/** The turn in which the first is said; the next ones follow, each two turns later. */
const FIRST_SAID = 4;

let test: TestApp;
let server: OpenAiServer;
afterEach(async () => {
  await test.dispose();
  await server.close();
});

const asksForSummary = ({ messages }: ReceivedPrompt) => (messages[0]?.content ?? '').includes('"findings"');
const asksForMemories = ({ messages }: ReceivedPrompt) => (messages[0]?.content ?? '').includes('"memories"');

/** A model that sums up each part by its first sentence, and remembers nothing of its own accord. */
function answer(prompt: ReceivedPrompt, reply: () => string): string {
  if (asksForMemories(prompt)) return JSON.stringify({ memories: [] });
  if (!asksForSummary(prompt)) return reply();
  const parts = [...(prompt.messages[1]?.content ?? '').matchAll(/<<<(\S+)\n([\s\S]*?)\n\1>>>/g)];
  const summary = parts.map(([, , text = '']) => {
    const [first] = splitSentences(text);
    return first ? text.slice(first.start, first.end).trim() : '';
  });
  return JSON.stringify({ summary: summary.join(' '), findings: [], topics: [] });
}

/** What people really wrote to an assistant, in both languages: of the sets, those that do not grow. */
const smallTalk = readDialogues('tune')
  .filter(({ id }) => /^(?:t-)?(?:en|fr)-nothing-\d+$/.test(id))
  .flatMap(({ turns }) => turns.map(({ user }) => user));

/** Checks a prompt against what it promises, by its layout and by the summaries in use when it was sent. */
function checkPrompt(layout: readonly LayoutEntry[], number: number): void {
  const { summaries } = test.app.services;
  const told = layout
    .filter(({ kind }) => kind === 'summaries')
    .flatMap(({ items }) => items)
    .map(({ id }) => summaries.get(id as SummaryId));
  const numbersTold = told.flatMap((one) => one?.turns.map((turn) => turn.number) ?? [Number.NaN]);
  const sent = layout.flatMap(({ kind, turn }) => (kind === 'message' && turn !== null ? [turn] : []));
  expect(told.length).toBeLessThanOrEqual(10);
  // Each turn once, the summaries first, in the order in which they were said.
  expect([...numbersTold, ...new Set(sent)]).toEqual(Array.from({ length: number }, (_, at) => at + 1));
  expect(sent).toEqual(sent.toSorted((one, other) => one - other));
}

it.each<[string, SettingsPatch]>([
  ['rules alone', { learnWithModel: 'off', summariseWithModel: false }],
  ['a model that sums up', { learnWithModel: 'after', summariseWithModel: true }],
])(
  'three hundred turns stay within the budget of every prompt, and what was said once early on is at hand in the last one: %s',
  {
    timeout: 240_000,
  },
  async (_, settings) => {
    const dice = new Dice(5);
    const say = (from: number, to: number) => dice.some(smallTalk, dice.between(from, to)).join(' ');
    let now = FIRST;
    server = await startOpenAiServer({ contextTokens: CONTEXT_TOKENS });
    server.behave({ kind: 'reply', text: (prompt) => answer(prompt, () => say(1, 9)) });
    test = createTestApp({}, { now: () => now });
    const { client, services } = test.app;
    await client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small', ...settings });
    test.app.watch();

    const planted = new Map(FACTS.map(({ said }, at) => [FIRST_SAID + 2 * at, said]));
    let conversationId: ConversationId | undefined;
    let last: TurnId | undefined;
    for (let number = 1; number <= TURNS; number += 1) {
      const fact = planted.get(number);
      const text = fact ?? dice.pick(smallTalk);
      const { turn } = await lastReply(
        await client.chat.runTurn({ text, ...(conversationId ? { conversationId } : {}) }),
      );
      conversationId = turn.conversationId;
      last = turn.id;
      const { prompt } = (await client.traces.ofTurn({ turnId: turn.id })) ?? {};
      checkPrompt(prompt?.layout ?? [], number);
      now += PAUSE_MS;
      await services.jobs.settled();
      await until(() => !services.summaries.isDue());
    }
    const replies = server.prompts.filter((prompt) => !asksForSummary(prompt) && !asksForMemories(prompt));
    expect(replies).toHaveLength(TURNS);
    expect(Math.max(...replies.map(countPromptTokens))).toBeLessThanOrEqual(CONTEXT_TOKENS - REPLY_TOKENS);

    await services.vectors.settled();
    const missing: string[] = [];
    for (const { asked, tells } of FACTS) {
      await lastReply(await client.chat.edit({ turnId: last as TurnId, text: asked }));
      const prompt = server.prompts.findLast((one) => one.messages.at(-1)?.content.includes(asked));
      if (!prompt?.messages.some(({ content }) => content.includes(tells))) missing.push(asked);
    }
    expect(missing).toEqual([]);
  },
);
