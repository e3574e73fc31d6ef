import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { createApp } from '../../src/core/app.ts';
import type { FactId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { findChromium } from './browser.ts';
import { type RunningHost, startHost } from './host.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

test.use({ actionTimeout: 10_000 });

const FACTS = 2_000;
let home: string;
let host: RunningHost;
let problems: string[];

test.beforeEach(async ({ page }) => {
  home = temporaryFolder();
  const dataDir = join(home, 'data');
  const app = createApp({ dataDir, version: 'test' });
  app.services.db.transaction(() => {
    for (let index = 0; index < FACTS; index += 1) {
      app.services.factStore.insert({
        id: `fact_${index}` as FactId,
        content: index === 7 ? 'Léa est allergique aux arachides' : `Fait numéro ${index}`,
        kind: index === 7 ? 'preference' : 'fact',
        key: null,
        subjects: index === 7 ? ['Léa'] : [],
        importance: 0.5,
        source: 'manual',
        channel: null,
        turnId: null,
        expiresAt: null,
        createdAt: Date.now() - index * 60_000,
      });
    }
  });
  await app.close();
  host = await startHost(dataDir, { home });
  problems = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(host.url);
  await page.getByRole('button', { name: 'Memory', exact: true }).click();
});
test.afterEach(async () => {
  await host.stop();
  removeFolder(home);
  expect(problems).toEqual([]);
});

/** Takes back the act of which the notice says this. */
const undo = (page: Page, notice: string) =>
  page.getByRole('alert').filter({ hasText: notice }).getByRole('button', { name: 'Undo' }).click();
const row = (page: Page, text: string | RegExp) => page.locator('[data-fact]').filter({ hasText: text });

test('facts are filtered, edited in place, pinned, deleted and brought back, by keyboard', async ({
  page,
}) => {
  await expect(page.getByRole('grid', { name: 'Facts' })).toHaveAttribute('aria-rowcount', String(FACTS));
  // Only what is in view is in the page.
  expect(await page.locator('[data-fact]').count()).toBeLessThan(60);
  await page.keyboard.press('/');
  await page.keyboard.type('allergique');
  await expect(page.locator('[data-fact]')).toHaveCount(1);
  await row(page, 'Léa').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Léa est allergique aux amandes');
  await page.keyboard.press('Enter');
  await expect(row(page, 'amandes')).toBeVisible();
  await undo(page, 'amandes');
  await expect(row(page, 'arachides')).toBeVisible();
  await row(page, 'arachides').focus();
  await page.keyboard.press('p');
  await expect(page.getByRole('img', { name: 'Pinned' }).or(page.getByLabel('Pinned')).first()).toBeVisible();
  await row(page, 'arachides').focus();
  await page.keyboard.press('Delete');
  await expect(page.getByText('No fact matches.')).toBeVisible();
  await undo(page, '1 fact deleted');
  await expect(row(page, 'arachides')).toBeVisible();
});

test('facts are added, changed beside the list, selected together and deleted, by mouse', async ({
  page,
}) => {
  await page.getByLabel('Something to remember').fill('Le portail ferme à 22 h');
  await page.getByRole('button', { name: 'Remember' }).click();
  await expect(row(page, 'Le portail ferme à 22 h')).toBeVisible();
  await row(page, 'Le portail ferme à 22 h').click();
  await page.getByLabel('What is remembered').last().fill('Le portail ferme à 23 h');
  await page.getByRole('complementary').getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Event' }).click();
  await expect(row(page, 'Le portail ferme à 23 h')).toContainText('Event');
  await expect(page.getByText('Earlier wordings')).toBeVisible();
  await page.getByLabel('Select “Fait numéro 0”', { exact: true }).check({ timeout: 5_000 });
  await page.getByLabel('Select “Fait numéro 1”', { exact: true }).check({ timeout: 5_000 });
  await page.getByRole('button', { name: 'Delete 2 facts' }).click();
  await expect(row(page, /^Fait numéro [01]$/)).toHaveCount(0);
  await undo(page, '2 facts deleted');
  await expect(page.locator('[data-fact="fact_0"]')).toBeVisible();
  await page.locator('[data-fact="fact_0"]').click();
  await page.getByRole('complementary').getByRole('button', { name: 'Forget' }).click();
  await expect(page.locator('[data-fact="fact_0"]')).toHaveCount(0);
  await page.getByRole('switch', { name: 'Past ones too' }).click();
  await expect(page.locator('[data-fact="fact_0"]')).toContainText('Forgotten');
});

test('search finds by words and by meaning, and what is given is previewed', async ({ page }) => {
  await page.getByText('Search', { exact: true }).click();
  await page.getByLabel('Search facts, notes and conversations').fill('allergie de Léa');
  const first = page.locator('[data-result]').first();
  await expect(first).toContainText('arachides');
  await expect(first.locator('mark').first()).toBeVisible();
  await page.getByText('Meaning', { exact: true }).click();
  await expect(first).toContainText('arachides');
  await first.click();
  await expect(page.getByRole('complementary', { name: 'Léa est allergique aux arachides' })).toBeVisible();
  await page.getByRole('button', { name: 'Chat', exact: true }).click();
  const setup = page.getByRole('button', { name: 'Not now' });
  if (await setup.isVisible()) await setup.click();
  await page.getByLabel('Your message').fill('À quoi Léa est-elle allergique ?');
  await page.keyboard.press('Enter');
  await expect(page.locator('.citation').first()).toContainText('arachides');
  await page.keyboard.press('Alt+2');
  await page.getByText('What is given', { exact: true }).click();
  await expect(page.getByRole('heading', { name: /^For “À quoi Léa/ })).toBeVisible();
  await expect(page.locator('.preview').first()).toContainText('arachides');
  await page.getByRole('slider', { name: 'How strict' }).focus();
  for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
  await expect(page.getByText('0.80')).toBeVisible();
});
