import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from './browser.ts';
import { FACTS, NOTES } from './seed.ts';
import { expect, type Page, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

test.beforeEach(async ({ page, seeded }) => {
  await page.goto(seeded.host.url);
  await expect(page.getByLabel('Your message')).toBeVisible();
});

const talk = (page: Page, title: string) => page.locator('[data-conversation]', { hasText: title });
const notice = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
const act = (page: Page, text: string, button = 'Undo') =>
  notice(page, text).last().getByRole('button', { name: button }).click();
const choose = async (page: Page, field: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option }).click();
};
const fromMenu = async (page: Page, title: string, item: string) => {
  await expect(page.getByRole('menu')).toHaveCount(0);
  await talk(page, title).hover();
  await page.locator('.row', { hasText: title }).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your message').fill(text);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Answer again' }).last()).toBeVisible();
}

test('conversations by mouse: channels, search, pin, rename, move, archive, delete, each with its undo', async ({
  page,
}) => {
  await expect(page.locator('[data-conversation]')).toHaveCount(4);
  await choose(page, 'Channel', /^Santé/);
  await expect(page.locator('[data-conversation]')).toHaveText([/^Rendez-vous du dentiste/]);
  await choose(page, 'Channel', 'All channels');
  await page.getByLabel('Search conversations').fill('prévue mardi');
  await expect(page.locator('[data-conversation]')).toHaveCount(4);
  await page.getByLabel('Search conversations').fill('aucune ne dit cela');
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await expect(page.locator('[data-conversation]')).toHaveCount(4);

  await fromMenu(page, 'Vieilles histoires', 'Pin');
  await expect(page.locator('[data-conversation]').first()).toHaveText(/^Vieilles histoires/);
  await fromMenu(page, 'Vieilles histoires', 'Unpin');
  await expect(page.locator('[data-conversation]').last()).toHaveText(/^Vieilles histoires/);

  await fromMenu(page, 'Migration Atlas', 'Rename');
  await page.keyboard.type('Atlas');
  await page.locator('.list-heading').first().click();
  await act(page, 'Renamed to “Atlas”');
  await expect(talk(page, 'Migration Atlas')).toBeVisible();

  await fromMenu(page, 'Toit de la grange', 'Move to a channel');
  await page.getByRole('dialog').getByLabel('Channel').fill('Maison');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await choose(page, 'Channel', /^Maison/);
  await expect(page.locator('[data-conversation]')).toHaveText([/^Toit de la grange/]);
  await act(page, 'moved to Maison');
  await expect(page.locator('[data-conversation]')).toHaveCount(0);
  await choose(page, 'Channel', 'All channels');

  await fromMenu(page, 'Toit de la grange', 'Archive');
  await expect(talk(page, 'Toit de la grange')).toHaveCount(0);
  await choose(page, 'Channel', /^Archived/);
  await fromMenu(page, 'Toit de la grange', 'Unarchive');
  await choose(page, 'Channel', 'All channels');
  await expect(talk(page, 'Toit de la grange')).toBeVisible();
  await fromMenu(page, 'Toit de la grange', 'Archive');
  await act(page, 'archived');
  await expect(talk(page, 'Toit de la grange')).toBeVisible();

  await fromMenu(page, 'Toit de la grange', 'Delete');
  await expect(talk(page, 'Toit de la grange')).toHaveCount(0);
  await act(page, 'deleted');
  await expect(talk(page, 'Toit de la grange')).toBeVisible();
});

test('conversations by keyboard: move, open, pin, rename, move to a channel, archive, delete', async ({
  page,
}) => {
  const rows = page.locator('[data-conversation]');
  await rows.first().focus();
  await page.keyboard.press('End');
  await expect(rows.last()).toBeFocused();
  await page.keyboard.press('p');
  await expect(rows.first()).toHaveText(/^Vieilles histoires/);
  await rows.first().focus();
  await page.keyboard.press('p');
  await expect(rows.last()).toHaveText(/^Vieilles histoires/);
  await rows.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.locator('.imported').first()).toContainText('Rendez-vous du dentiste');
  await talk(page, 'Migration Atlas').focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('Atlas');
  await page.keyboard.press('Enter');
  await expect(talk(page, 'Atlas')).toHaveText(/^Atlas/);
  await talk(page, 'Atlas').focus();
  await page.keyboard.press('m');
  await expect(page.getByRole('dialog').getByLabel('Channel')).toBeFocused();
  await page.keyboard.type('Projets');
  await page.keyboard.press('Enter');
  await expect(notice(page, 'moved to Projets')).toBeVisible();
  await talk(page, 'Atlas').focus();
  await page.keyboard.press('a');
  await expect(talk(page, 'Atlas')).toHaveCount(0);
  await talk(page, 'Toit de la grange').focus();
  await page.keyboard.press('Delete');
  await expect(talk(page, 'Toit de la grange')).toHaveCount(0);
  // The keyboard reaches the notice too.
  await notice(page, 'deleted').getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await expect(talk(page, 'Toit de la grange')).toBeVisible();
});

