import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const search = async (text: string, mode: 'text' | 'hybrid' | 'semantic' = 'text') =>
  (await test.app.client.retrieval.search({ text, mode })).results;
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
