import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/core/app.ts';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';
import type { ImportFile } from '../../src/shared/contract/chat.ts';
import type { ConversationId, SummaryId } from '../../src/shared/ids.ts';
import { HELD_OUT, HELD_OUT_OTHERS } from '../fixtures/talk/heldOut.ts';
import { TUNED, TUNED_OTHERS } from '../fixtures/talk/tuned.ts';
import { TALK_QUESTIONS, type TalkQuestion } from '../fixtures/talk/wordings.ts';
import { createTestApp, indexVault, type TestApp, until } from '../support/testApp.ts';

// Friday.
const NOW = new Date(2026, 10, 20, 10).getTime();
const NOTES = {
  'Toit du conseil.md':
    '# Toit du conseil\n\nLe conseil a décidé hier de refaire le toit de la mairie en zinc.',
  'Atlas.md': '# Atlas\n\nAtlas est un projet de cartes.',
  'Semaine.md': '# Semaine\n\nRésumé de la semaine : nos derniers échanges avec le club.',
};

/** What was said: conversation, its channel, the day and what. */
const SAID: readonly [string, string, Date, string, string][] = [
  ['slates', 'Maison', new Date(2026, 9, 5, 9), 'Pour le toit, que penser du zinc ?', 'Le zinc dure.'],
  ['roof', 'Maison', new Date(2026, 10, 10, 9), 'Alors pour le toit, on prend l’ardoise.', 'Ardoise, donc.'],
  ['roof-en', 'import', new Date(2026, 10, 11, 9), 'So for the roof we take slate.', 'Slate it is.'],
  ['atlas-old', 'Work', new Date(2026, 9, 12, 9), 'Atlas a pris du retard.', 'Noté.'],
  ['atlas', 'Work', new Date(2026, 10, 12, 9), 'La carte d’Atlas est livrée.', 'Bravo.'],
  ['monday', 'chat', new Date(2026, 10, 16, 9), 'Comment tailler un rosier ?', 'Au-dessus d’un œil.'],
  ['tuesday', 'chat', new Date(2026, 10, 17, 9), 'Quel train prendre pour Lyon ?', 'Celui de huit heures.'],
  ['tuesday', 'chat', new Date(2026, 10, 17, 18), 'Et pour rentrer ?', 'Celui de dix-neuf heures.'],
  ['yesterday', 'chat', new Date(2026, 10, 19, 9), 'Une recette de tarte aux coings ?', 'Cuire les coings.'],
];

const history: ImportFile = {
  conversations: [...Map.groupBy(SAID, ([id]) => id)].map(([id, turns]) => ({
    id: id as ConversationId,
    channel: turns[0]?.[1] ?? 'chat',
    title: id,
    messages: turns.flatMap(([, , at, question, reply], place) => [
      { id: `${id}-${place}-q` as never, role: 'user' as const, content: question, createdAt: at.getTime() },
      {
        id: `${id}-${place}-r` as never,
        role: 'assistant' as const,
        content: reply,
        createdAt: at.getTime(),
      },
    ]),
  })),
};

let test: TestApp;
beforeAll(async () => {
  test = createTestApp(NOTES, fixedClock(NOW));
  const { client } = test.app;
  await indexVault(test.app, test.vault);
  await client.chat.import(history);
  await client.facts.add({ content: 'Je m’appelle Camille.', kind: 'identity' });
  await client.facts.add({ content: 'Sa sœur s’appelle Anna.', kind: 'relation', importance: 0.9 });
  await client.facts.add({ content: 'Préfère le thé au café.', kind: 'preference', importance: 0.5 });
});
afterAll(() => test.dispose());

const given = async (text: string, conversationId?: ConversationId) => {
  const { candidates } = await test.app.client.retrieval.preview({
    text,
    noDeadline: true,
    ...(conversationId ? { conversationId } : {}),
  });
  return candidates.filter(({ verdict }) => verdict === 'injected');
};
const conversationsOf = async (text: string, conversationId?: ConversationId) =>
  (await given(text, conversationId)).flatMap(({ kind, conversationId: id }) =>
    kind === 'turn' ? [id] : [],
  );

