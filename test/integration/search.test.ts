import { afterEach, describe, expect, it } from 'vitest';
import type { FactId } from '../../src/shared/ids.ts';
import { createTestApp, type TestApp } from '../support/testApp.ts';

let test: TestApp;
afterEach(() => test.dispose());

function addFacts(count: number): void {
  const { db, factStore } = test.app.services;
  db.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      factStore.insert({
        id: `fact_${index}` as FactId,
        content: `Le dossier ${index} est rangé dans l’armoire ${index % 40}`,
        kind: 'fact',
        key: null,
        subjects: [],
        importance: 0.5,
        source: 'manual',
        channel: null,
        turnId: null,
        expiresAt: null,
        createdAt: 1_700_000_000_000 + index,
      });
    }
  });
}

describe('a search', () => {
  it('finds a word as soon as it is committed, although it was asked for in vain just before', async () => {
    test = createTestApp();
    addFacts(1_200);
    const { client } = test.app;
    const search = async () =>
      (await client.retrieval.search({ text: 'chrysalide', mode: 'text' })).results.map(
        ({ excerpt }) => excerpt,
      );
    expect(await search()).toEqual([]);
    await client.facts.add({ content: 'La chrysalide est dans la serre' });
    expect(await search()).toEqual(['La chrysalide est dans la serre']);
  });
});
