import { afterEach, describe, expect, it } from 'vitest';
import { exportPortions } from '../../src/core/lifecycle/portable/exportPortions.ts';
import type { ItemMark } from '../../src/shared/contract/traces.ts';
import type { TurnId } from '../../src/shared/ids.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

const NOTES = {
  'Potager.md': '# Potager\n\nLes tomates se plantent à la mi-mai, après les saints de glace.',
  'Recettes.md': '# Recettes\n\nLa tarte aux tomates se fait avec de la moutarde.',
  'Voyage.md': '# Voyage\n\nLe train pour Lyon part à huit heures de la gare.',
};
const QUESTION = 'Quand planter les tomates ?';
const SIMILAR = 'À quel moment planter des tomates ?';
const OTHER = 'Quelle tarte faire avec des tomates et de la moutarde ?';

/** A turn that asks the question, with the vault indexed. */
async function asked() {
  test = createTestApp(NOTES);
  await indexVault(test.app, test.vault);
  await test.app.services.vectors.settled();
  return (await ask(test.app, QUESTION)).turn;
}

const find = async (text: string, path: string) => {
  const { candidates } = await test.app.client.retrieval.preview({ text, noDeadline: true });
  const found = candidates.find((one) => one.path === path);
  if (!found) throw new Error(`${path} is no candidate of « ${text} »`);
  return found;
};

async function mark(turnId: TurnId, path: string, value: ItemMark | null) {
  const { id: itemId } = await find(QUESTION, path);
  return test.app.client.traces.mark({ turnId, kind: 'note', itemId, mark: value });
}

describe('an item that is marked as wrong', () => {
  it('is given no more to the same question, says why, and is given again once the mark is taken back', async () => {
    const { id } = await asked();
    const before = await find(QUESTION, 'Potager.md');
    expect(before.verdict).toBe('injected');
    expect(await mark(id, 'Potager.md', 'wrong')).toEqual({ before: null });
    expect(await find(QUESTION, 'Potager.md')).toMatchObject({
      verdict: 'below-minimum',
      score: expect.closeTo(before.score / 2, 3) as number,
      reason: {
        code: 'marked-wrong',
        figures: { was: Number(before.score.toFixed(2)), alike: 1, minimum: 0.5 },
      },
      lowered: { was: before.score, similarity: 1 },
    });
    expect(await mark(id, 'Potager.md', null)).toEqual({ before: 'wrong' });
    expect(await find(QUESTION, 'Potager.md')).toEqual(before);
  });

  it('counts less for a similar question, the less the less similar it is, and not for another one', async () => {
    const { id } = await asked();
    const [similar, other] = [await find(SIMILAR, 'Potager.md'), await find(OTHER, 'Recettes.md')];
    await mark(id, 'Potager.md', 'wrong');
    await mark(id, 'Recettes.md', 'wrong');
    const lowered = await find(SIMILAR, 'Potager.md');
    expect(lowered.score).toBeLessThan(similar.score);
    expect(lowered.score).toBeGreaterThanOrEqual(similar.score / 2);
    expect(lowered.reason.figures).toMatchObject({
      was: Number(similar.score.toFixed(2)),
      alike: expect.any(Number) as number,
    });
    expect(await find(OTHER, 'Recettes.md')).toEqual(other);
  });

  it('counts in full for a question about another person, a day or a number', async () => {
    test = createTestApp({ 'Gens.md': '# Gens\n\nDavid habite à Toulouse, Anna habite à Lyon.' });
    await indexVault(test.app, test.vault);
    await test.app.services.vectors.settled();
    const { turn } = await ask(test.app, 'Où habite Anna ?');
    const before = await find('Où habite David ?', 'Gens.md');
    const { id: itemId } = before;
    await test.app.client.traces.mark({ turnId: turn.id, kind: 'note', itemId, mark: 'wrong' });
    expect((await find('Où habite Anna ?', 'Gens.md')).lowered?.similarity).toBe(1);
    expect(await find('Où habite David ?', 'Gens.md')).toEqual(before);
  });

  it('is useful all the same to a question that it was marked as useful for', async () => {
    const { id } = await asked();
    await mark(id, 'Potager.md', 'wrong');
    const { turn } = await ask(test.app, SIMILAR);
    const { id: itemId } = await find(SIMILAR, 'Potager.md');
    await test.app.client.traces.mark({ turnId: turn.id, kind: 'note', itemId, mark: 'useful' });
    expect((await find(SIMILAR, 'Potager.md')).lowered).toBeUndefined();
    expect((await find(QUESTION, 'Potager.md')).lowered?.similarity).toBe(1);
  });

  it('has the same score in a search, and none of it in a chat without memory', async () => {
    const { id } = await asked();
    await mark(id, 'Potager.md', 'wrong');
    const { client, services } = test.app;
    const { results } = await client.retrieval.search({ text: QUESTION });
    const [given, found] = [
      await find(QUESTION, 'Potager.md'),
      results.find(({ path }) => path === 'Potager.md'),
    ];
    expect(found).toMatchObject({ score: given.score, lowered: given.lowered });
    expect(results.map(({ score }) => score)).toEqual(
      results.map(({ score }) => score).sort((one, other) => other - one),
    );
    const { items } = await services.search.find({ text: QUESTION, noDeadline: true, withoutMarks: true });
    expect(items.find(({ result }) => result.path === 'Potager.md')?.result.lowered).toBeUndefined();
  });

  it('is lowered without vectors too, for the very same words', async () => {
    const { id } = await asked();
    await mark(id, 'Potager.md', 'wrong');
    const { services } = test.app;
    const find = async (text: string) =>
      (await services.search.find({ text, noDeadline: true, onlyWords: true })).items.find(
        ({ result }) => result.path === 'Potager.md',
      )?.result.lowered;
    expect((await find('quand PLANTER les tomates'))?.similarity).toBe(1);
    expect(await find(SIMILAR)).toBeUndefined();
  });
});

