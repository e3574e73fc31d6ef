import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { writeNotes } from '../support/temporary.ts';
import { indexVault, lastReply } from '../support/testApp.ts';
import { seriousIn } from './axe.ts';
import { expect, test } from './test.ts';

const NOTES = {
  'Atlas/Livraison.md': '# Livraison\n\nLa livraison du lot deux est prévue le 3 mars.\n',
  'Boréal/Livraison.md': '# Livraison\n\nLa livraison du lot deux est prévue le 9 juin.\n',
};

/** Nothing but messages is sent to a model. */
const ALONE = { learnWithModel: 'off', summariseWithModel: false } as const;

test('folders of a conversation are added, shown and removed; the list is filtered by them, and a trace names them', async ({
  page,
  place,
}) => {
  const outside = join(place.home, 'Projets', 'Été');
  mkdirSync(outside, { recursive: true });
  await place.fill(async (app) => {
    writeNotes(place.vault, NOTES);
    await indexVault(app, place.vault);
    for (const text of ['Bonjour Atlas.', 'Bonjour tout le monde.'])
      await lastReply(await app.client.chat.runTurn({ text }));
  });
  const host = await place.start({ lang: 'fr_FR.UTF-8' });
  await page.goto(host.url);
  const list = page.getByRole('list', { name: 'Conversations' });
  const row = page.getByRole('button', { name: 'Bonjour Atlas.' });
  await expect(row).toContainText('1 échange · Bonjour Atlas.');

  await row.focus();
  await row.press('o');
  const dialog = page.getByRole('dialog', { name: 'Réglages de la conversation' });
  const path = dialog.getByLabel('Chemin d’un dossier');
  await path.fill(join(place.vault, 'Atlas'));
  await dialog.getByRole('button', { name: 'Ajouter le dossier' }).click();
  await expect(dialog.getByRole('listitem')).toContainText(['Atlas']);
  expect(await seriousIn(page)).toEqual([]);
  // What is typed and not added is meant too.
  await path.fill(outside);
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(dialog).toBeHidden();

  await page.getByRole('combobox', { name: 'Dossier', exact: true }).click();
  await page.getByRole('option', { name: 'Été (1)' }).click();
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await row.click();
  await page.locator('[data-composer]').fill('Quand est prévue la livraison du lot deux ?');
  await page.keyboard.press('Enter');
  await expect(page.locator('.citation-title').first()).toBeVisible();
  const why = page.getByRole('button', { name: 'Pourquoi cette réponse' });
  // The second turn's comes once its reply has ended.
  await expect(why).toHaveCount(2);
  await why.last().click();
  await expect(page.locator('.ledger-row').first()).toContainText(
    'dans « Atlas », un dossier de cette conversation',
  );

  await page.keyboard.press('Alt+1');
  await row.focus();
  await row.press('o');
  await dialog.getByRole('button', { name: 'Retirer Été' }).click();
  await dialog.getByRole('button', { name: 'Enregistrer' }).click();
  await expect(list).toHaveCount(0);
  await page.getByRole('button', { name: 'Effacer la recherche' }).click();
  await expect(list.getByRole('listitem')).toHaveCount(2);
});

test('a folder that is not there is refused, and nothing is changed', async ({ page, place }) => {
  await place.fill(async (app) => {
    writeNotes(place.vault, NOTES);
    await app.client.vaults.add({ path: place.vault });
    await lastReply(await app.client.chat.runTurn({ text: 'Hello.' }));
  });
  const host = await place.start();
  await page.goto(host.url);
  const row = page.getByRole('button', { name: 'Hello' });
  await row.focus();
  await row.press('o');
  const dialog = page.getByRole('dialog', { name: 'Conversation settings' });
  await dialog.getByLabel('Path of a folder').fill(join(place.home, 'Nowhere'));
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toContainText('There is no folder at');
  await expect(dialog).toBeVisible();
});

