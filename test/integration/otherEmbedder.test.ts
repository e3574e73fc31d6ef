import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';
import { writeTinyModel } from '../support/tinyModel.ts';

const NOTES = {
  'Jardin.md': '# Jardin\n\nLes tomates du jardin se plantent à la mi-mai.',
  'Chaudière.md': '# Chaudière\n\nLa chaudière est entretenue chaque année en octobre.',
  'Vélo.md': '# Vélo\n\nLe pneu du vélo se change quand il est lisse.',
};

let test: TestApp;
let folder: string;
let model: string;
beforeEach(async () => {
  folder = temporaryFolder();
  model = join(folder, 'tiny-model');
  writeTinyModel(model);
  test = createTestApp(NOTES);
  await indexVault(test.app, test.vault);
  await test.app.services.vectors.settled();
});
afterEach(async () => {
  await test.dispose();
  removeFolder(folder);
});

it('makes a retrieval again with an embedder that has no index, and leaves the index as it is', async () => {
  const { client, services } = test.app;
  const { turn } = await ask(test.app, 'Quand plante-t-on les tomates ?');
  const trace = await client.traces.ofTurn({ turnId: turn.id });
  const id = trace?.id ?? '';
  const own = await client.traces.replay({ id });
  const same = await client.traces.replay({ id, embedder: 'built-in' });
  expect(same.after).toEqual(own.after);
  expect(same.rows).toEqual(own.rows);

  const other = await client.traces.replay({ id, embedder: model });
  const served = services.vectors.serving()?.fingerprint;
  expect(other.before.embedder).toBe(served);
  expect(other.after.embedder).toMatch(/^[0-9a-f]{16}$/);
  expect(other.after.embedder).not.toBe(served);
  const garden = other.rows.find(({ path }) => path === 'Jardin.md');
  expect(garden?.before?.score).toBeGreaterThan(0);
  expect(garden?.after?.score).not.toBe(garden?.before?.score);
  expect(services.vectors.serving()?.fingerprint).toBe(served);
  expect(services.settings.read().embedder).toBe('built-in');
  expect(services.retrievals.latest(10)).toHaveLength(1);
});

it('tells which embedders are on this computer, and refuses one that is not', async () => {
  const { client, services } = test.app;
  expect(await client.traces.embedders()).toEqual([{ setting: 'built-in', isHere: true }]);
  services.settings.change({ embedder: model });
  expect(await client.traces.embedders()).toContainEqual({ setting: model, isHere: true });
  removeFolder(folder);
  expect(await client.traces.embedders()).toContainEqual({ setting: model, isHere: false });
  const { turn } = await ask(test.app, 'Quand plante-t-on les tomates ?');
  const trace = await client.traces.ofTurn({ turnId: turn.id });
  const replay = client.traces.replay({ id: trace?.id ?? '', embedder: model });
  await expect(replay).rejects.toMatchObject({ code: 'EMBEDDER_UNUSABLE' });
});

it('measures another embedder, and other settings, on the marks', async () => {
  const { client } = test.app;
  expect(await client.traces.marked()).toEqual({ questions: 0 });
  const { turn, reply } = await ask(test.app, 'Quand plante-t-on les tomates ?');
  const { kind = 'note', id = '' } = reply.citations[0] ?? {};
  await client.traces.mark({ turnId: turn.id, kind, itemId: id, mark: 'useful' });
  expect(await client.traces.marked()).toEqual({ questions: 1 });
  const other = await client.traces.selfTest({ embedder: model });
  expect(other.after?.mrr).toBe(1);
  const strict = await client.traces.selfTest({ minScore: 1 });
  expect(strict).toMatchObject({ before: { recall: 1 }, after: { recall: 0 }, worse: 1 });
  const small = await client.traces.selfTest({ tokenBudget: 200, dedupThreshold: 0.5, maxInjected: 1 });
  expect(small.after).not.toBeNull();
});