test('deleting a conversation asks about the facts that came from it', async ({ page }) => {
  await ask(page, 'Souviens-toi que le portail grince.');
  await expect(page.getByText('Learnt: “Le portail grince”')).toBeVisible();
  const title = 'Souviens-toi que le portail grince';
  const expectFacts = async (count: number) => {
    await page.keyboard.press('Alt+2');
    await page.getByLabel('Filter', { exact: true }).fill('portail');
    await expect(page.locator('[data-fact]')).toHaveCount(count);
    await page.keyboard.press('Alt+1');
  };
  await fromMenu(page, title, 'Delete');
  await expect(notice(page, '1 fact that came from it is kept')).toBeVisible();
  await expectFacts(1);
  await act(page, '1 fact that came from it', 'Forget it too');
  await expect(notice(page, '1 fact forgotten')).toBeVisible();
  await expectFacts(0);
  await act(page, '1 fact forgotten');
  await expect(talk(page, title)).toBeVisible();
  await expectFacts(1);
});

test('the palette goes to panes, settings, conversations, notes and facts, by keyboard and by mouse', async ({
  page,
}) => {
  const open = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/^Go to a pane/).fill(text);
  };
  await expect(page.locator('.dot').first()).toHaveAttribute('data-state', 'ready', { timeout: 60_000 });
  await open('mémo');
  await page.keyboard.press('Escape');
  await open('memory');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid', { name: 'Facts' })).toBeVisible();
  await open('minimum');
  await expect(page.getByText('No match.')).toBeVisible();
  await page.keyboard.press('Escape');
  await open('how strict');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await expect(page.getByLabel('Search the settings')).toHaveValue('How strict');
  await open('dentiste');
  await page.getByText('Rendez-vous du dentiste').last().click();
  await expect(page.locator('.imported').first()).toContainText('dentiste');
  await open('note 123');
  await page.locator('.mantine-Spotlight-action', { hasText: 'Note 123' }).first().click();
  await expect(page.getByRole('complementary', { name: 'Note 123' })).toBeVisible();
  await open('arachides');
  await expect(page.locator('.mantine-Spotlight-action')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Léa est allergique aux arachides' })).toBeVisible();
  await open('dark app');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
});

test('panes by mouse and by keyboard, the state of things, links, and quick capture', async ({ page }) => {
  const panes = ['Chat', 'Memory', 'Notes', 'Traces', 'Settings'];
  for (const [index, name] of panes.entries()) {
    const item = page.getByRole('button', { name, exact: true });
    await item.click();
    await expect(item).toHaveAttribute('aria-current', 'page');
    await page.getByRole('button', { name: panes[(index + 1) % 5] as string, exact: true }).click();
    await page.keyboard.press(`Alt+${index + 1}`);
    await expect(item).toHaveAttribute('aria-current', 'page');
  }
  await page.keyboard.press('Alt+3');
  await page.getByText(new RegExp(`^Indexed ${NOTES}`)).waitFor({ timeout: 60_000 });
  const state = page.locator('.footer-state');
  await state.click();
  await expect(page.getByText(`Carnet: ${NOTES} notes, up to date`)).toBeVisible();
  await expect(page.getByText('Passages answers; no model is used')).toBeVisible();
  await page.keyboard.press('Escape');
  await state.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Passages answers; no model is used')).toBeVisible();
  await page.keyboard.press('Escape');
  const follow = (path: string) => page.evaluate((hash) => location.assign(`#${hash}`), path);
  await follow('/chat/conv_sante');
  await expect(page.locator('.imported').first()).toContainText('dentiste');
  await follow('/new?text=Caf%C3%A9+d%E2%80%99%C3%89lodie');
  await expect(page.getByLabel('Your message')).toHaveValue('Café d’Élodie');
  await follow('/traces');
  await expect(page.getByRole('button', { name: 'Traces', exact: true })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await follow('/nowhere');
  await follow('/palette');
  await expect(page.getByPlaceholder(/^Go to a pane/)).toBeVisible();
  await page.keyboard.press('Escape');
  await page.evaluate(() => {
    location.hash = '#/capture';
    location.reload();
  });
  await page.getByLabel('Quick capture').fill('Souviens-toi que la clé de l’été est sous le pot');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/Learnt: “La clé de l’été/)).toBeVisible();
  await page.evaluate(() => {
    location.hash = '';
    location.reload();
  });
  await choose(page, 'Channel', /^Quick capture/);
  await expect(page.locator('[data-conversation]')).toHaveText([/^Souviens-toi que la clé/]);
});

