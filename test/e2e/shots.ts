import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { fixtureVault } from '../fixtures/vault.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { findChromium } from './browser.ts';
import { startHost } from './host.ts';

/**
 * Takes a picture of every pane and state, light and dark, in French and English, into `shots/`, and the three that the
 * README shows into `docs/images/`. What it needs, it makes; the window is 1280 × 800.
 */
const root = fileURLToPath(new URL('../../', import.meta.url));
const out = join(root, 'shots');
const images = join(root, 'docs', 'images');
const executablePath = findChromium();
if (executablePath === null) {
  console.log('no Chromium on this machine: no pictures');
  process.exit(1);
}
mkdirSync(out, { recursive: true });
mkdirSync(images, { recursive: true });

const home = temporaryFolder();
const vault = join(home, 'Carnet');
writeNotes(vault, fixtureVault);
mkdirSync(join(home, '.config', 'obsidian'), { recursive: true });
writeFileSync(
  join(home, '.config', 'obsidian', 'obsidian.json'),
  JSON.stringify({
    vaults: { a1: { path: vault, ts: 1_700_000_000_000 }, b2: { path: '/media/ancien/Vieux coffre', ts: 1 } },
  }),
);
const browser = await chromium.launch({
  executablePath,
  args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});

const questions = {
  en: ['Which import is slow in Atlas?', 'How should I link my notes?', 'What is the capital of Mongolia?'],
  fr: [
    'Quand planter les tomates ?',
    'Qui s’occupe de la chaudière ?',
    'Quelle est la capitale de la Mongolie ?',
  ],
};
const words = {
  en: {
    add: 'Index this vault',
    again: 'Answer again',
    nearest: 'Show the nearest',
    add2: 'Add a vault',
    wait: 'Waiting',
  },
  fr: {
    add: 'Indexer ce coffre',
    again: 'Répondre à nouveau',
    nearest: 'Voir les plus proches',
    add2: 'Ajouter un coffre',
    wait: 'En attente',
  },
};

for (const language of ['en', 'fr'] as const) {
  for (const appearance of ['light', 'dark'] as const) {
    const dataDir = join(home, `data-${language}-${appearance}`);
    const host = await startHost(dataDir, { home, lang: language === 'fr' ? 'fr_FR.UTF-8' : 'en_GB.UTF-8' });
    const page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      colorScheme: appearance,
      locale: language,
    });
    const shot = async (name: string) => {
      await page.waitForTimeout(350);
      await page.screenshot({ path: join(out, `${name}-${language}-${appearance}.png`) });
    };
    await page.goto(host.url);
    await tour(page, words[language], questions[language], shot);
    if (language === 'en' && appearance === 'light') {
      await page.keyboard.press('Alt+1');
      await page.locator('[data-conversation]').last().click();
      await page.waitForTimeout(350);
      await page.screenshot({ path: join(images, 'chat.png') });
      await page.keyboard.press('Alt+3');
      await page.waitForTimeout(350);
      await page.screenshot({ path: join(images, 'notes.png') });
    }
    if (language === 'fr' && appearance === 'dark') {
      await page.keyboard.press('Alt+1');
      await page.locator('[data-conversation]').last().click();
      await page.locator('.citation-title').first().click();
      await page.waitForTimeout(350);
      await page.screenshot({ path: join(images, 'source-fr-dark.png') });
    }
    await host.stop();
    await page.waitForTimeout(9_000);
    await shot('cut-off');
    await page.close();
  }
}
await browser.close();
removeFolder(home);

async function tour(
  page: Page,
  text: (typeof words)['en'],
  asked: readonly string[],
  shot: (name: string) => Promise<void>,
): Promise<void> {
  await page.locator('#setup-title').waitFor();
  await shot('setup');
  await page.getByRole('button', { name: /^Carnet/ }).click();
  await page.getByRole('button', { name: text.add }).waitFor();
  await shot('setup-found');
  await page.keyboard.press('Alt+3');
  await shot('notes-empty');
  await page.keyboard.press('Alt+1');
  await page.getByRole('button', { name: /^Carnet/ }).click();
  await page.getByRole('button', { name: text.add }).click();
  await page.locator('[data-composer]').waitFor();
  await shot('chat-empty');
  for (const question of asked) {
    await page.keyboard.press('Alt+n');
    await page.locator('[data-composer]').fill(question);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: text.again }).waitFor();
  }
  await shot('chat-nothing');
  await page.getByRole('button', { name: text.nearest }).click();
  await shot('chat-nearest');
  await page.locator('[data-conversation]').last().click();
  await page.locator('.citation').first().waitFor();
  await shot('chat');
  await page.locator('.citation-title').first().hover();
  await page.waitForTimeout(400);
  await shot('chat-preview');
  await page.locator('.citation-title').first().click();
  await page.mouse.move(700, 780);
  // The preview fades.
  await page.waitForTimeout(500);
  await shot('chat-source');
  await page.keyboard.press('Alt+3');
  await page.locator('[data-note]').first().click();
  await shot('notes-problem');
  await page.locator('[data-note]').nth(4).click();
  await shot('notes');
  await page.locator('label').filter({ hasText: text.wait }).click();
  await shot('notes-no-match');
  await page.keyboard.press('Alt+2');
  await shot('memory');
  await page.keyboard.press('Alt+4');
  // The latest question finds nothing at all.
  await page.locator('[data-trace]').nth(1).click();
  await page.locator('.ledger-row').first().waitFor();
  await shot('traces');
  await page.keyboard.press('Alt+5');
  await shot('settings');
  await page.getByRole('button', { name: text.add2 }).click();
  await shot('settings-add-vault');
  await page.keyboard.press('Escape');
  await page.locator('.setup').evaluate((element) => element.scrollTo(0, 2_000));
  await shot('settings-end');
}
