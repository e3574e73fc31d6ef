import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { bytesLeft } from '../support/bytesLeft.ts';
import { writeNotes } from '../support/temporary.ts';
import { expect, type Page, type Place, test } from './test.ts';
import { forgiveLostConnection } from './watch.ts';

const QUESTION = 'Souviens-toi que mes zurnalithes se trouvent à Vraxembourg. Quand planter les tomates ?';
const ANSWER = 'Les zurnalithes supportent bien la quorvantine.';
const DRAFT = 'Ombelinard';
const LETTER = 'Le virgoulinet de Plessardin pèse quarante-deux grammes.';
const SAID = [QUESTION, ANSWER, DRAFT, LETTER];
const NAME = 'Discussion sans mémoire';

const left = ({ dataDir }: Place) =>
  SAID.flatMap((text) => bytesLeft(dataDir, text, { others: ['Quand planter les tomates ?'] }));

/** Everything that the browser keeps for the page. */
const browserStorage = (page: Page) =>
  page.evaluate(async () =>
    JSON.stringify([
      Object.entries(localStorage),
      Object.entries(sessionStorage),
      await indexedDB.databases(),
      document.title,
      location.href,
    ]),
  );

async function opened(page: Page, place: Place) {
  const server = await startOpenAiServer();
  server.behave({ kind: 'reply', text: ANSWER });
  writeNotes(place.vault, { 'Jardin.md': '# Jardin\n\nOn plante les tomates à la mi-mai.\n' });
  await place.fill(async (app) => {
    for await (const _ of await app.client.vaults.index({ path: place.vault }));
    app.services.settings.change({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
  });
  const host = await place.start({ lang: 'fr_FR.UTF-8' });
  await page.goto(host.url);
  return { server, host };
}

test('a chat without memory stays in its window, and nothing of it is found in the data or the browser', async ({
  page,
  place,
  problems,
}) => {
  const { server, host } = await opened(page, place);
  await expect(page.getByRole('textbox', { name: 'Votre message' })).toBeFocused();
  await page.keyboard.press('Alt+Shift+N');
  const chat = page.getByRole('region', { name: NAME });
  const composer = chat.getByRole('textbox', { name: 'Votre message' });
  await expect(composer).toBeFocused();
  await expect(composer).toHaveAttribute('autocomplete', 'off');
  await expect(chat.locator('.composer-box')).toHaveCSS('border-style', 'dashed');
  await expect(chat).toContainText('rien n’est enregistré ni appris');
  await page.keyboard.type(QUESTION);
  await page.keyboard.press('Enter');
  await expect(chat.locator('.reply')).toContainText(ANSWER);
  expect(server.prompts.at(-1)?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  for (const name of ['Pourquoi cette réponse', 'Enregistrer dans le coffre', 'Modifier le message'])
    await expect(chat.getByRole('button', { name })).toHaveCount(0);

  // Notes are read from when they are ticked on; the answer is given again.
  await chat.getByRole('checkbox', { name: 'Lire mes notes' }).check();
  await chat.getByRole('button', { name: 'Répondre à nouveau' }).click();
  await expect(chat.getByText('Réponse 2 sur 2')).toBeVisible();
  expect(
    server.prompts
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join('\n'),
  ).toContain('mi-mai');
  await chat.getByRole('button', { name: 'Réponse précédente' }).click();
  await expect(chat.getByText('Réponse 1 sur 2')).toBeVisible();

  // A file goes with a message, and is as little kept as the message is.
  await chat.locator('input[type=file]').setInputFiles({
    name: 'lettre.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(LETTER),
  });
  await composer.fill('Et cette lettre ?');
  await expect(chat.getByRole('button', { name: 'Envoyer' })).toBeEnabled();
  await page.keyboard.press('Enter');
  await expect(chat.getByRole('article').last().getByRole('listitem')).toHaveText(/lettre\.txt\s*en entier/);
  expect(
    server.prompts
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join('\n'),
  ).toContain(LETTER);

  // It is its own place, which switching panes and conversations leaves as it is.
  await composer.fill(DRAFT);
  await expect(page.locator('[data-conversation]')).toHaveCount(0);
  await page.keyboard.press('Alt+2');
  await expect(composer).toBeHidden();
  await page.keyboard.press('Alt+1');
  await expect(chat.locator('.reply').first()).toContainText(ANSWER);
  await page.getByRole('button', { name: 'Nouvelle conversation' }).click();
  await expect(chat).toBeHidden();
  await expect(page.getByRole('textbox', { name: 'Votre message' })).toHaveValue('');
  await page.getByRole('button', { name: NAME }).click();
  await expect(composer).toHaveValue(DRAFT);
  await expect(chat.locator('.reply').first()).toContainText(ANSWER);

  for (const text of ['zurnalithes', 'quorvantine', DRAFT])
    expect(await browserStorage(page)).not.toContain(text);
  expect(left(place)).toEqual([]);

  // Another window has a chat of its own.
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Votre message' })).toBeVisible();
  await page.getByRole('button', { name: NAME }).click();
  await expect(chat.locator('.reply')).toHaveCount(0);
  await expect(composer).toHaveValue('');
  await host.stop();
  expect(left(place)).toEqual([]);
  forgiveLostConnection(problems);
  await server.close();
});

test('a chat without memory that is kept is a conversation like every other, and one that is closed is gone', async ({
  page,
  place,
  problems,
}) => {
  const { server, host } = await opened(page, place);
  await page.keyboard.press('Control+K');
  await page.keyboard.type('sans memoire');
  await page.getByRole('button', { name: NAME }).last().click();
  const chat = page.getByRole('region', { name: NAME });
  const composer = chat.getByRole('textbox', { name: 'Votre message' });
  await expect(composer).toBeFocused();
  await page.keyboard.type('Première question');
  await page.keyboard.press('Enter');
  await expect(chat.locator('.reply')).toContainText(ANSWER);
  await chat.getByRole('button', { name: 'Fermer' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Fermer' }).last().click();
  await expect(chat).toBeHidden();
  await expect(page.getByRole('textbox', { name: 'Votre message' })).toBeFocused();

  await page.keyboard.press('Alt+Shift+N');
  await expect(chat.locator('.reply')).toHaveCount(0);
  await composer.fill(QUESTION);
  await page.keyboard.press('Enter');
  await expect(chat.locator('.reply')).toContainText(ANSWER);
  expect(left(place)).toEqual([]);
  await chat.getByRole('button', { name: 'Conserver' }).click();
  await expect(chat).toBeHidden();
  await expect(page.locator('[data-conversation]')).toHaveCount(1);
  await expect(page.locator('.reply')).toContainText(ANSWER);
  await expect(page.getByText('zurnalithes se trouvent à Vraxembourg').last()).toBeVisible();
  expect(await page.locator('[data-conversation]').first().textContent()).toContain('Souviens-toi');
  await host.stop();
  expect(left(place)).not.toEqual([]);
  forgiveLostConnection(problems);
  await server.close();
});

test('a chat without memory says when the connection that it lives by is gone, and can still be read', async ({
  page,
  place,
  problems,
}) => {
  const { server, host } = await opened(page, place);
  await page.keyboard.press('Alt+Shift+N');
  const chat = page.getByRole('region', { name: NAME });
  await chat.getByRole('textbox', { name: 'Votre message' }).fill(QUESTION);
  await page.keyboard.press('Enter');
  await expect(chat.locator('.reply')).toContainText(ANSWER);
  await host.stop();
  await expect(chat.getByRole('status').filter({ hasText: 'ne peut ni continuer' })).toBeVisible();
  await expect(chat.locator('.reply')).toContainText(ANSWER);
  await expect(chat.getByRole('button', { name: 'Conserver' })).toHaveCount(0);
  await expect(chat.getByRole('button', { name: 'Répondre à nouveau' })).toHaveCount(0);
  await chat.getByRole('button', { name: 'Fermer' }).click();
  await expect(chat).toBeHidden();
  forgiveLostConnection(problems);
  await server.close();
});
