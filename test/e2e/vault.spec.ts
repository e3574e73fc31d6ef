import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import { violationsIn } from './axe.ts';
import { findChromium } from './browser.ts';
import { expect, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

test.beforeEach(async ({ place }) => {
  const notes = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`n${index}.md`, `Note ${index}.`]),
  );
  const settings = { '.obsidian/app.json': JSON.stringify({ userIgnoreFilters: ['/(?=x)y/'] }) };
  writeNotes(place.vault, { ...notes, ...settings });
  await place.fill((app) => indexVault(app, place.vault));
});

const LOST = '40 of 40 notes are no longer in its folder.';

test('a vault that lost its notes says how many, keeps answering, and lets go of them at one key', async ({
  page,
  place,
}) => {
  const away = join(place.home, 'ailleurs');
  renameSync(place.vault, away);
  writeNotes(place.vault, { '.keep': '' });
  const host = await place.start();
  await page.goto(host.url);
  await expect(page.getByText('Carnet: 40 of 40 notes are gone').first()).toBeVisible();
  await page.keyboard.press('Alt+3');
  await expect(page.getByRole('status').filter({ hasText: LOST })).toBeVisible();
  await expect(page.getByRole('row', { name: /n39/ })).toBeVisible();
  expect(await violationsIn(page, '[role=status]')).toEqual([]);
  const confirm = page.getByRole('button', { name: 'Remove them from the index' });
  await confirm.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText(LOST)).toBeHidden();
  await expect(page.getByRole('row', { name: /n39/ })).toBeHidden();
  // On purpose or not, they come back with their files.
  for (const name of readdirSync(away))
    if (name.endsWith('.md')) renameSync(join(away, name), join(place.vault, name));
  await expect(page.getByRole('row', { name: /n39/ })).toBeVisible({ timeout: 20_000 });
});

test('the settings say which filters of Obsidian have no effect here', async ({ page, place }) => {
  const host = await place.start({ lang: 'fr_FR.UTF-8' });
  await page.goto(host.url);
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeVisible();
  await page.keyboard.press('Alt+5');
  await expect(page.getByText('La liste des fichiers exclus d’Obsidian contient /(?=x)y/.')).toBeVisible();
});

test('a passage is remembered, the note of facts is written, and what is changed there comes back', async ({
  page,
  place,
}) => {
  const host = await place.start({ lang: 'fr_FR.UTF-8' });
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
  const file = join(place.vault, 'Faits', 'Mes faits.md');
  const written = readFileSync(file, 'utf8');
  expect(written).toContain('- La note 7 parle du portail ^fact-');
  writeFileSync(file, written.replace('portail', 'portillon'));
  await page.keyboard.press('Alt+2');
  await expect(page.getByText('La note 7 parle du portillon')).toBeVisible({ timeout: 20_000 });
  rmSync(file);
  const restore = page.getByRole('button', { name: 'Rétablir la note' });
  await expect(restore).toBeVisible({ timeout: 20_000 });
  expect(await violationsIn(page, '[role=alert]')).toEqual([]);
  await restore.click();
  await expect.poll(() => existsSync(file)).toBe(true);
  await expect(page.getByText('Des lignes manquent dans la note des faits')).toBeHidden();
});