test('a channel and a conversation have a model, instructions and a scope of their own; a model that is gone is told', async ({
  page,
  place,
}) => {
  const server = await startOpenAiServer();
  try {
    await place.fill(async (app) => {
      writeNotes(place.vault, NOTES);
      await app.client.vaults.add({ path: place.vault });
      await app.client.app.changeSettings({
        'chat.baseUrl': server.baseUrl,
        'chat.model': 'small',
        ...ALONE,
      });
      await lastReply(await app.client.chat.runTurn({ text: 'Bonjour Atlas', channel: 'Travail' }));
    });
    const host = await place.start({ lang: 'fr_FR.UTF-8' });
    await page.goto(host.url);
    await page.keyboard.press('Alt+5');
    await page.getByRole('button', { name: 'Modifier Travail' }).click();
    const ofChannel = page.getByRole('dialog', { name: 'Canal : Travail' });
    await ofChannel.getByRole('combobox', { name: 'Modèle' }).click();
    await page.getByRole('option', { name: 'large' }).click();
    await ofChannel.getByLabel('Consignes').fill('Réponds en une phrase.');
    await ofChannel.getByRole('combobox', { name: 'Où chercher' }).click();
    await page.getByRole('option', { name: 'Ce canal seulement', exact: true }).click();
    expect(await seriousIn(page)).toEqual([]);
    await ofChannel.getByRole('button', { name: 'Enregistrer' }).click();
    await expect(page.getByText('large · Ce canal seulement · Réponds en une phrase.')).toBeVisible();

    await page.keyboard.press('Alt+1');
    const row = page.getByRole('button', { name: 'Bonjour Atlas' });
    await row.click();
    await expect(page.locator('.answerer')).toHaveText('large');
    await page.locator('[data-composer]').fill('Et ensuite ?');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Understood.', { exact: true })).toHaveCount(2);
    const asked = () => server.prompts.at(-1);
    expect(asked()).toMatchObject({ model: 'large' });
    expect(asked()?.messages[0]?.content).toContain('Réponds en une phrase.');

    await row.focus();
    await row.press('o');
    const own = page.getByRole('dialog', { name: 'Réglages de la conversation' });
    await own.getByRole('combobox', { name: 'Modèle' }).click();
    await page.getByRole('option', { name: 'Passages', exact: true }).click();
    await own.getByRole('button', { name: 'Enregistrer' }).click();
    await expect(page.locator('.answerer')).toHaveText('Passages');

    await page.keyboard.press('Alt+5');
    await page.getByRole('button', { name: 'Revenir à la valeur par défaut: Par canal' }).click();
    await expect(page.getByText('large · Ce canal')).toHaveCount(0);
  } finally {
    await server.close();
  }
});

test('a reply says that the wanted model is gone, and which one answered', async ({ page, place }) => {
  const server = await startOpenAiServer();
  try {
    await place.fill(async (app) => {
      writeNotes(place.vault, NOTES);
      await app.client.vaults.add({ path: place.vault });
      await app.client.app.changeSettings({
        'chat.baseUrl': server.baseUrl,
        'chat.model': 'small',
        ...ALONE,
        channelChoices: { chat: { model: 'nobody' } },
      });
    });
    const host = await place.start();
    await page.goto(host.url);
    await page.locator('[data-composer]').fill('Hello there');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Understood.', { exact: true })).toBeVisible();
    await expect(page.getByRole('note')).toHaveText(
      'The model nobody is not available; small answered instead.',
    );
  } finally {
    await server.close();
  }
});

test('that a message leaves this computer is said where its own model has it leave, before it is sent', async ({
  page,
  place,
}) => {
  const server = await startOpenAiServer();
  try {
    await place.fill(async (app) => {
      writeNotes(place.vault, NOTES);
      await app.client.vaults.add({ path: place.vault });
      await app.client.app.changeSettings({
        'chat.baseUrl': server.baseUrl,
        'chat.model': 'small',
        ...ALONE,
      });
      await lastReply(await app.client.chat.runTurn({ text: 'Bonjour Boréal' }));
      const { turn } = await lastReply(await app.client.chat.runTurn({ text: 'Bonjour Atlas' }));
      await app.client.chat.change({
        id: turn.conversationId,
        choices: { model: 'kimi-k2.5:cloud' },
        archived: true,
      });
    });
    const host = await place.start({ lang: 'fr_FR.UTF-8' });
    await page.goto(host.url);
    const sentTo = page.getByRole('button', { name: 'Envoyé à ollama.com' });
    await page.getByRole('button', { name: 'Bonjour Boréal' }).click();
    await expect(page.locator('.answerer')).toHaveText('small');
    await expect(sentTo).toHaveCount(0);
    await page.keyboard.press('Alt+5');
    await expect(page.getByText(/Vos messages et les réponses, vers ollama\.com/)).toBeVisible();

    // A conversation that no list shows is told of as well.
    await page.keyboard.press('Alt+1');
    await page.getByRole('combobox', { name: 'Canal', exact: true }).click();
    await page.getByRole('option', { name: /^Archiv/ }).click();
    await page.getByRole('button', { name: 'Bonjour Atlas' }).click();
    await expect(sentTo).toBeVisible();
    await page.getByRole('combobox', { name: 'Canal', exact: true }).click();
    await page.getByRole('option', { name: 'Tous les canaux' }).click();
    await expect(page.getByRole('button', { name: 'Bonjour Boréal' })).toBeVisible();
    await expect(sentTo).toBeVisible();
    await sentTo.hover();
    await expect(page.getByRole('tooltip')).toContainText(
      'Vos messages quittent cet ordinateur pour ollama.com',
    );
    await page.getByRole('button', { name: 'Bonjour Boréal' }).click();
    await expect(sentTo).toHaveCount(0);
  } finally {
    await server.close();
  }
});
