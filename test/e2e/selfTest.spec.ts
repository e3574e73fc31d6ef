import { join } from 'node:path';
import { writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import { writeTinyModel } from '../support/tinyModel.ts';
import { seriousIn } from './axe.ts';
import { findChromium } from './browser.ts';
import { expect, type Page, type Place, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

const NOTES = {
  'Potager.md': '# Potager\n\nLes tomates se plantent à la mi-mai, après les saints de glace.',
  'Serre.md': '# Serre\n\nDans la serre, on peut planter les tomates dès avril.',
  'Recettes.md': '# Recettes\n\nLa tarte aux tomates se fait avec de la moutarde.',
};

/** A window in French, a question asked in it, with a model that is or was in a folder. */
async function asked(page: Page, place: Place, isModelHere: boolean): Promise<void> {
  writeNotes(place.vault, NOTES);
  const model = join(place.home, 'petit-modele');
  writeTinyModel(model);
  await place.fill(async (app) => {
    const { calibrations, clock } = app.services;
    await indexVault(app, place.vault);
    await app.services.vectors.settled();
    const known = {
      fingerprint: '0123456789abcdef',
      embedder: isModelHere ? model : join(place.home, 'ancien-modele'),
      bias: -2.85,
      slope: 6.62,
      contextualShare: 0.3,
      unrelated: 0.7,
      chance: 0.8,
      same: 0.9,
      pairs: 240,
      marks: 0,
      items: 300,
      at: clock.now(),
    };
    calibrations.set(known);
    await app.client.app.changeSettings({ language: 'fr' });
  });
  const host = await place.start();
  await page.goto(host.url);
  await page.getByLabel('Votre message').fill('Quand planter les tomates ?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Répondre à nouveau' })).toBeVisible();
}

const openSettings = (page: Page) => page.getByRole('button', { name: 'Réglages' }).first().click();

test('a change of retrieval is shown on the marks before it is made, and made or not', async ({
  page,
  place,
}) => {
  await asked(page, place, true);
  await openSettings(page);
  const minimum = page.getByRole('slider', { name: 'Exigence' });
  const dialog = page.getByRole('dialog', { name: 'Effet sur vos marques' });
  // Nothing is marked: nothing is in the way.
  await minimum.focus();
  await page.keyboard.press('ArrowRight');
  await expect(minimum).toHaveAttribute('aria-valuenow', '0.55');
  await expect(dialog).toHaveCount(0);

  await page.getByRole('button', { name: 'Traces', exact: true }).click();
  await page
    .getByRole('button', { name: /^Utile: / })
    .first()
    .click();
  await openSettings(page);
  await minimum.focus();
  await page.keyboard.press('End');
  await expect(dialog.getByRole('row').nth(1)).toContainText('Éléments utiles fournis');
  await expect(dialog.getByRole('status')).toContainText('Questions : 1');
  expect(await seriousIn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Ne pas changer' }).click();
  await expect(minimum).toHaveAttribute('aria-valuenow', '0.55');
  await minimum.focus();
  await page.keyboard.press('End');
  await dialog.getByRole('button', { name: 'Appliquer' }).click();
  await expect(minimum).toHaveAttribute('aria-valuenow', '0.8');
  await expect(page.getByText('non étalonnée : l’échelle d’origine est utilisée')).toBeVisible();
});

test('a trace is replayed with another model of meaning, which needs no index', async ({ page, place }) => {
  await asked(page, place, true);
  await page.getByRole('button', { name: 'Pourquoi cette réponse' }).click();
  const replay = page.getByRole('region', { name: 'Rejouer' });
  await replay.getByRole('combobox', { name: 'Modèle de recherche par le sens' }).click();
  await page.getByRole('option', { name: 'petit-modele' }).click();
  await replay.getByRole('button', { name: 'Rejouer' }).click();
  await expect(replay.getByRole('status')).toContainText(/jetons/);
  expect(await seriousIn(page)).toEqual([]);
});

test('a model that is not on this computer any more is named, and cannot be chosen', async ({
  page,
  place,
}) => {
  await asked(page, place, false);
  await page.getByRole('button', { name: 'Pourquoi cette réponse' }).click();
  const replay = page.getByRole('region', { name: 'Rejouer' });
  await replay.getByRole('combobox', { name: 'Modèle de recherche par le sens' }).click();
  await expect(
    page.getByRole('option', { name: 'ancien-modele (absent de cet ordinateur)' }),
  ).toHaveAttribute('data-combobox-disabled', 'true');
});