test('background tasks: what waits is listed, and told when it changes', async ({ page }) => {
  await page.keyboard.press('Alt+5');
  await page.getByLabel('Search the settings').fill('background');
  const tasks = page.locator('.jobs li');
  await expect(tasks).toHaveText([/^Daily backupnext (tomorrow|in 24 hours)$/]);
  await page.keyboard.press('Alt+1');
  await fromMenu(page, 'Rendez-vous du dentiste', 'Delete');
  await page.keyboard.press('Alt+5');
  await expect(tasks).toHaveText([/^Daily backup/, /^Erase deleted conversationsnext \d{1,2} \w{3} \d{4}$/]);
  await act(page, 'deleted');
  await expect(tasks).toHaveText([/^Daily backup/]);
});

test('moving house: copy and restore, export and import, erase', async ({ page, seeded }) => {
  await ask(page, 'Souviens-toi que le portail grince.');
  await page.keyboard.press('Alt+5');
  await page.getByLabel('Search the settings').fill('data');
  const copies = page.getByRole('button', { name: /^Restore the backup of/ });
  await expect(copies.first()).toBeVisible();
  const made = await copies.count();
  await page.getByRole('button', { name: 'Back up now' }).click();
  await expect(copies).toHaveCount(made + 1);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the export' }).click(),
  ]);
  const file = join(seeded.home, 'export.json');
  await download.saveAs(file);
  const document = JSON.parse(readFileSync(file, 'utf8')) as { facts: unknown[]; conversations: unknown[] };
  expect([document.facts.length, document.conversations.length]).toEqual([FACTS + 1, 5]);

  // Restoring a backup removes what came after it.
  await page.keyboard.press('Alt+n');
  await ask(page, 'Souviens-toi que ceci vient après.');
  await page.keyboard.press('Alt+5');
  await page.getByLabel('Search the settings').fill('data');
  await copies.first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Restore this backup' }).click();
  await expect(page.getByRole('heading', { name: 'Ask your notes' })).toBeVisible({ timeout: 30_000 });
  await expect(talk(page, 'Souviens-toi que le portail grince')).toBeVisible();
  await expect(talk(page, 'Souviens-toi que ceci vient après')).toHaveCount(0);

  await page.keyboard.press('Alt+5');
  await page.getByLabel('Search the settings').fill('erase');
  await page.getByRole('button', { name: 'Erase everything…' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Erase everything…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase everything' }).click();
  await expect(page.getByRole('heading', { name: 'Choose a vault' })).toBeVisible({ timeout: 30_000 });

  await page.keyboard.press('Alt+5');
  await page.getByLabel('Search the settings').fill('import');
  const wrong = join(seeded.home, 'wrong.json');
  writeFileSync(wrong, '{"a": 1}');
  const input = page.locator('input[type="file"]');
  await input.setInputFiles(wrong);
  await expect(page.getByText(/^There are no conversations in wrong.json/)).toBeVisible();
  await input.setInputFiles(file);
  await expect(page.getByText(/imported, 0 restored, 0 already there/)).toBeVisible({ timeout: 30_000 });
  await page.keyboard.press('Alt+2');
  await expect(page.getByRole('grid', { name: 'Facts' })).toHaveAttribute('aria-rowcount', String(FACTS + 1));
  await page.keyboard.press('Alt+1');
  await expect(page.locator('[data-conversation]')).toHaveCount(5);
});