describe('a mark', () => {
  it('shows in the trace and under the reply', async () => {
    const { id } = await asked();
    await mark(id, 'Potager.md', 'useful');
    const { client } = test.app;
    const trace = await client.traces.ofTurn({ turnId: id });
    expect(trace?.items.filter(({ mark: one }) => one !== null).map(({ path }) => path)).toEqual([
      'Potager.md',
    ]);
    const { turns } = await client.chat.turns({ ids: [id] });
    expect(turns[0]?.itemMarks).toMatchObject([{ mark: 'useful' }]);
  });

  it('is exported and imported with its turn', async () => {
    const { id, conversationId } = await asked();
    await mark(id, 'Potager.md', 'wrong');
    const portions = [...exportPortions(test.app.services.db)];
    await test.dispose();
    test = createTestApp();
    for (const portion of portions) await test.app.client.data.import(portion);
    const { turns } = await test.app.client.chat.get({ id: conversationId });
    expect(turns[0]?.itemMarks).toMatchObject([{ mark: 'wrong' }]);
  });

  it('is out of use with its conversation, back with it, and erased with it', async () => {
    const { id, conversationId } = await asked();
    await mark(id, 'Potager.md', 'wrong');
    const { client, services } = test.app;
    await client.chat.remove({ id: conversationId });
    expect((await find(QUESTION, 'Potager.md')).lowered).toBeUndefined();
    await client.chat.restore({ id: conversationId });
    expect((await find(QUESTION, 'Potager.md')).lowered?.similarity).toBe(1);
    await client.chat.remove({ id: conversationId });
    await client.data.eraseDeleted({ items: [{ what: 'conversations', id: conversationId }] });
    expect(services.db.get('SELECT count(*) AS n FROM item_marks')).toEqual({ n: 0 });
  });

  it('is refused for a turn that is not there', async () => {
    await asked();
    const call = test.app.client.traces.mark({
      turnId: 'none',
      kind: 'note',
      itemId: 'x',
      mark: 'wrong',
    });
    await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('costs a question no more where there are thousands of others', async () => {
    const { id } = await asked();
    const { services } = test.app;
    await mark(id, 'Potager.md', 'wrong');
    services.db.transaction(() => {
      for (let place = 0; place < 3_000; place += 1)
        services.itemMarks.set({ turnId: id, kind: 'note', itemId: `other-${place}` }, 'wrong', place);
    });
    const serving = services.vectors.serving();
    if (!serving) throw new Error('there are no vectors');
    const { embedder } = serving;
    const embedded: string[] = [];
    const embedQuery = embedder.embedQuery;
    embedder.embedQuery = (text, signal) => {
      embedded.push(text);
      return embedQuery(text, signal);
    };
    expect((await find(SIMILAR, 'Potager.md')).lowered).toBeDefined();
    expect(embedded).toEqual([SIMILAR, QUESTION]);
  });
});
