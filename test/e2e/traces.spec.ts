import { writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import { seriousIn } from './axe.ts';
import { findChromium } from './browser.ts';
import { expect, type Page, type Place, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

const QUESTION = 'Quand planter les tomates ?';

/** Notes of which more than four answer, and one that does not. */
const NOTES = {
  'Potager.md': '# Potager\n\nLes tomates se plantent à la mi-mai, après les saints de glace.',
  'Serre.md': '# Serre\n\nDans la serre, on peut planter les tomates dès avril.',
  'Semis.md': '# Semis\n\nSemer les tomates en mars, les planter huit semaines plus tard.',
  'Lune.md': '# Lune\n\nPlanter les tomates en lune montante, disent les anciens.',
  'Variétés.md': '# Variétés\n\nLes tomates cerises se plantent plus serrées que les autres tomates.',
  'Recettes.md': '# Recettes\n\nLa tarte aux tomates se fait avec de la moutarde.',
};

/** A window on these notes in French, with the question asked. */
async function asked(page: Page, place: Place): Promise<void> {
  writeNotes(place.vault, NOTES);
  await place.fill(async (app) => {
    await indexVault(app, place.vault);
    await app.services.vectors.settled();
    await app.client.app.changeSettings({ language: 'fr' });
  });
  const host = await place.start();
  await page.goto(host.url);
  await page.getByLabel('Votre message').fill(QUESTION);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Répondre à nouveau' })).toBeVisible();
}

test('an item is marked as wrong under the reply, is not given again, and is once the mark is taken back', async ({
  page,
  place,
}) => {
  await asked(page, place);
  const citations = page.locator('.citation');
  const potager = citations.filter({ hasText: 'Potager' });
  const wrong = potager.getByRole('button', { name: 'Hors sujet ici: Potager' });
  await wrong.focus();
  await page.keyboard.press('Enter');
  await expect(wrong).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Répondre à nouveau' }).click();
  await expect(citations.filter({ hasText: 'Serre' })).toBeVisible();
  await expect(potager).toHaveCount(0);
  await page.getByRole('button', { name: 'Pourquoi cette réponse' }).click();
  const row = page.locator('.ledger-row').filter({ hasText: 'Potager' });
  await expect(row).toContainText('hors sujet : vous l’avez dit pour une question proche');
  await expect(row).toContainText('ressemblance 1,00');
  expect(await seriousIn(page)).toEqual([]);
  const unmark = row.getByRole('button', { name: 'Hors sujet ici: Potager' });
  await expect(unmark).toHaveAttribute('aria-pressed', 'true');
  await unmark.click();
  await expect(unmark).toHaveAttribute('aria-pressed', 'false');
  await page.getByRole('button', { name: 'Ouvrir la conversation' }).click();
  await page.getByRole('button', { name: 'Répondre à nouveau' }).click();
  await expect(potager).toBeVisible();
});
