import { mkdirSync, symlinkSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderPath, knownFolderPath } from '../../src/core/vaults/folderPath.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import { bytesLeft } from '../support/bytesLeft.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { ask, createTestApp, indexVault, lastReply, type TestApp } from '../support/testApp.ts';

let test: TestApp;
let outside: string;

const NOTES = {
  'Atlas/Livraison.md':
    '# Livraison\n\nLa livraison du lot deux est prévue le 3 mars, avec la recette du portail.\n',
  'Boréal/Livraison.md':
    '# Livraison\n\nLa livraison du lot deux est prévue le 9 juin, avec la recette du portail.\n',
  'Recettes/Crêpes.md': '# Crêpes\n\nDeux œufs, de la farine, du lait et une pincée de sel.\n',
};

beforeEach(async () => {
  test = createTestApp(NOTES);
  outside = temporaryFolder();
  await indexVault(test.app, test.vault);
});
afterEach(async () => {
  await test.dispose();
  removeFolder(outside);
});

const inVault = (name: string) => join(test.vault, name);

/** A conversation tied to folders, as the list shows it. */
async function begin(text: string, folders: string[]) {
  const { turn } = await lastReply(await test.app.client.chat.runTurn({ text, folders }));
  const rows = await test.app.client.chat.list({});
  const row = rows.find(({ id }) => id === turn.conversationId);
  if (!row) throw new Error('the conversation is not listed');
  return { row, turn };
}

const listed = async (folder: string): Promise<string[]> =>
  (await test.app.client.chat.list({ folder })).map(({ id }) => id);

it('a folder has one path, however it is written', async () => {
  const folder = join(outside, 'Projet', 'Étude'.normalize('NFD'));
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(outside, 'Projet'), join(outside, 'lien'));
  const path = await folderPath(folder);

  expect(path).toBe(path.normalize('NFC'));
  for (const other of [
    join(outside, 'Projet', 'Étude'.normalize('NFC')),
    `${folder}${sep}`,
    `${join(outside, 'Projet')}${sep}.${sep}..${sep}Projet${sep}Étude`,
    join(outside, 'lien', 'Étude'),
    relative(process.cwd(), folder),
  ])
    expect(await folderPath(other), other).toBe(path);
});

it('case tells two folders apart where the disk does', async () => {
  mkdirSync(join(outside, 'Atlas'));
  mkdirSync(join(outside, 'atlas'), { recursive: true });
  const [upper, lower] = [await folderPath(join(outside, 'Atlas')), await folderPath(join(outside, 'atlas'))];
  // On a disk that ignores case the second one is the first.
  const isOne = upper === lower;
  expect(await folderPath(join(outside, 'ATLAS')).catch((error: { code: string }) => error.code)).toBe(
    isOne ? upper : 'VAULT_NOT_FOUND',
  );
});

it('a folder that is gone is still told by the path that it had', async () => {
  const folder = join(outside, 'Projet');
  mkdirSync(folder);
  const path = await folderPath(folder);
  removeFolder(folder);

  expect(await knownFolderPath(folder)).toBe(path);
  await expect(folderPath(folder)).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
});

it('conversations are listed by each of their folders, and by no other', async () => {
  const { row: both } = await begin('Où en est-on ?', [inVault('Atlas'), outside]);
  const { row: one } = await begin('Et Boréal ?', [inVault('Boréal')]);
  const { row: none } = await begin('Bonjour.', []);

  expect(both.folders).toHaveLength(2);
  expect(await listed(inVault('Atlas'))).toEqual([both.id]);
  expect(await listed(`${outside}${sep}..${sep}${outside.split(sep).at(-1)}`)).toEqual([both.id]);
  expect(await listed(inVault('Boréal'.normalize('NFD')))).toEqual([one.id]);
  expect(await listed(test.vault)).toEqual([]);
  expect(none.folders).toEqual([]);
  expect(await test.app.client.chat.folders()).toEqual(
    [...both.folders, ...one.folders].sort().map((folder) => ({ folder, conversations: 1 })),
  );
});

it('folders are set and removed; one that is gone by now can stay', async () => {
  const project = join(outside, 'Projet');
  mkdirSync(project);
  const { row } = await begin('Bonjour.', [project]);
  removeFolder(project);
  const change = (folders: string[]) => test.app.client.chat.change({ id: row.id, folders });

  const changed = await change([...row.folders, inVault('Atlas')]);
  expect(changed.folders).toEqual([...row.folders, await folderPath(inVault('Atlas'))]);
  await expect(change([join(outside, 'nowhere')])).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' });
  expect((await change([])).folders).toEqual([]);
});