/** Of each question: the conversations whose turns answer it, the latest first; none for one that facts answer. */
const ANSWERS: Record<TalkQuestion, readonly string[]> = {
  before: ['yesterday', 'tuesday', 'tuesday', 'monday', 'atlas', 'roof-en', 'roof', 'atlas-old', 'slates'],
  latest: ['yesterday', 'tuesday', 'tuesday', 'monday', 'atlas', 'roof-en', 'roof', 'atlas-old', 'slates'],
  week: ['yesterday', 'tuesday', 'tuesday', 'monday'],
  yesterday: ['yesterday'],
  roof: ['roof-en', 'roof', 'slates'],
  tuesday: ['tuesday', 'tuesday'],
  atlas: ['atlas', 'atlas-old'],
  me: [],
};
/** With a matter, notes about it may answer beside the turns. */
const WITH_NOTES = new Set<TalkQuestion>(['roof', 'atlas']);
const bare = (text: string) => text.normalize('NFD').replace(/\p{M}+/gu, '');

describe('a question about the talk itself is answered by what was said', () => {
  describe.each(TALK_QUESTIONS)('%s', (question) => {
    const wordings = [...TUNED[question], ...HELD_OUT[question]];
    it.each([...new Set(wordings.flatMap((text) => [text, bare(text)]))])('%s', async (text) => {
      const items = await given(text);
      const turns = items.filter(({ kind }) => kind === 'turn');
      expect(turns.map(({ conversationId }) => conversationId)).toEqual(ANSWERS[question]);
      // They stand before all else.
      expect(items.slice(0, turns.length)).toEqual(turns);
      if (!WITH_NOTES.has(question)) expect(items.filter(({ kind }) => kind === 'note')).toEqual([]);
      if (question === 'me') {
        expect(items.map(({ excerpt }) => excerpt)).toEqual([
          'Je m’appelle Camille.',
          'Sa sœur s’appelle Anna.',
          'Préfère le thé au café.',
        ]);
      }
    });
  });
});

it.each([...TUNED_OTHERS, ...HELD_OUT_OTHERS])('« %s » is no such question', async (text) => {
  const reasons = (await given(text)).map(({ reason }) => reason.code);
  expect(reasons).not.toContain('said');
  expect(reasons).not.toContain('about-user');
});

describe('what was said is looked for', () => {
  it.each([
    ['what did we decide about the roof last week?', ['roof-en', 'roof']],
    ['Qu’a-t-on dit du toit en octobre ?', ['slates']],
    ['On a parlé de quoi entre lundi et mardi ?', ['tuesday', 'tuesday', 'monday']],
    ['de quoi avons-nous parlé depuis mardi ?', ['yesterday', 'tuesday', 'tuesday']],
    ['what did we talk about on October 12?', ['atlas-old']],
    ['De quoi avons-nous parlé le 5 octobre ?', ['slates']],
    ['What did we discuss a fortnight ago?', []],
  ])('in the period that is named: %s', async (text, expected) => {
    expect(await conversationsOf(text)).toEqual(expected);
  });

  it.each([
    ['What did we talk about in the Work channel?', ['atlas', 'atlas-old']],
    ['nos derniers échanges dans le canal Maison', ['roof', 'slates']],
  ])('in the channel that is named: %s', async (text, expected) => {
    expect(await conversationsOf(text)).toEqual(expected);
  });

  it('within the scope', async () => {
    const { client } = test.app;
    const atlas = 'atlas' as ConversationId;
    await client.app.changeSettings({ scope: 'conversation' });
    expect(await conversationsOf('nos derniers échanges', atlas)).toEqual(['atlas']);
    await client.app.changeSettings({ scope: 'channel' });
    expect(await conversationsOf('nos derniers échanges', atlas)).toEqual(['atlas', 'atlas-old']);
    await client.app.changeSettings({ scope: 'everything' });
  });
});

