import { afterEach, expect, it } from 'vitest';
import type { ItemMark } from '../../src/shared/contract/traces.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const NOTES = {
  'Potager.md': '# Potager\n\nLes tomates se plantent à la mi-mai, après les saints de glace.',
  'Voyage.md': '# Voyage\n\nLe train pour Lyon part à huit heures de la gare.',
  'Recettes.md': '# Recettes\n\nLa tarte aux tomates se fait avec de la moutarde.',
};

async function asked(text: string, marks: Readonly<Record<string, ItemMark>>): Promise<void> {
  const { client } = test.app;
  const { turn } = await ask(test.app, text);
  const trace = await client.traces.ofTurn({ turnId: turn.id });
  for (const { kind, itemId, path } of trace?.items ?? []) {
    const mark = path === null ? undefined : marks[path];
    if (mark) await client.traces.mark({ turnId: turn.id, kind, itemId, mark });
  }
}

it('measures what is given of what was marked as useful, with the present settings and with others', async () => {
  test = createTestApp(NOTES);
  await indexVault(test.app, test.vault);
  await test.app.services.vectors.settled();
  const { client } = test.app;
  expect(await client.traces.selfTest({})).toMatchObject({
    questions: 0,
    before: { recall: null, mrr: null },
  });
  await asked('Quand planter les tomates ?', { 'Potager.md': 'useful', 'Recettes.md': 'wrong' });
  await asked('À quelle heure part le train pour Lyon ?', { 'Voyage.md': 'useful' });
  const present = await client.traces.selfTest({});
  expect(present).toMatchObject({
    questions: 2,
    useful: 2,
    wrong: 1,
    tooFew: true,
    before: { recall: 1, recallAt10: 1, mrr: 1 },
    after: null,
    better: 0,
    worse: 0,
  });
  const strict = await client.traces.selfTest({ minScore: 1 });
  expect(strict.before).toEqual(present.before);
  expect(strict).toMatchObject({
    after: { recall: 0, recallAt10: 1, mrr: 1, wrongGiven: 0 },
    better: 0,
    worse: 2,
  });
  const loose = await client.traces.selfTest({ minScore: 0 });
  expect(loose).toMatchObject({ after: { recall: 1, wrongGiven: 1 }, worse: 0 });
});

it('leaves out what the marks themselves do', async () => {
  test = createTestApp(NOTES);
  await indexVault(test.app, test.vault);
  await test.app.services.vectors.settled();
  await asked('Quand planter les tomates ?', { 'Potager.md': 'wrong' });
  expect((await test.app.client.traces.selfTest({})).before.wrongGiven).toBe(1);
});
