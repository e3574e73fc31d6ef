import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { hideTable } from '../support/hideTable.ts';
import { writeNotes } from '../support/temporary.ts';
import { findChromium } from './browser.ts';
import type { RunningHost } from './host.ts';
import { expect, type Page, type Place, test } from './test.ts';
import { forgiveLostConnection } from './watch.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

test.beforeEach(({ place }) =>
  writeNotes(place.vault, { 'Jardin.md': '# Jardin\n\nLes tomates se plantent à la mi-mai.' }),
);

const addVault = (place: Place) => place.fill(({ client }) => client.vaults.add({ path: place.vault }));

async function start(page: Page, place: Place): Promise<RunningHost> {
  const host = await place.start();
  await page.goto(host.url);
  await page.locator('#content > *').first().waitFor();
  return host;
}
test('a pane that cannot be read says so, and reads when it is asked to try again', async ({
  page,
  place,
}) => {
  await addVault(place);
  await start(page, place);
  await expect(page.getByLabel('Your message')).toBeVisible();
  const giveBack = hideTable(place.dataDir, 'fact_revisions');
  await page.keyboard.press('Alt+2');
  await expect(
    page.getByRole('alert').filter({ hasText: 'no such table: fact_revisions' }).first(),
  ).toBeVisible();
  giveBack();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText(/^No facts yet/)).toBeVisible();
});

test('a window that cannot be opened says so, and opens when it is asked to try again', async ({
  page,
  place,
}) => {
  const host = await place.start();
  const giveBack = hideTable(place.dataDir, 'settings');
  await page.goto(host.url);
  const said = page.getByRole('paragraph').filter({ hasText: /^The database .* is damaged/ });
  await expect(said).toBeVisible();
  giveBack();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Choose a vault' })).toBeVisible();
});

test('a vault that vanishes is told and keeps its index; when it is back it is read on', async ({
  page,
  place,
}) => {
  await addVault(place);
  await start(page, place);
  await page.keyboard.press('Alt+3');
  await expect(page.getByText(/^Indexed 1/)).toBeVisible();
  renameSync(place.vault, `${place.vault} ailleurs`);
  await page.keyboard.press('Alt+5');
  await expect(page.getByText('Carnet cannot be reached')).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole('button', { name: 'Pause indexing' })).toBeDisabled();
  await page.keyboard.press('Alt+1');
  await page.getByLabel('Your message').fill('Quand planter les tomates ?');
  await page.keyboard.press('Enter');
  await expect(page.locator('.citation').first()).toContainText('mi-mai');
  renameSync(`${place.vault} ailleurs`, place.vault);
  writeNotes(place.vault, { 'Neuf.md': '# Neuf\n\nUne note nouvelle.' });
  await page.keyboard.press('Alt+5');
  // Souvenir looks for the folder every ten seconds.
  await expect(page.getByText('2 of 2 notes indexed')).toBeVisible({ timeout: 30_000 });
});

test('without a vault the chat works, and every pane says what will appear there', async ({
  page,
  place,
}) => {
  await start(page, place);
  await page.getByRole('button', { name: 'Not now' }).click();
  await expect(page.getByText(/^No vault yet/).first()).toBeVisible();
  await page.getByLabel('Your message').fill('Souviens-toi que le portail grince.');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Learnt: “Le portail grince”')).toBeVisible();
  await page.keyboard.press('Alt+3');
  await expect(page.getByText('No notes yet. Add a vault in Settings.')).toBeVisible();
  await page.locator('.footer-state').click();
  await expect(page.getByText('No vault yet', { exact: true })).toBeVisible();
});

test('a vault whose every note is left out says so', async ({ page, place }) => {
  await addVault(place);
  await start(page, place);
  await page.keyboard.press('Alt+5');
  await page.getByLabel(/^Excluded files/).fill('*.md');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('0 of 0 notes indexed')).toBeVisible();
  await page.keyboard.press('Alt+3');
  await expect(page.getByText('No notes yet.')).toBeVisible();
});

test('switched off, the composer says that notes and memory are not used', async ({ page, place }) => {
  await addVault(place);
  await start(page, place);
  await expect(page.getByLabel('Your message')).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('turn off');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Notes and memory are off.')).toBeVisible();
});

test('a model that is not on this computer is told at all times', async ({ page, place }) => {
  await place.fill(async (app) => {
    await app.client.app.changeSettings({
      'chat.baseUrl': 'https://models.invalid/v1',
      'chat.model': 'grand',
    });
    await app.client.vaults.add({ path: place.vault });
  });
  await start(page, place);
  await expect(page.getByText('Messages go to grand at models.invalid')).toBeVisible();
});

