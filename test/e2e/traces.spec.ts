import type { Settings } from '../../src/shared/settings.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
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
  'Recettes.md':
    '# Recettes\n\nLa tarte se fait avec de la moutarde, des oignons, du thym, une pâte brisée et deux tomates.',
};

/** A window on these notes in French, with the question asked. */
async function asked(page: Page, place: Place, settings: Partial<Settings> = {}): Promise<void> {
  writeNotes(place.vault, NOTES);
  await place.fill(async (app) => {
    await indexVault(app, place.vault);
    await app.services.vectors.settled();
    await app.client.app.changeSettings({ language: 'fr', ...settings });
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
  await expect(citations).toHaveCount(4);
  const title = await citations.first().locator('.citation-title').innerText();
  const marked = citations.filter({ has: page.locator('.citation-title', { hasText: title }) });
  const wrong = marked.getByRole('button', { name: `Hors sujet ici: ${title}` });
  await wrong.focus();
  await page.keyboard.press('Enter');
  await expect(wrong).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Répondre à nouveau' }).click();
  await expect(marked).toHaveCount(0);
  await expect(citations).toHaveCount(4);
  await page.getByRole('button', { name: 'Pourquoi cette réponse' }).click();
  const row = page.locator('.ledger-row').filter({ hasText: title });
  await expect(row).toContainText('hors sujet : vous l’avez dit pour une question proche');
  await expect(row).toContainText('ressemblance 1,00');
  expect(await seriousIn(page)).toEqual([]);
  const unmark = row.getByRole('button', { name: `Hors sujet ici: ${title}` });
  await expect(unmark).toHaveAttribute('aria-pressed', 'true');
  await unmark.click();
  await expect(unmark).toHaveAttribute('aria-pressed', 'false');
  await page.getByRole('button', { name: 'Ouvrir la conversation' }).click();
  await page.getByRole('button', { name: 'Répondre à nouveau' }).click();
  await expect(marked).toBeVisible();
});

test('a trace tells why the first were given, why the next was not, when what is held back returns, and what another minimum does', async ({
  page,
  place,
  hosts,
}) => {
  const server = await startOpenAiServer({ contextTokens: 16_384 });
  hosts.afterwards(() => server.close());
  await asked(page, place, { 'chat.baseUrl': server.baseUrl, 'chat.model': 'small', learnWithModel: 'off' });
  await page.getByRole('button', { name: 'Pourquoi cette réponse' }).click();
  const rows = page.locator('.ledger-row');
  const [fourth, fifth] = [rows.nth(3), rows.nth(4)];
  for (const place of [0, 1, 2, 3]) await expect(rows.nth(place)).toContainText('répond à la question');
  await expect(fifth).toContainText('au-delà de la limite de 4');
  await expect(rows.filter({ hasText: 'Recettes' })).toContainText('sous le minimum de 0,50');
  await page.getByText('Composition de la pertinence').click();
  await expect(page.locator('.layout-table').last()).toContainText(/mots 0,\d\d · mots proches 0,\d\d/);
  const replay = page.getByRole('region', { name: 'Rejouer' });
  const outcome = replay.getByRole('status');
  await replay.getByRole('button', { name: 'Rejouer' }).click();
  await expect(outcome).toContainText('Les mêmes éléments seraient fournis.');
  // With the keyboard alone: the minimum as high as it goes, then a number of one.
  const minimum = replay.getByRole('slider', { name: 'Pertinence minimale' });
  await minimum.focus();
  await page.keyboard.press('Home');
  const number = replay.getByLabel('Passages par réponse');
  await number.fill('6');
  await number.press('Tab');
  await replay.getByRole('button', { name: 'Rejouer' }).click();
  await expect(outcome).toContainText('serait fourni ; il ne l’était pas : au-delà de la limite de 4');
  await minimum.focus();
  await page.keyboard.press('End');
  await number.fill('1');
  await number.press('Tab');
  await replay.getByRole('button', { name: 'Rejouer' }).click();
  await expect(outcome.locator('[data-change="dropped"]')).toHaveCount(3);
  await expect(outcome).toContainText('ne serait pas fourni : au-delà de la limite de 1');
  expect(await seriousIn(page)).toEqual([]);
  await expect(fourth).toBeVisible();
  await page.getByRole('button', { name: 'Ouvrir la conversation' }).click();
  await page.getByLabel('Votre message').fill('Et quand planter les tomates cerises ?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Pourquoi cette réponse' })).toHaveCount(2);
  await page.getByRole('button', { name: 'Pourquoi cette réponse' }).last().click();
  // The replays have asked the model nothing; summaries are jobs of their own.
  const questions = server.prompts.flatMap(({ messages }) => messages.at(-1)?.content ?? []);
  for (const question of [QUESTION, 'Et quand planter les tomates cerises ?'])
    expect(questions.filter((text) => text === question)).toHaveLength(1);
  const held = rows.filter({ hasText: 'déjà envoyé depuis l’échange 1' }).first();
  await expect(held).toContainText('11');
});