it('each turn keeps the folders of its time, and its characters', async () => {
  const { row, turn } = await begin('Première question ?', [inVault('Atlas')]);
  await test.app.client.chat.change({ id: row.id, folders: [] });
  const { turn: second } = await ask(test.app, 'Deuxième question, plus longue ?', row.id);

  const { turns } = await test.app.client.chat.get({ id: row.id });
  expect(turns.map(({ folders }) => folders.length)).toEqual([1, 0]);
  // The reply of Passages is citations: it has no text of its own.
  expect(turns.map(({ characters }) => characters)).toEqual([19, 32]);
  expect(test.app.services.summaries.historySize(row.id)).toBe(19 + 32);
  expect([turn.id, second.id]).toEqual(turns.map(({ id }) => id));
});

it('the list shows the last message of the branch that is shown', async () => {
  const { row } = await begin('Première question ?', []);
  await ask(test.app, 'Deuxième question ?', row.id);
  const last = async () => (await test.app.client.chat.list({}))[0]?.lastMessage;

  expect(await last()).toMatchObject({ role: 'user', text: 'Deuxième question ?' });
  const { turns } = await test.app.client.chat.get({ id: row.id });
  await lastReply(await test.app.client.chat.edit({ turnId: turns[1]?.id ?? '', text: 'Autre question ?' }));
  expect(await last()).toMatchObject({ text: 'Autre question ?' });
});

it('of two notes that answer alike, the one in the folder of the conversation comes first, and the trace says why', async () => {
  const question = 'Quand est prévue la livraison du lot deux ?';
  const firstPath = async (folders: string[]) => {
    const { turn } = await begin('Bonjour.', folders);
    const { candidates } = await test.app.client.retrieval.preview({
      text: question,
      conversationId: turn.conversationId,
      noDeadline: true,
    });
    return candidates.filter(({ kind }) => kind === 'note')[0];
  };

  expect(await firstPath([inVault('Atlas')])).toMatchObject({
    path: 'Atlas/Livraison.md',
    reason: { code: 'in-folder', figures: { folder: await folderPath(inVault('Atlas')) } },
  });
  expect(await firstPath([inVault('Boréal')])).toMatchObject({ path: 'Boréal/Livraison.md' });
  expect((await firstPath([outside]))?.reason.code).toBe('relevant');
});

it('where a note lies makes it no more relevant', async () => {
  const { turn } = await begin('Bonjour.', [inVault('Recettes')]);
  const scores = async (conversationId?: ConversationId) => {
    const { candidates } = await test.app.client.retrieval.preview({
      text: 'Quand est prévue la livraison du lot deux ?',
      ...(conversationId ? { conversationId } : {}),
      noDeadline: true,
    });
    return Object.fromEntries(candidates.map(({ path, score }) => [path, score]));
  };
  expect(await scores(turn.conversationId)).toMatchObject(await scores());
});

it('a folder that is in no vault lends its path alone: nothing in it is read', async () => {
  writeNotes(outside, {
    'Livraison.md': '# Livraison\n\nLa livraison du zurnalithe est prévue à Vraxembourg.\n',
  });
  const { turn } = await begin('Bonjour.', [outside]);
  const { candidates } = await test.app.client.retrieval.preview({
    text: 'Où est prévue la livraison du zurnalithe ?',
    conversationId: turn.conversationId,
    noDeadline: true,
    limit: 100,
    minScore: 0,
  });
  expect(candidates.length).toBeGreaterThan(0);
  expect(JSON.stringify(candidates)).not.toContain('Vraxembourg');
  await test.app.services.vectors.settled();
  expect(bytesLeft(test.dataDir, 'Vraxembourg')).toEqual([]);
});

it('folders come through an export and its import, and go with their conversation', async () => {
  const { row } = await begin('Bonjour.', [inVault('Atlas')]);
  const portions = [];
  for await (const portion of await test.app.client.data.export()) portions.push(portion);
  await test.app.client.chat.remove({ id: row.id });
  expect(await test.app.client.chat.folders()).toEqual([]);

  const other = createTestApp();
  try {
    for (const portion of portions) await other.app.client.data.import(portion);
    const [imported] = await other.app.client.chat.list({});
    expect(imported?.folders).toEqual(row.folders);
    const { turns } = await other.app.client.chat.get({ id: row.id });
    expect(turns[0]).toMatchObject({ folders: row.folders, characters: 8 });
  } finally {
    await other.dispose();
  }
});
