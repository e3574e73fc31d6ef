import { afterEach, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/core/app.ts';
import { NoteNames } from '../../src/core/search/lexical/names.ts';
import type { ImportFile } from '../../src/shared/contract/chat.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import type { Settings } from '../../src/shared/settings.ts';
import { writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, lastReply, type TestApp } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const NOW = new Date(2026, 10, 18, 10).getTime();
const NOTES = {
  'Projets/Plan Atlas.md':
    '---\naliases: [PA]\n---\n# Plan Atlas\n\nLa livraison est prévue au printemps.\n\nVoir [[Équipe]].',
  'Équipe.md': '# Équipe\n\nMickael dirige, Nadia teste.',
  'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.',
  'Consignes.md': '---\ntags: [souvenir/contexte]\n---\n# Consignes\n\nRépondre brièvement.',
  'Mickael.md': '---\naliases: [dev]\n---\n# Mickael\n\nIl travaille le lundi à Lyon.',
};

async function withNotes(settings: Partial<Settings> = {}): Promise<void> {
  test = createTestApp(NOTES, fixedClock(NOW));
  await indexVault(test.app, test.vault);
  if (Object.keys(settings).length > 0) await test.app.client.app.changeSettings(settings);
}

const candidates = async (text: string, conversationId?: ConversationId) =>
  (
    await test.app.client.retrieval.preview({
      text,
      noDeadline: true,
      ...(conversationId === undefined ? {} : { conversationId }),
    })
  ).candidates;
const find = async (text: string, path: string) =>
  (await candidates(text)).find((candidate) => candidate.path === path);

const history = (days: readonly [string, number, string][]): ImportFile => ({
  conversations: days.map(([id, daysAgo, content]) => ({
    id: id as never,
    channel: id.startsWith('w') ? 'Work' : 'import',
    title: id,
    messages: [
      { id: `${id}-m` as never, role: 'user' as const, content, createdAt: NOW - daysAgo * 86_400_000 },
    ],
  })),
});

describe('notes', () => {
  it('that the message names are given whatever it says of them', async () => {
    await withNotes();
    for (const text of ['Relis [[Plan Atlas]] stp', 'Où en est le plan atlas ?', 'Où en est PA ?']) {
      expect([text, await find(text, 'Projets/Plan Atlas.md')]).toMatchObject([
        text,
        { verdict: 'injected' },
      ]);
    }
    expect((await find('Relis [[Plan Atlas]] stp', 'Projets/Plan Atlas.md'))?.reason.code).toBe('named');
    // Its neighbour by link is a candidate, and has to earn its place.
    expect(await find('Relis [[Plan Atlas]] stp', 'Équipe.md')).toBeDefined();
    // A common word is no name.
    expect((await find('Il fait beau au jardin public', 'Jardin.md'))?.reason.code).not.toBe('named');
  });

  it('that may be given have the sentences that answer as an excerpt, the others their beginning', async () => {
    await withNotes();
    const question = { text: 'Quand planter les tomates ?', noDeadline: true };
    const marked = async (minScore: number) =>
      Map.groupBy(
        (await test.app.client.retrieval.preview({ ...question, minScore })).candidates,
        ({ score }) => score >= minScore,
      );
    const [answer] = (await marked(0.5)).get(true) ?? [];
    expect(answer).toMatchObject({ path: 'Jardin.md', marks: [{}, {}] });
    for (const { marks, excerpt } of (await marked(1)).get(false) ?? []) {
      expect(marks).toEqual([]);
      expect(excerpt).not.toBe('');
    }
    const [first] = (await marked(0)).get(true) ?? [];
    expect(first).toMatchObject({ path: 'Jardin.md', marks: [{}, {}] });
  });

  it('that are pinned or carry the tag are given to every message', async () => {
    await withNotes({ pinnedNotes: ['Jardin.md'] });
    expect(await find('Quelle heure est-il ?', 'Jardin.md')).toMatchObject({ verdict: 'injected' });
    for (const text of ['Quelle heure est-il ?', 'What time is it?', 'Merci !']) {
      expect([text, await find(text, 'Consignes.md')]).toMatchObject([
        text,
        { verdict: 'injected', reason: { code: 'tagged' } },
      ]);
    }
    await test.app.client.app.changeSettings({ noteContext: false });
    expect(await find('Quelle heure est-il ?', 'Jardin.md')).toBeUndefined();
    expect(await find('Quelle heure est-il ?', 'Consignes.md')).toBeUndefined();
  });

  it('that carry the tag or one below it are known, however it is written, until they lose it', async () => {
    const tagged = (tag: string) => `---\ntags: [${tag}]\n---\n# Consigne\n\nRépondre brièvement.`;
    test = createTestApp(
      {
        'exact.md': tagged('souvenir/contexte'),
        'below.md': tagged('souvenir/contexte/travail'),
        'capitals.md': tagged('Souvenir/Contexte'),
        'longer.md': tagged('souvenir/contexte2'),
        'above.md': tagged('souvenir'),
        'accents.md': tagged('ÉTÉ'),
      },
      fixedClock(NOW),
    );
    await indexVault(test.app, test.vault);
    const withTag = async () =>
      (await test.app.client.notes.context({})).tagged.map(({ path }) => path).sort();
    expect(await withTag()).toEqual(['below.md', 'capitals.md', 'exact.md']);
    writeNotes(test.vault, { 'exact.md': tagged('autre'), 'above.md': tagged('souvenir/contexte') });
    await indexVault(test.app, test.vault);
    expect(await withTag()).toEqual(['above.md', 'below.md', 'capitals.md']);
    await test.app.client.app.changeSettings({ contextTag: '#été' });
    expect(await withTag()).toEqual(['accents.md']);
    await test.app.client.app.changeSettings({ contextTag: 'souvenir/%' });
    expect(await withTag()).toEqual([]);
  });

  it('that carry a tag or have a path are found by seeks, and no list of tags is parsed for it', async () => {
    await withNotes();
    const { db } = test.app.services;
    const plans: string[] = [];
    const explain = (sql: string, ...params: never[]) =>
      plans.push(
        ...db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params).map(({ detail }) => detail),
      );
    const names = new NoteNames({
      ...db,
      all: (sql, ...params) => {
        explain(sql, ...(params as never[]));
        return db.all(sql, ...params);
      },
    });
    expect(names.tagged('souvenir/contexte', 10)).toHaveLength(1);
    expect(plans.length).toBeGreaterThan(0);
    expect(plans.filter((detail) => /SCAN|json_each|VIRTUAL/.test(detail))).toEqual([]);
    plans.length = 0;
    const [vault] = await test.app.client.vaults.list();
    const [byPath] = names.atPaths(['Jardin.md']);
    expect(byPath).toBeDefined();
    expect(names.atPaths([`${vault?.name ?? ''}/Jardin.md`, 'Jardin.md'])).toEqual([byPath]);
    expect(names.atPaths(['Autre/Jardin.md'])).toEqual([]);
    expect(plans.filter((detail) => /SEARCH n /.test(detail))).not.toEqual([]);
    expect(plans.filter((detail) => /SCAN n\b/.test(detail))).toEqual([]);
  });

  it('are found by another name of what is asked', async () => {
    await withNotes();
    expect((await candidates('Quand travaille dev ?'))[0]).toMatchObject({
      path: 'Mickael.md',
      verdict: 'injected',
    });
  });
});

