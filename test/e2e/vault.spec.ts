import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { createApp } from '../../src/core/app.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import { findChromium } from './browser.ts';
import { type RunningHost, startHost } from './host.ts';
import { watchPage } from './watch.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');
test.use({ actionTimeout: 10_000 });

let home: string;
let vault: string;
let host: RunningHost;
test.beforeEach(async () => {
  home = temporaryFolder();
  vault = join(home, 'Carnet');
  const notes = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`n${index}.md`, `Note ${index}.`]),
  );
  const settings = { '.obsidian/app.json': JSON.stringify({ userIgnoreFilters: ['/(?=x)y/'] }) };
  writeNotes(vault, { ...notes, ...settings });
  const app = createApp({ dataDir: join(home, 'data'), version: 'test' });
  await indexVault(app, vault);
  await app.close();
});
test.afterEach(async ({ page }) => {
  await page.close();
  await host.stop();
  removeFolder(home);
});

const LOST = '40 of 40 notes are no longer in its folder.';

test('a vault that lost its notes says how many, keeps answering, and lets go of them at one key', async ({
  page,
}) => {
  const away = join(home, 'ailleurs');
  renameSync(vault, away);
  writeNotes(vault, { '.keep': '' });
  host = await startHost(join(home, 'data'), { home });
  const problems = watchPage(page);
  await page.goto(host.url);
  await expect(page.getByText('Carnet: 40 of 40 notes are gone').first()).toBeVisible();
  await page.keyboard.press('Alt+3');
  await expect(page.getByRole('status').filter({ hasText: LOST })).toBeVisible();
  await expect(page.getByRole('row', { name: /n39/ })).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include('[role=status]').analyze();
  expect(violations).toEqual([]);
  const confirm = page.getByRole('button', { name: 'Remove them from the index' });
  await confirm.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(LOST)).toBeHidden();
  await expect(page.getByRole('row', { name: /n39/ })).toBeHidden();
  // On purpose or not, they come back with their files.
  for (const name of readdirSync(away))
    if (name.endsWith('.md')) renameSync(join(away, name), join(vault, name));
  await expect(page.getByRole('row', { name: /n39/ })).toBeVisible({ timeout: 20_000 });
  expect(problems).toEqual([]);
});

test('the settings say which filters of Obsidian have no effect here', async ({ page }) => {
  host = await startHost(join(home, 'data'), { home, lang: 'fr_FR.UTF-8' });
  await page.goto(host.url);
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
  await page.keyboard.press('Alt+5');
  await expect(page.getByText('La liste des fichiers exclus d’Obsidian contient /(?=x)y/.')).toBeVisible();
});

test('a passage is remembered, the note of facts is written, and what is changed there comes back', async ({
  page,
}) => {
  host = await startHost(join(home, 'data'), { home, lang: 'fr_FR.UTF-8' });
  const problems = watchPage(page);
  await page.goto(host.url);
  await page.keyboard.press('Alt+3');
  await page.getByRole('textbox', { name: 'Filtrer par titre ou chemin' }).fill('n7.md');
  await page.getByRole('row', { name: /n7\.md/ }).click();
  await page.getByRole('button', { name: 'Retenir' }).click();
  const text = page.getByRole('textbox', { name: 'Ce qu’il faut retenir de ce passage' });
  await expect(text).toHaveValue('Note 7.');
  await text.fill('La note 7 parle du portail');
  await page.getByRole('button', { name: 'Retenir' }).click();
  await expect(page.getByText('Retenu : « La note 7 parle du portail »')).toBeVisible();
  await page.keyboard.press('Alt+5');
  await page.getByRole('textbox', { name: 'Chemin dans le coffre « Carnet »' }).fill('Faits/Mes faits.md');
  await page.getByRole('button', { name: 'Écrire la note' }).click();
  await expect(page.getByText('La note et les faits concordent')).toBeVisible();
  const file = join(vault, 'Faits', 'Mes faits.md');
  const written = readFileSync(file, 'utf8');
  expect(written).toContain('- La note 7 parle du portail ^fact-');
  writeFileSync(file, written.replace('portail', 'portillon'));
  await page.keyboard.press('Alt+2');
  await expect(page.getByText('La note 7 parle du portillon')).toBeVisible({ timeout: 20_000 });
  rmSync(file);
  const restore = page.getByRole('button', { name: 'Rétablir la note' });
  await expect(restore).toBeVisible({ timeout: 20_000 });
  const { violations } = await new AxeBuilder({ page }).include('[role=alert]').analyze();
  expect(violations).toEqual([]);
  await restore.click();
  await expect.poll(() => existsSync(file)).toBe(true);
  await expect(page.getByText('Des lignes manquent dans la note des faits')).toBeHidden();
  expect(problems).toEqual([]);
});
