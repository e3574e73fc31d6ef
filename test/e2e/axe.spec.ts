import { seriousIn } from './axe.ts';
import { findChromium } from './browser.ts';
import { expect, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');
test.describe.configure({ mode: 'parallel' });

const WORDS = {
  en: {
    close: 'Close',
    again: 'Answer again',
    more: 'More actions',
    move: 'Move to a channel',
    tabs: ['Search', 'Given to replies', 'Notes in context'],
    searchAll: 'Search facts, notes and conversations',
    erase: 'Erase everything…',
  },
  fr: {
    close: 'Fermer',
    again: 'Répondre à nouveau',
    more: 'Autres actions',
    move: 'Déplacer vers un canal',
    tabs: ['Recherche', 'Fourni aux réponses', 'Notes en contexte'],
    searchAll: 'Rechercher dans les faits, les notes et les conversations',
    erase: 'Tout effacer…',
  },
};

/** Contrast depends on the appearance alone, names on the language alone: each is seen once. */
const SEEN = [
  { appearance: 'light', language: 'fr' },
  { appearance: 'dark', language: 'en' },
] as const;

for (const { appearance, language } of SEEN) {
  test.describe(() => {
    test.use({ settings: { appearance, language } });
    test(`nothing serious for axe in any pane or dialog: ${appearance}, ${language}`, async ({
      page,
      seeded,
    }) => {
      const words = WORDS[language];
      const check = async (where: string) => expect.soft(await seriousIn(page), where).toEqual([]);
      const beside = page.getByRole('complementary');
      const dialog = page.getByRole('dialog');
      await page.goto(seeded.host.url);
      await expect(page.locator('.dot').first()).toHaveAttribute('data-state', 'ready', { timeout: 60_000 });
      await check('chat, empty');
      await page.keyboard.press('Alt+Shift+N');
      await page.locator('[data-memoryless]').waitFor();
      await check('chat without memory');
      await page.keyboard.press('Alt+n');
      await page.locator('[data-composer]').fill('Où est le tournevis numéro 42 ?');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: words.again }).waitFor();
      await page.locator('.citation-title').first().click();
      await beside.waitFor();
      await check('chat, source');
      await page.locator('[data-conversation]').first().hover();
      await page.getByRole('button', { name: words.more }).first().click();
      await page.getByRole('menuitem', { name: words.move }).waitFor();
      await check('chat, menu');
      await page.getByRole('menuitem', { name: words.move }).click();
      await dialog.waitFor();
      await check('chat, move');
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
      await page.locator('[data-conversation]').last().focus();
      await page.keyboard.press('Delete');
      await page.getByRole('alert').waitFor();
      await check('chat, notice');
      await page.getByRole('alert').getByRole('button', { name: words.close }).click();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('note');
      // Search results come after the commands, with descriptions.
      await page.locator('.palette-description:not(:empty)').first().waitFor();
      await check('palette');
      await page.keyboard.press('Escape');
      await page.locator('.footer-state').click();
      await dialog.waitFor();
      await check('state of things');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Alt+2');
      await page.locator('[data-fact]').first().click();
      await beside.waitFor();
      await check('memory, fact');
      await page
        .getByText(words.tabs[0] as string, { exact: true })
        .first()
        .click();
      await page.locator('[data-pane-search]').fill('tournevis');
      await page.locator('[data-result]').first().waitFor();
      await check('memory, search');
      await page
        .getByText(words.tabs[1] as string, { exact: true })
        .first()
        .click();
      await page.getByRole('slider').first().waitFor();
      await check('memory, given');
      await page
        .getByText(words.tabs[2] as string, { exact: true })
        .first()
        .click();
      await page.locator('[data-context-note]').first().click();
      await beside.waitFor();
      await check('memory, context');
      await page.keyboard.press('Alt+3');
      await page.locator('[data-note]').first().click();
      await beside.waitFor();
      await check('notes');
      await page.keyboard.press('Alt+4');
      await page.locator('[data-trace]').first().click();
      await page.locator('.ledger-row').first().waitFor();
      await check('traces');
      await page.keyboard.press('Alt+5');
      await page.getByRole('button', { name: words.erase }).waitFor();
      await check('settings');
      await page.getByRole('button', { name: words.erase }).click();
      await dialog.waitFor();
      await check('settings, erase');
      await page.keyboard.press('Escape');
      await page.evaluate(() => {
        location.hash = '#/capture';
        location.reload();
      });
      await page.locator('.capture textarea').waitFor();
      await check('quick capture');
    });
  });
}