describe('conversations', () => {
  const DAYS: [string, number, string][] = [
    ['old', 40, 'Le budget du voyage est fixé à mille euros.'],
    ['week', 8, 'Le budget du voyage passe à deux mille euros.'],
    ['yesterday', 1, 'On a choisi la couleur du salon.'],
  ];

  it('of the time that the question names come first', async () => {
    await withNotes();
    await test.app.client.chat.import(history(DAYS));
    const [first] = await candidates('Quel budget de voyage la semaine dernière ?');
    expect(first).toMatchObject({ conversationId: 'week' });
    const [older] = await candidates('Quel budget de voyage en octobre ?');
    expect(older).toMatchObject({ conversationId: 'old' });
  });

  it('are told by recency when the question is about the talk itself', async () => {
    await withNotes();
    await test.app.client.chat.import(history(DAYS));
    const recent = await candidates('On a parlé de quoi ?');
    expect(recent.filter(({ kind }) => kind === 'turn').map(({ conversationId }) => conversationId)).toEqual([
      'yesterday',
      'week',
      'old',
    ]);
    const [yesterday] = await candidates('What did we talk about yesterday?');
    expect(yesterday).toMatchObject({ conversationId: 'yesterday', verdict: 'injected' });
  });

  it('are searched within the scope', async () => {
    await withNotes();
    await test.app.client.chat.import(
      history([
        ['w1', 3, 'Le budget du voyage est fixé.'],
        ['w2', 2, 'Le budget du voyage change.'],
        ['p1', 1, 'Le budget du voyage est payé.'],
      ]),
    );
    const found = async () =>
      new Set(
        (await candidates('Quel budget pour le voyage ?', 'w1' as ConversationId))
          .filter(({ kind }) => kind === 'turn')
          .map(({ conversationId }) => conversationId),
      );
    expect(await found()).toEqual(new Set(['w1', 'w2', 'p1']));
    await test.app.client.app.changeSettings({ scope: 'channel' });
    expect(await found()).toEqual(new Set(['w1', 'w2']));
    await test.app.client.app.changeSettings({ scope: 'conversation' });
    expect(await found()).toEqual(new Set(['w1']));
  });
});

