import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { fixtureVault } from '../fixtures/vault.ts';
import { writeNotes } from '../support/temporary.ts';
import { findChromium } from './browser.ts';
import type { RunningHost } from './host.ts';
import { expect, type Page, test } from './test.ts';
import { forgiveLostConnection } from './watch.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

let host: RunningHost;

test.beforeEach(async ({ place }) => {
  writeNotes(place.vault, fixtureVault);
  mkdirSync(join(place.home, '.config', 'obsidian'), { recursive: true });
  writeFileSync(
    join(place.home, '.config', 'obsidian', 'obsidian.json'),
    JSON.stringify({
      vaults: {
        '0a1b2c3d4e5f6071': { path: place.vault, ts: 1_700_000_000_000 },
        gone: { path: '/nowhere/Ancien', ts: 1 },
      },
    }),
  );
  host = await place.start();
});

async function addVault(page: Page): Promise<void> {
  await page.goto(host.url);
  await page.getByRole('button', { name: /^Carnet/ }).click();
  await page.getByRole('button', { name: 'Index this vault' }).click();
  await expect(page.getByLabel('Your message')).toBeVisible();
  await page.getByRole('button', { name: 'Notes', exact: true }).click();
  await expect(page.getByText(/^Indexed 11/)).toBeVisible();
  await page.getByRole('button', { name: 'Chat', exact: true }).click();
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Your message').fill(question);
  await page.keyboard.press('Enter');
  await expect(page.locator('.question').filter({ hasText: question }).last()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Answer again' }).last()).toBeVisible();
}

test('first run: choose a vault that Obsidian knows, see what is there, index it, ask', async ({ page }) => {
  await page.goto(host.url);
  await expect(page.getByRole('heading', { name: 'Choose a vault' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Ancien.*not found/ })).toBeDisabled();
  await page.getByRole('button', { name: /^Carnet.*11 notes/ }).click();
  const found = page
    .getByRole('region')
    .filter({ hasText: 'Found in Carnet' })
    .or(page.locator('section').filter({ hasText: 'Found in Carnet' }));
  await expect(found.last()).toContainText('Notes and folders excluded in Obsidian1');
  await page.getByRole('button', { name: 'Index this vault' }).click();
  await ask(page, 'Quand faut-il planter les tomates ?');
  // A reply given before indexing has ended says so, and offers to ask again.
  await expect(async () => {
    const again = page.getByRole('button', { name: 'Ask again' });
    if (await again.isVisible()) await again.click({ timeout: 2_000 });
    await expect(page.getByText('Passages les plus proches dans vos notes et conversations')).toBeVisible({
      timeout: 1_000,
    });
  }).toPass();
  const first = page.locator('.citation').first();
  await expect(first).toContainText('Jardin');
  await expect(first).toContainText('Tomates');
  await expect(first.locator('mark').first()).toBeVisible();
  // The token is used up and no longer in the address, but a reload still connects.
  expect(page.url()).not.toContain('token');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Quand faut-il planter les tomates ?' })).toBeVisible();
});

test('a folder can be given by hand, with completion, and a wrong one says so', async ({ page, place }) => {
  await page.goto(host.url);
  const field = page.getByRole('combobox', { name: 'Vault folder' }).or(page.getByLabel('Vault folder'));
  await field.first().fill('/nowhere/at/all');
  await page.getByRole('button', { name: 'Check folder' }).click();
  await expect(page.getByText('There is no folder at /nowhere/at/all.')).toBeVisible();
  await field.first().fill(`${place.home}/Car`);
  await page.getByRole('option', { name: place.vault }).click();
  await page.getByRole('button', { name: 'Check folder' }).click();
  await expect(page.getByText('Found in Carnet')).toBeVisible();
});

test('a citation previews its passage, shows its source, and opens in Obsidian', async ({ page }) => {
  await addVault(page);
  await ask(page, 'Which import is slow in Atlas?');
  const title = page.locator('.citation-title').first();
  await title.hover();
  await expect(page.locator('.mantine-HoverCard-dropdown')).toBeVisible();
  await title.click();
  const source = page.getByRole('complementary', { name: 'Source' });
  await expect(source).toContainText('Relevance');
  await expect(source.getByRole('link', { name: 'Open in Obsidian' })).toHaveAttribute(
    'href',
    /^obsidian:\/\/open\?vault=0a1b2c3d4e5f6071&file=.+%23/,
  );
  await source.getByRole('button', { name: 'Show the note' }).click();
  await expect(page.getByRole('heading', { name: 'Used in these answers' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Which import is slow/ })).toBeVisible();
  await page.getByRole('button', { name: /Which import is slow/ }).click();
  await expect(page.locator('.question')).toBeVisible();
});

test('an edited note changes the answer, a deleted one leaves it', async ({ page, place }) => {
  await addVault(page);
  await ask(page, 'Quand planter les tomates ?');
  await expect(page.locator('.citation').first()).toContainText('mi-mai');
  const file = join(place.vault, 'Maison/Jardin.md');
  writeFileSync(file, readFileSync(file, 'utf8').replace('vers la mi-mai', 'début juin'));
  await expect(page.locator('.citation').first()).toContainText('début juin');
  await expect(page.locator('.citation').first()).toContainText('edited since');
  await page.getByRole('button', { name: 'Answer again' }).click();
  await expect(page.getByText('Answer 2 of 2')).toBeVisible();
  await expect(page.locator('.citation').first()).not.toContainText('edited since');
  await page.getByRole('button', { name: 'Previous answer' }).click();
  await expect(page.getByText('Answer 1 of 2')).toBeVisible();
  rmSync(file);
  await expect(page.locator('.citation').first()).toContainText('no longer exists');
  await ask(page, 'Où sont les Marmande et les Cornue des Andes ?');
  await expect(page.getByText('Rien à ce sujet dans vos notes ni dans vos conversations.')).toBeVisible();
  await expect(page.getByText(/^Cherché dans\s: 10 notes/)).toBeVisible();
  await ask(page, 'Merci beaucoup, à demain !');
  await expect(page.locator('.reply').last()).toHaveText(/^Je vous en prie\./);
  await ask(page, 'Good morning!');
  await expect(page.locator('.reply').last()).toHaveText(/^Hello\. What are you looking for\?/);
  await expect(page.getByText(/^Cherché dans|^Searched:/)).toHaveCount(1);
});

test('conversations are renamed, deleted, brought back and searched, by keyboard', async ({ page }) => {
  await addVault(page);
  await ask(page, 'Où en est Atlas ?');
  const row = page.locator('[data-conversation]').first();
  await row.focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('Suivi Atlas');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Suivi Atlas' })).toBeVisible();
  await page.keyboard.press('Alt+n');
  await ask(page, 'Une tarte aux pommes');
  await page.getByRole('button', { name: 'Suivi Atlas' }).focus();
  await page.keyboard.press('Delete');
  await expect(page.getByText('“Suivi Atlas” deleted.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Suivi Atlas' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect(page.getByRole('button', { name: 'Suivi Atlas' })).toBeVisible();
  await page.getByLabel('Your message').press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type('pommes');
  await expect(page.getByRole('button', { name: 'Suivi Atlas' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Une tarte aux pommes' })).toBeVisible();
});

test('after a restart everything is found again, and an old address opens nothing', async ({
  page,
  context,
  place,
  problems,
}) => {
  await addVault(page);
  await ask(page, 'How should I link my notes?');
  const oldUrl = host.url;
  await host.stop();
  await expect(page.getByText('Start it again; your draft is below.')).toBeVisible({ timeout: 20_000 });
  forgiveLostConnection(problems);
  await page.close();
  writeNotes(place.vault, {
    'Pendant.md': 'Une note écrite pendant que Souvenir était fermé, sur le xylophone.',
  });
  host = await place.start();
  const again = await context.newPage();
  await again.goto(host.url);
  await again.getByRole('button', { name: 'How should I link my notes?' }).click();
  await expect(again.locator('.citation').first()).toContainText('Links matter more than folders');
  // Text written meanwhile is found once the vault was scanned.
  await expect(async () => {
    await ask(again, 'Le xylophone');
    await expect(again.locator('.turn').last().locator('.citation').first()).toContainText('Pendant', {
      timeout: 2_000,
    });
  }).toPass();
  const spent = await context.newPage();
  await spent.goto(host.url.replace(/#.*/, oldUrl.replace(/.*#/, '#')));
  await expect(spent.getByText('This address has already been used')).toBeVisible({ timeout: 20_000 });
});

test('the notes pane tells the state of every note, by keyboard too', async ({ page, place }) => {
  await addVault(page);
  await page.keyboard.press('Alt+3');
  await page.getByText(/^Needs attention 1/).click();
  const broken = page.getByRole('row', { name: /Propriétés cassées/ });
  await broken.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Its properties are not valid YAML.')).toBeVisible();
  await page.getByText(/^All 11/).click();
  await page.getByLabel('Filter by title or path').fill('atlas');
  await expect(page.locator('[data-note]')).toHaveCount(2);
  await page.locator('[data-note]').first().click();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('[data-note]').nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.getByLabel('Filter by title or path').fill('contacts');
  await page.locator('[data-note]').first().click();
  await expect(page.getByRole('button', { name: /Chaudière/ })).toBeVisible();
  renameSync(join(place.vault, 'Contacts.md'), join(place.vault, 'Carnet d’adresses.md'));
  await page.getByLabel('Filter by title or path').fill('adresses');
  await expect(page.locator('[data-note]')).toHaveCount(1);
});

test('settings: language, appearance, patterns with their preview, removal with undo', async ({
  page,
  place,
}) => {
  await addVault(page);
  await page.keyboard.press('Alt+5');
  await page.getByLabel(/^Excluded files/).fill('Recettes/');
  await page.getByRole('button', { name: 'Show excluded files' }).click();
  await expect(page.getByText('2 files are excluded')).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('9 of 9 notes indexed')).toBeVisible();
  await page.getByRole('button', { name: 'Remove from Souvenir' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('9 of 9 notes indexed')).toBeVisible();
  await page.getByText('Dark', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page
    .getByRole('combobox', { name: 'Interface language' })
    .or(page.getByLabel('Interface language'))
    .first()
    .click();
  await page.getByRole('option', { name: 'Français' }).click();
  await expect(page.getByRole('heading', { name: 'Réglages' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  await page
    .getByRole('button', { name: 'Revenir à la valeur par défaut: Appearance' })
    .or(page.getByRole('button', { name: /Revenir à la valeur par défaut.*Apparence/ }))
    .first()
    .click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await page.getByLabel('Rechercher un réglage').fill('dossier de données');
  await expect(page.getByText(place.dataDir)).toBeVisible();
  await expect(page.getByText('Apparence')).toHaveCount(0);
});

test('what is learnt is shown under the reply, with undo', async ({ page }) => {
  await addVault(page);
  await ask(page, 'Souviens-toi que le code du portail est 4812.');
  await expect(page.getByText('Learnt: “Le code du portail est 4812”')).toBeVisible();
  await page.keyboard.press('Alt+n');
  await ask(page, 'Quel est le code du portail ?');
  await expect(page.locator('.citation').first()).toContainText('4812');
  await page.getByRole('button', { name: /^Souviens-toi que/ }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('“Le code du portail est 4812”')).toHaveCount(0);

  // A fact that was corrected since keeps its correction: the line says what was learnt then, and links to the fact.
  await page.keyboard.press('Alt+n');
  await ask(page, 'Souviens-toi que la cave ferme à huit heures.');
  await page.keyboard.press('Alt+2');
  await page.locator('[data-fact]').first().click();
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.type(' et demie');
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-fact]').first()).toContainText('huit heures et demie');
  await page.keyboard.press('Alt+1');
  await expect(page.getByText('Learnt: “La cave ferme à huit heures”')).toBeVisible();
  await expect(page.getByText('Changed since')).toBeVisible();
  await expect(page.getByRole('article').getByRole('button', { name: 'Undo' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Open the fact' }).click();
  await expect(
    page.getByRole('complementary', { name: 'La cave ferme à huit heures et demie' }),
  ).toBeVisible();
});

test('a chat model is set by its address, answers, fails plainly, and is traced', async ({ page }) => {
  const server = await startOpenAiServer();
  server.behave({ kind: 'reply', text: 'Vers la **mi-mai** [1].' });
  await addVault(page);
  await page.keyboard.press('Alt+5');
  await page.getByLabel('Server address').fill(server.baseUrl);
  await page.keyboard.press('Enter');
  await page
    .getByRole('combobox', { name: 'Model', exact: true })
    .or(page.getByLabel('Model', { exact: true }))
    .first()
    .click();
  await page.getByRole('option', { name: 'small' }).click();
  await page.keyboard.press('Alt+1');
  await ask(page, 'Quand planter les tomates ?');
  await expect(page.locator('.reply strong').first()).toHaveText('mi-mai');
  await expect(page.locator('.citation').first()).toContainText('Jardin');
  await page.getByText('Given, not cited').first().click();
  await ask(page, 'Et les tomates, on les plante quand ?');
  await page.getByRole('button', { name: 'Why this answer' }).first().click();
  await expect(page.getByRole('heading', { name: 'Quand planter les tomates ?' })).toBeVisible();
  await page.locator('[data-trace]').first().click();
  await expect(page.getByRole('heading', { name: 'Et les tomates, on les plante quand ?' })).toBeVisible();
  await expect(page.getByText(/^in the prompt since turn 1/).first()).toBeVisible();
  await page.locator('[data-trace]').nth(1).click();
  await expect(page.locator('.ledger-row').first()).toContainText('answers the question');
  await server.close();
  await page.keyboard.press('Alt+1');
  await page.keyboard.press('Alt+n');
  await page.getByLabel('Your message').fill('Bonjour');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^No model server answers at/)).toBeVisible();
});
