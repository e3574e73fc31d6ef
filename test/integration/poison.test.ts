import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Portion } from '../../src/shared/contract/data.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { ask, createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

let test: TestApp;

beforeEach(() => {
  test = createTestApp({ 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' });
});
afterEach(() => test.dispose());

const QUESTION = 'Quand planter les tomates ?';
const history = (createdAt: string | number) => ({
  conversations: [
    {
      id: 'c1',
      messages: [
        { id: '1', role: 'user' as const, content: 'Les tomates de Léa sont en serre.', createdAt },
        { id: '2' as string, role: 'assistant' as const, content: 'Bien.', createdAt: 1e12 },
      ],
    },
  ],
});

/** Everything that shows or sends a date. */
async function readEverything({ app }: TestApp): Promise<void> {
  const { client } = app;
  const { candidates, block } = await client.retrieval.preview({ text: QUESTION, noDeadline: true });
  expect(candidates.some(({ verdict }) => verdict === 'injected')).toBe(true);
  expect(block).toContain('tomates');
  await client.retrieval.search({ text: QUESTION });
  for (const { id } of await client.chat.list({})) await client.chat.get({ id });
  await client.facts.list({ all: true });
  const { notes } = await client.notes.list({});
  for (const { id } of notes) await client.notes.get({ id });
  for (const { id } of (await client.traces.list({})).traces) await client.traces.get({ id });
  await client.vaults.list();
  await client.app.stats();
}

describe('a date that no calendar holds', () => {
  it.each([9e15, -9e15, 1e300, '+275760-09-13T00:00:00.000Z', 'demain'])(
    'is refused in an imported history: %s',
    async (createdAt) => {
      await expect(test.app.client.chat.import(history(createdAt))).rejects.toMatchObject({
        code: 'IMPORT_INVALID',
      });
      expect(await test.app.client.chat.list({})).toEqual([]);
    },
  );

  it('is the nearest one of a calendar in an imported export', async () => {
    const { client } = test.app;
    await client.chat.import(history(1e12));
    await client.facts.add({ content: 'Léa plante ses tomates en mai' });
    const portions: Portion[] = [];
    for await (const portion of await client.data.export()) portions.push(portion);
    const poisoned = JSON.parse(
      JSON.stringify(portions, (key, value: unknown) =>
        key.endsWith('_at') && value !== null && key !== 'removed_at' ? 9e15 : value,
      ),
    ) as Portion[];
    await client.data.erase();
    for (const portion of poisoned) await client.data.import(portion);
    await readEverything(test);
    expect((await client.facts.list({ all: true })).facts[0]?.createdAt).toBe(
      Date.parse('9999-12-31T23:59:59.999Z'),
    );
    await ask(test.app, QUESTION);
  });

  it('does not break what reads a row that holds it', async () => {
    const { client, services } = test.app;
    await indexVault(test.app, test.vault);
    await client.chat.import(history(1e12));
    await client.facts.add({ content: 'Léa plante ses tomates en mai' });
    const server: OpenAiServer = await startOpenAiServer();
    try {
      await client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
      for (const at of ['9000000000000000', '9223372036854775807', '-9000000000000000']) {
        for (const [table, columns] of Object.entries({
          turns: ['created_at'],
          messages: ['created_at'],
          conversations: ['created_at', 'updated_at'],
          facts: ['created_at', 'updated_at'],
          notes: ['mtime_ms', 'indexed_at'],
          vaults: ['added_at'],
          memory_retrievals: ['created_at'],
        }))
          for (const column of columns) services.db.run(`UPDATE ${table} SET ${column} = ${at}`);
        await readEverything(test);
        const { reply } = await ask(test.app, QUESTION);
        expect(reply.state).toBe('complete');
      }
    } finally {
      await server.close();
    }
  });

  it('does not keep a note from being found', async () => {
    // As far as the file system goes: many end at the year 2446.
    utimesSync(join(test.vault, 'Jardin.md'), 9e12, 9e12);
    await indexVault(test.app, test.vault);
    await readEverything(test);
  });
});