describe('facts', () => {
  /** Asks in a conversation of `channel`, and gives its id. */
  const say = async (text: string, channel = 'chat') => {
    const events = await test.app.client.chat.runTurn({ text, channel });
    return (await lastReply(events)).turn.conversationId;
  };

  it('learnt elsewhere stay out of a scope; those of no conversation stay in it', async () => {
    test = createTestApp({}, fixedClock(NOW));
    const { client } = test.app;
    const here = await say('Souviens-toi que le portail de la grange a pour code 4812.', 'Home');
    await say('Souviens-toi que le portail du garage a pour code 7730.', 'Home');
    await say('Souviens-toi que le portail du bureau a pour code 1199.', 'Work');
    await say('Souviens-toi que le portail de l’école a pour code 5501.', 'Work');
    await say('Je m’appelle Nadia.', 'Work');
    await client.facts.add({ content: 'Le portail du jardin a pour code 2468', importance: 1 });
    const { facts: learnt } = await client.facts.list({ query: 'école' });
    await client.facts.edit({ id: learnt[0]?.id as string, pinned: true });
    const found = async (conversationId?: ConversationId) =>
      (await candidates('Quel est le code du portail ?', conversationId))
        .filter(({ kind }) => kind === 'fact')
        .map(({ excerpt }) => /grange|garage|bureau|école|jardin|Nadia/.exec(excerpt)?.[0])
        .sort((one = '', other = '') => (one < other ? -1 : 1));
    const everywhere = ['Nadia', 'bureau', 'garage', 'grange', 'jardin', 'école'];
    expect(await found(here)).toEqual(everywhere);
    await client.app.changeSettings({ scope: 'channel' });
    expect(await found(here)).toEqual(['Nadia', 'garage', 'grange', 'jardin', 'école']);
    await client.app.changeSettings({ scope: 'conversation' });
    expect(await found(here)).toEqual(['Nadia', 'grange', 'jardin', 'école']);
    // A question that is asked in no conversation begins one, in which nothing was said yet.
    expect(await found()).toEqual(['Nadia', 'jardin', 'école']);
  });

  it('of the scope are considered however many there are elsewhere', async () => {
    test = createTestApp({}, fixedClock(NOW));
    const { client } = test.app;
    await client.app.changeSettings({ maxInjected: 2, scope: 'conversation' });
    const here = await say('Souviens-toi que le chat mange à sept heures.');
    for (const day of ['lundi', 'mardi', 'jeudi']) await say(`Souviens-toi que je cours le ${day}.`);
    const facts = (await candidates('Quelle heure est-il ?', here)).filter(({ kind }) => kind === 'fact');
    expect(facts.map(({ excerpt }) => excerpt)).toEqual(['Le chat mange à sept heures']);
  });
});