/** How often a window looks for a model server that is away. */
const MODEL_CHECK_MS = 15_000;

test('the foot of the window says that a model is not answering, and when it is back', async ({
  page,
  place,
}) => {
  const server = await startOpenAiServer();
  await place.fill(async (app) => {
    await app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
    await app.client.vaults.add({ path: place.vault });
  });
  await page.clock.install();
  await start(page, place);
  const dot = page.locator('.footer-state .dot');
  await page.locator('.footer-state').click();
  await expect(page.getByText('small is ready')).toBeVisible();
  await page.keyboard.press('Escape');
  server.behave({ kind: 'status', status: 500 });
  await page.getByLabel('Your message').fill('Bonjour');
  await page.keyboard.press('Enter');
  const foot = page.locator('.footer').getByRole('status');
  await expect(foot).toHaveText('The last answer of small failed');
  await expect(dot).toHaveAttribute('data-state', 'ill');
  server.behave({ kind: 'reply', text: 'Bonjour.' });
  await page.getByRole('button', { name: 'Answer again' }).click();
  await expect(foot).toHaveText('');
  await server.close();
  await page.getByRole('button', { name: 'Answer again' }).click();
  await expect(foot).toHaveText('The server of small is not running');
  // It is seen to be back without a message.
  const back = await startOpenAiServer({ port: Number(new URL(server.baseUrl).port) });
  await expect(async () => {
    await page.clock.fastForward(MODEL_CHECK_MS);
    await expect(foot).toHaveText('', { timeout: 1_000 });
  }).toPass();
  await expect(dot).toHaveAttribute('data-state', 'ready');
  await back.close();
});

test('a copy that cannot be made is told, and the next one clears it', async ({ page, place }) => {
  await addVault(place);
  await start(page, place);
  await page.keyboard.press('Alt+5');
  await page.getByLabel('Search the settings').fill('backups');
  await expect(page.getByRole('button', { name: /^Restore the backup/ }).first()).toBeVisible();
  const backups = join(place.dataDir, 'backups');
  renameSync(backups, `${backups}-aside`);
  // A file is in the place of the folder.
  writeFileSync(backups, '');
  await page.getByRole('button', { name: 'Back up now' }).click();
  await expect(page.getByText(/^The last backup failed/)).toBeVisible();
  rmSync(backups);
  mkdirSync(backups);
  await page.getByRole('button', { name: 'Back up now' }).click();
  await expect(page.getByText(/^The last backup failed/)).toHaveCount(0);
  expect(existsSync(backups)).toBe(true);
});

test('a core that stops is told, and what was typed is kept until it is back', async ({
  page,
  context,
  place,
  problems,
}) => {
  await addVault(place);
  const host = await start(page, place);
  await page.getByLabel('Your message').fill('Un brouillon précieux');
  await host.stop();
  await expect(
    page
      .getByText(/^Connection lost/)
      .or(page.getByText('Souvenir is closed'))
      .first(),
  ).toBeVisible();
  await expect(page.getByLabel('Your message')).toHaveValue('Un brouillon précieux');
  forgiveLostConnection(problems);
  await page.close();
  const { url } = await place.start();
  const again = await context.newPage();
  await again.goto(url);
  await expect(again.getByLabel('Your message')).toBeVisible();
});

test('data that is missing is told, and a copy is restored from the window', async ({ page, place }) => {
  await place.fill(async ({ client }) => {
    await client.facts.add({ content: 'Léa est allergique aux arachides' });
    await client.data.backUp({});
  });
  rmSync(join(place.dataDir, 'souvenir.sqlite'));
  const host = await place.start();
  await page.goto(host.url);
  await expect(page.getByRole('heading', { name: 'Your data is missing' })).toBeVisible();
  await page.getByRole('button', { name: /^Restore the copy of/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('button', { name: 'Memory' }).click();
  await expect(page.getByText('Léa est allergique aux arachides')).toBeVisible();
});

test('changes that a damaged log lost are told until they were read', async ({ page, place }) => {
  const killed = join(place.home, 'killed');
  await place.fill(async ({ client }) => {
    await client.facts.add({ content: 'Léa est allergique aux arachides' });
    cpSync(place.dataDir, killed, { recursive: true });
  });
  writeFileSync(join(killed, 'souvenir.sqlite-wal'), '');
  const host = await place.start({ dataDir: killed });
  await page.goto(host.url);
  const alert = page.getByRole('alert').filter({ hasText: 'Some changes are missing' });
  await expect(alert).toBeVisible();
  await alert.getByRole('button', { name: 'I have read this' }).click();
  await expect(alert).toBeHidden();
  await page.reload();
  await expect(page.getByRole('navigation')).toBeVisible();
  await expect(alert).toBeHidden();
});
