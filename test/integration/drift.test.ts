import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ChunkId, NoteId } from '../../src/shared/ids.ts';
import { createTestApp, indexVault, type TestApp } from '../support/testApp.ts';

const HOUSE = `# Maison

Le code du portail est 4812.

- Le toit date de **1987**
- La chaudière est une Frisquet

## Voisins

Mme Roy garde le chat.
`;

let test: TestApp;
beforeEach(async () => {
  test = createTestApp({ 'Maison.md': HOUSE, 'Autre.md': 'Rien.\n' });
  await indexVault(test.app, test.vault);
});
afterEach(() => test.dispose());

async function passageWith(text: string): Promise<{ noteId: NoteId; chunkId: ChunkId }> {
  const { client } = test.app;
  const { notes } = await client.notes.list({});
  for (const { id } of notes) {
    const passage = (await client.notes.get({ id })).passages.find(({ markdown }) => markdown.includes(text));
    if (passage) return { noteId: id, chunkId: passage.id };
  }
  throw new Error(`no passage says ${text}`);
}

const learn = async (content: string, from: string) =>
  test.app.client.facts.add({ content, anchor: await passageWith(from) });

async function write(note: string, text: string): Promise<void> {
  writeFileSync(join(test.vault, note), text);
  await indexVault(test.app, test.vault);
}

const stale = async () =>
  (await test.app.client.facts.stale({})).facts.map(({ fact, now }) => [fact.content, now?.markdown ?? null]);

const CODE = 'Le code du portail est 4812';

it('a fact whose block changes is shown beside the new text, and stays in use', async () => {
  const fact = await learn(CODE, 'portail');
  expect(fact.anchor).toMatchObject({ path: 'Maison.md', heading: ['Maison'] });
  expect(await stale()).toEqual([]);
  await write('Maison.md', HOUSE.replace('4812', '9931'));
  expect(await stale()).toEqual([[CODE, 'Le code du portail est 9931.']]);
  const { facts } = await test.app.client.facts.list({});
  expect(facts[0]).toMatchObject({ status: 'current', staleSince: expect.any(Number) });
});

it('what changes around a block, or only in its looks, makes nothing stale', async () => {
  await learn(CODE, 'portail');
  await learn('Le toit date de 1987', 'toit');
  await write(
    'Maison.md',
    `Intro.\n\n${HOUSE.replace('**1987**', '_1987_').replace('Frisquet', 'De Dietrich').replace('4812.', '4812. ^code')}`,
  );
  expect(await stale()).toEqual([]);
});

it('a fact is no longer stale once its note says again what it said', async () => {
  await learn(CODE, 'portail');
  await write('Maison.md', HOUSE.replace('4812', '9931'));
  await write('Maison.md', HOUSE);
  expect(await stale()).toEqual([]);
});

it('a renamed note keeps what was learnt from it', async () => {
  const { id } = await learn(CODE, 'portail');
  renameSync(join(test.vault, 'Maison.md'), join(test.vault, 'Chez nous.md'));
  await indexVault(test.app, test.vault);
  expect(await stale()).toEqual([]);
  const { facts } = await test.app.client.facts.history({ id });
  expect(facts[0]?.anchor?.path).toBe('Chez nous.md');
  await write('Chez nous.md', HOUSE.replace('4812', '9931'));
  expect(await stale()).toEqual([[CODE, 'Le code du portail est 9931.']]);
});

it.each([
  ['deleted', async () => rmSync(join(test.vault, 'Maison.md'))],
  [
    'excluded',
    async () => {
      const [vault] = await test.app.client.vaults.list({});
      if (vault) await test.app.client.vaults.setIgnorePatterns({ id: vault.id, patterns: ['Maison.md'] });
    },
  ],
])('a fact of a note that is %s is stale, with nothing beside it', async (_, act) => {
  await learn(CODE, 'portail');
  await act();
  await indexVault(test.app, test.vault);
  expect(await stale()).toEqual([[CODE, null]]);
});

it('a stale fact that is confirmed is compared with the new block from then on', async () => {
  const { id } = await learn(CODE, 'portail');
  await write('Maison.md', HOUSE.replace('est 4812.', 'est 4812, ou la clé.'));
  const settled = await test.app.client.facts.settleStale({ id, act: 'confirm' });
  expect(settled).toMatchObject({ content: CODE, staleSince: null, revisions: [] });
  await write('Maison.md', HOUSE.replace('est 4812.', 'est 9931, ou la clé.'));
  expect(await stale()).toEqual([[CODE, 'Le code du portail est 9931, ou la clé.']]);
});

it('a stale fact that is changed keeps its earlier wording', async () => {
  const { id } = await learn(CODE, 'portail');
  await write('Maison.md', HOUSE.replace('4812', '9931'));
  const content = 'Le code du portail est 9931';
  expect(await test.app.client.facts.settleStale({ id, act: 'change', content })).toMatchObject({
    content,
    staleSince: null,
    revisions: [{ content: CODE }],
  });
  expect(await stale()).toEqual([]);
});

it('a stale fact that is dropped can be restored, and is stale again', async () => {
  const { id } = await learn(CODE, 'portail');
  await write('Maison.md', HOUSE.replace('4812', '9931'));
  expect(await test.app.client.facts.settleStale({ id, act: 'drop' })).toMatchObject({ status: 'forgotten' });
  expect(await stale()).toEqual([]);
  await test.app.client.facts.restore({ ids: [id] });
  expect(await stale()).toHaveLength(1);
});

it('what is stale stays so after a restart, and in another folder that an export is taken to', async () => {
  await learn(CODE, 'portail');
  await write('Maison.md', HOUSE.replace('4812', '9931'));
  await test.reopen();
  expect(await stale()).toHaveLength(1);
  const other = createTestApp();
  try {
    for await (const portion of await test.app.client.data.export())
      await other.app.client.data.import(portion);
    const { facts } = await other.app.client.facts.stale({});
    expect(facts.map(({ fact }) => fact.content)).toEqual([CODE]);
  } finally {
    await other.dispose();
  }
});

it('a passage that is gone teaches nothing', async () => {
  const anchor = { ...(await passageWith('portail')), chunkId: 'chunk_00000000000000000000' as ChunkId };
  await expect(test.app.client.facts.add({ content: CODE, anchor })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