describe('what says the same', () => {
  it('is given once, and what differs in a particular is kept apart', async () => {
    await withNotes();
    const { facts } = test.app.client;
    await facts.add({ content: 'Nadia a acheté une nouvelle voiture' });
    await facts.add({ content: 'Nadia s’est acheté une nouvelle voiture' });
    await facts.add({ content: 'Le code du garage est 4812' });
    await facts.add({ content: 'Le code du garage est 7730' });
    await test.app.services.vectors.settled();
    const verdicts = async (text: string) =>
      (await candidates(text))
        .filter(({ kind }) => kind === 'fact')
        .map(({ excerpt, verdict }) => [excerpt.slice(-4), verdict]);
    const cars = (await candidates('Nadia a-t-elle acheté une voiture ?')).filter(({ excerpt }) =>
      /voiture/.test(excerpt),
    );
    expect(cars.map(({ verdict }) => verdict)).toEqual(['injected', 'similar']);
    expect(cars[1]?.reason).toMatchObject({
      code: 'like-selected',
      figures: { item: expect.stringMatching(/^fact_/) as string },
    });
    expect(await verdicts('Quel est le code du garage ?')).toEqual(
      expect.arrayContaining([
        ['4812', 'injected'],
        ['7730', 'injected'],
      ]),
    );
  });
});

describe('people', () => {
  const teach = async (...texts: string[]) => {
    await withNotes();
    for (const text of texts) await ask(test.app, text);
  };
  const given = async (text: string) =>
    (await candidates(text)).flatMap(({ verdict, excerpt }) => (verdict === 'injected' ? [excerpt] : []));

  it.each([
    [
      ['Souviens-toi que mon frère David habite à Ordizan', 'En fait David a déménagé à Toulouse'],
      'Où vit mon frère ?',
      'Toulouse',
    ],
    [
      ['Remember that my boss is called Priya', 'Remember that Priya cannot stand loud rooms'],
      'What is it that my boss can’t stand?',
      'loud rooms',
    ],
    [
      ['Mon médecin s’appelle Delmas', 'Souviens-toi que Delmas ne consulte pas le jeudi'],
      'Is my doctor there on jeudi?',
      'jeudi',
    ],
  ])('are found by what they are to the user: %j', async (texts, question, says) => {
    await teach(...texts);
    expect(await given(question)).toContainEqual(expect.stringContaining(says));
  });

  it('of one relation are all found, and those of somebody else are not', async () => {
    await teach(
      'Souviens-toi que ma sœur Lise joue du violon',
      'Souviens-toi que ma sœur Anne joue du tuba',
      'Souviens-toi que Lise prend des cours le mardi',
      'Souviens-toi que Anne prend des cours le lundi',
    );
    expect(await given('Quand ma sœur prend-elle des cours ?')).toEqual(
      expect.arrayContaining([expect.stringContaining('mardi'), expect.stringContaining('lundi')]),
    );
    const { names } = test.app.services;
    expect(
      names
        .kin(['ma soeur'])
        .map(({ other }) => other)
        .sort(),
    ).toEqual(['anne', 'lise']);
    expect(names.kin(['la soeur', 'sa soeur', 'soeur de paul'])).toEqual([]);
  });
});