describe('of more turns than can be given', () => {
  // A week of work on one matter, and a little of another.
  const DAY_MS = 86_400_000;
  const monday = new Date(2026, 10, 2, 8).getTime();
  const STEPS = [
    'relevé',
    'plan',
    'devis',
    'fondation',
    'dalle',
    'mur',
    'charpente',
    'toiture',
    'porte',
    'fenêtre',
  ];
  const PLACES = ['nord', 'sud', 'est', 'ouest'];
  const work = PLACES.flatMap((place, part) =>
    STEPS.map((step, at) => ({
      at: monday + part * 2 * DAY_MS + at * 3_600_000,
      text: `Pour le hangar Belledonne, on a décidé du ${step} de l’aile ${place} : prévoir ${(part * 10 + at + 3) * 7} heures.`,
    })),
  );
  let long: TestApp;
  beforeAll(async () => {
    long = createTestApp({}, fixedClock(new Date(2026, 10, 8, 22).getTime()));
    const { client, services } = long.app;
    const messages = (id: string, said: readonly { at: number; text: string }[]) =>
      said.flatMap(({ at, text }, place) => [
        { id: `${id}-${place}-q` as never, role: 'user' as const, content: text, createdAt: at },
        { id: `${id}-${place}-r` as never, role: 'assistant' as const, content: 'Noté.', createdAt: at },
      ]);
    await client.chat.import({
      conversations: [
        { id: 'work', channel: 'chat', title: 'work', messages: messages('work', work) },
        {
          id: 'other',
          channel: 'chat',
          title: 'other',
          messages: messages('other', [{ at: monday + DAY_MS, text: 'Une recette de tarte aux coings ?' }]),
        },
      ],
    });
    long.app.watch();
    services.jobs.reschedule();
    await until(() => !services.summaries.isDue() && !services.jobs.has(SUMMARISE, ''));
  });
  afterAll(() => long.dispose());

  const answersTo = async (text: string, conversationId?: ConversationId) => {
    const { candidates } = await long.app.client.retrieval.preview({
      text,
      noDeadline: true,
      ...(conversationId ? { conversationId } : {}),
    });
    const said = candidates.filter(({ verdict, reason }) => verdict === 'injected' && reason.code === 'said');
    const summaries = said.filter(({ kind }) => kind === 'summary');
    const turns = said.filter(({ kind }) => kind === 'turn');
    const told = summaries.flatMap(({ id }) => long.app.services.summaries.get(id as SummaryId)?.turns ?? []);
    return { summaries, turns, told: told.map(({ id, at }) => ({ id, at })) };
  };

  it.each([
    'De quoi avons-nous parlé depuis le 2 novembre ?',
    'what did we talk about since November 2?',
    'résume notre semaine',
    'resume notre semaine',
    'Rappelle-moi ce qu’on a dit du hangar Belledonne.',
    'catch me up on Belledonne',
    'qu’a-t-on dit du hangar Belledonne ?',
  ])('summaries answer, and no turn stands beside its summary: %s', async (text) => {
    const { summaries, turns, told } = await answersTo(text);
    expect(summaries.length).toBeGreaterThan(0);
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
    expect(turns.filter(({ id }) => told.some((turn) => turn.id === id))).toEqual([]);
  });

  it('every conversation of the period is told of', async () => {
    const { turns } = await answersTo('De quoi avons-nous parlé depuis le 2 novembre ?');
    expect(turns.map(({ conversationId }) => conversationId)).toContain('other');
  });

  it('nothing of another time is told', async () => {
    const { summaries, turns, told } = await answersTo('De quoi avons-nous parlé depuis le 6 novembre ?');
    expect(summaries.length + turns.length).toBeGreaterThan(0);
    expect(told.filter(({ at }) => at < new Date(2026, 10, 6).getTime())).toEqual([]);
  });

  it('the conversation that asks is told of by its own summaries', async () => {
    const { summaries } = await answersTo('catch me up on Belledonne', 'work' as ConversationId);
    expect(summaries).toEqual([]);
  });
});
