import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/core/search/engine.ts';
import { createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

let test: TestApp;

beforeAll(async () => {
  test = createTestApp({
    'Jardin.md': '# Jardin\n\nLes courgettes se récoltent en été, avant les orages.',
    'Grange.md': '# Grange\n\nLa vieille grange du voisin a brûlé. Martin l’a vue.',
    'Voisin.md': '# Voisin\n\nLe voisin est vieille connaissance, sa ferme a une grange.',
    'Boat.md': '# Boat\n\nThe rudder of the sailboat was repaired by Martin at the old harbour.',
    'Harbour.md': '# Harbour\n\nThe harbour is old, and the boats are older.',
    'Chèvre.md': '# Chèvre\n\nLa chèvre est dans le pré.',
  });
  await indexVault(test.app, test.vault);
  await test.app.client.facts.add({ content: 'Le vétérinaire s’appelle Quentin Lacombe' });
  await test.app.services.vectors.settled();
  await test.app.services.search.whenLoaded();
});
afterAll(() => test.dispose());

type Mode = 'text' | 'hybrid' | 'semantic';
const search = async (text: string, mode: Mode = 'text') =>
  (await test.app.client.retrieval.search({ text, mode })).results;
const typed = async (text: string, mode: Mode = 'text') =>
  (await test.app.client.retrieval.search({ text, mode, typing: true })).results;
const preview = (text: string) => test.app.client.retrieval.preview({ text, noDeadline: true });

describe('a word that nothing holds', () => {
  it.each([
    ['Quand récolter les corgettes ?', 'Jardin.md', 'corgettes', 'courgettes'],
    ['Quand récolter les COURGTETES', 'Jardin.md', 'courgtetes', 'courgettes'],
    ['Who repaired the ruddder?', 'Boat.md', 'ruddder', 'rudder'],
    ['The salboat repair', 'Boat.md', 'salboat', 'sailboat'],
  ])('is found by what is spelled nearly as it: %s', async (text, path, word, as) => {
    const { candidates } = await preview(text);
    expect(candidates[0]).toMatchObject({
      path,
      verdict: 'injected',
      respelled: { word, as },
      reason: { code: 'relevant', figures: { word, as } },
    });
    const [first] = await search(text);
    expect(first).toMatchObject({ path, respelled: { word, as } });
    const { excerpt = '', marks = [] } = first ?? {};
    expect(marks.map(({ start, end }) => excerpt.slice(start, end))).toContain(as);
  });

  it('is a name as well, with or without its accents', async () => {
    for (const text of ['Qui est Quantin ?', 'Qui est Lacombbe ?', 'le vétérinnaire']) {
      expect([text, (await search(text))[0]]).toMatchObject([text, { kind: 'fact' }]);
    }
  });

  it('is not replaced if it is too short, holds a digit, differs in more, or is in quotation marks', async () => {
    for (const text of ['prz', 'grange3', 'corgetet', '"courgetes"', '« ruddder »']) {
      expect([text, (await search(text)).filter(({ respelled }) => respelled)]).toEqual([text, []]);
    }
  });

  it('is not replaced by the short name of somebody else', async () => {
    const { candidates } = await preview('Qu’a donc vu Marvin ?');
    expect(candidates.filter(({ verdict }) => verdict === 'injected')).toEqual([]);
    expect((await search('Qu’a donc vu Marvin ?')).filter(({ respelled }) => respelled)).toEqual([]);
  });

  it('is not looked for by another spelling where it is held, nor where it is a word of its own', async () => {
    // "Chevre" is in a row with its accent.
    expect((await search('chevre')).every(({ respelled }) => respelled === undefined)).toBe(true);
    // "Orange" is a word, though "grange" is near.
    const { candidates } = await preview('Où est l’orange ?');
    expect(candidates.every(({ respelled }) => respelled === undefined)).toBe(true);
  });
});

describe('a phrase in quotation marks', () => {
  it.each([
    ['"vieille grange"', 'Grange.md'],
    ['« vieille grange »', 'Grange.md'],
    ['“VIEILLE GRANGE”', 'Grange.md'],
    ['Qui a vu la « vieille grange » ?', 'Grange.md'],
    ['"old harbour"', 'Boat.md'],
  ])('is searched for as it stands: %s', async (text, path) => {
    for (const mode of ['text', 'hybrid', 'semantic'] as const) {
      expect((await search(text, mode)).map((result) => result.path)).toEqual([path]);
    }
    const { candidates, skipped } = await preview(text);
    expect(candidates.filter(({ verdict }) => verdict === 'injected').map((one) => one.path)).toEqual([path]);
    expect(skipped).toEqual([]);
  });

  it('finds what holds each of several phrases', async () => {
    expect(await search('"old harbour" "sailboat was repaired"')).toMatchObject([{ path: 'Boat.md' }]);
    expect(await search('"old harbour" "vieille grange"')).toEqual([]);
  });

  it('that nothing holds is told of, and the rest of the question is answered', async () => {
    expect(await search('"grange vieille"')).toEqual([]);
    const { candidates, skipped } = await preview('Où est la chèvre du « grange vieille » ?');
    expect(skipped).toEqual([
      { source: 'phrase', reason: { code: 'phrase-not-found', figures: { phrase: 'grange vieille' } } },
    ]);
    expect(candidates[0]).toMatchObject({ path: 'Chèvre.md', verdict: 'injected' });
    const barn = candidates.filter(({ path }) => path === 'Grange.md' || path === 'Voisin.md');
    expect(barn.every(({ verdict }) => verdict === 'below-minimum')).toBe(true);
  });
});

describe('a word that is still being typed', () => {
  const marked = ({
    excerpt,
    marks,
  }: {
    excerpt: string;
    marks: readonly { start: number; end: number }[];
  }) => marks.map(({ start, end }) => excerpt.slice(start, end));

  it.each([
    ['réc', 'Jardin.md', 'récoltent'],
    ['Courg', 'Jardin.md', 'courgettes'],
    ['Qu’est-ce que la conna', 'Voisin.md', 'connaissance'],
    ['the sailb', 'Boat.md', 'sailboat'],
    ['who rep', 'Boat.md', 'repaired'],
  ])('finds what it begins, and marks it: %s', async (text, path, word) => {
    for (const mode of ['text', 'hybrid'] as const) {
      const [first] = await typed(text, mode);
      expect(first).toMatchObject({ path });
      expect(first && marked(first)).toContain(word);
      expect(first?.respelled).toBeUndefined();
    }
    for (const finished of [`${text} `, `${text}.`]) {
      expect((await typed(finished)).flatMap(marked)).not.toContain(word);
    }
    expect((await search(text)).flatMap(marked)).not.toContain(word);
  });

  it('finds the same while its terms are read', async () => {
    const slow = openEngine(test.app.services.db, () => null);
    const ask = (text: string) =>
      slow.search({ text, mode: 'text', filter: {}, limit: 5, now: Date.now(), query: null, typing: true });
    expect(ask('réc')[0]).toMatchObject({ path: 'Jardin.md' });
    expect(ask('the sailb')[0]).toMatchObject({ path: 'Boat.md' });
    expect(ask('conna ')).toEqual([]);
  });

  it('is found above every word that it begins, however often and wherever that stands', async () => {
    const notes: Record<string, string> = {
      'Page.md': `# Page\n\nIci se trouve un art. ${'Encore une phrase. '.repeat(30)}`,
    };
    for (let number = 0; number < 8; number += 1) {
      notes[`Article ${number}.md`] =
        `# Article ${number}\n\n${'Un article sur les articles et les artistes. '.repeat(1 + number)}`;
    }
    const other = createTestApp(notes);
    try {
      await indexVault(other.app, other.vault);
      await other.app.services.vectors.settled();
      await other.app.services.search.whenLoaded();
      const { results } = await other.app.client.retrieval.search({
        text: 'art',
        mode: 'text',
        typing: true,
      });
      expect(results).toHaveLength(9);
      expect(results[0]).toMatchObject({ path: 'Page.md' });
      const hybrid = await other.app.client.retrieval.search({ text: 'art', mode: 'hybrid', typing: true });
      expect(hybrid.results[0]).toMatchObject({ path: 'Page.md' });
    } finally {
      await other.dispose();
    }
  });
});
