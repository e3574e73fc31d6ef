import type { App } from '../../src/core/app.ts';
import type { FactId, TurnId } from '../../src/shared/ids.ts';
import { removeFolder } from '../support/temporary.ts';
import { ask } from '../support/testApp.ts';
import { seriousIn } from './axe.ts';
import { findChromium } from './browser.ts';
import { makeSeed, type Seed } from './seed.ts';
import { expect, type Page, startSeeded, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

const DAY_MS = 86_400_000;
const OLD = 1_200;

/** A contradiction, three near-duplicates in two pairs, a suggestion, and facts that were never given. */
async function fill(app: App, vault: string): Promise<void> {
  const { factStore, db } = app.services;
  const now = Date.now();
  const { id: vaultId } = await app.client.vaults.add({ path: vault });
  const add = (
    id: string,
    content: string,
    more: { daysAgo?: number; turnId?: TurnId; pending?: number } = {},
  ) => {
    const { daysAgo = 1, turnId = null, pending = null } = more;
    const anchor = { vaultId, path: 'Toit.md', heading: ['Toit'], hash: 'of another wording' };
    factStore.insert({
      id: id as FactId,
      content,
      kind: 'fact',
      subjects: [],
      importance: 0.5,
      source: turnId === null ? 'manual' : 'chat',
      channel: null,
      turnId,
      expiresAt: null,
      createdAt: now - daysAgo * DAY_MS,
      pending,
      anchor: id === 'fact_slate' ? anchor : null,
    });
  };
  const relate = (from: string, to: string, kind: 'related' | 'contradicts') =>
    db.run('INSERT INTO fact_edges VALUES (?, ?, ?, ?, NULL)', from, to, kind, now);
  const { turn } = await ask(app, 'Bonjour, que sait-on du hangar ?');
  db.transaction(() => {
    add('fact_yes', 'Hugo mange des noix', { daysAgo: 3 });
    add('fact_no', 'Hugo ne mange pas de noix', { daysAgo: 2 });
    add('fact_roof', 'Le toit du hangar fuit', { daysAgo: 3, turnId: turn.id });
    add('fact_since', 'Le toit du hangar fuit depuis lundi', { daysAgo: 2 });
    add('fact_gate', 'Le portail grince', { daysAgo: 3 });
    add('fact_gate_too', 'Le portail du jardin grince', { daysAgo: 2 });
    add('fact_tea', 'Anne préfère le thé vert', { pending: 0.6, turnId: turn.id });
    add('fact_slate', 'Le toit du hangar est en ardoise', { daysAgo: 5 });
    db.run('INSERT INTO fact_drift VALUES (?, ?)', 'fact_slate', now);
    for (let n = 0; n < OLD; n += 1) add(`fact_old_${n}`, `Fait ancien numéro ${n}`, { daysAgo: 40 + n });
    relate('fact_no', 'fact_yes', 'contradicts');
    relate('fact_since', 'fact_roof', 'related');
    relate('fact_gate_too', 'fact_gate', 'related');
  });
}

/** Tag of a test that begins with a fact which was changed here and in the facts note, and nothing else. */
const CHANGED_TWICE = '@changed-twice';

async function changeTwice({ client, services }: App, vault: string): Promise<void> {
  await client.vaults.add({ path: vault });
  const { id } = await client.facts.add({ content: 'David habite à Tarbes' });
  services.db.run('INSERT INTO fact_conflicts VALUES (?, ?, ?)', id, 'David habite à Toulouse', Date.now());
}

let seed: Seed;
let changedTwice: Seed;

test.beforeAll(async () => {
  seed = await makeSeed({ notes: { 'Toit.md': '# Toit\n\nLe toit du hangar est en tuiles.' }, fill });
  changedTwice = await makeSeed({ notes: { 'Tarbes.md': '# Tarbes\n' }, fill: changeTwice });
});
test.afterAll(() => {
  for (const { home } of [seed, changedTwice]) removeFolder(home);
});

test.beforeEach(async ({ page, hosts, settings }, { tags }) => {
  const { host } = await startSeeded(tags.includes(CHANGED_TWICE) ? changedTwice : seed, hosts, settings);
  await page.goto(host.url);
  await page.locator('[data-composer]').waitFor();
  await page.keyboard.press('Alt+2');
});

const tab = (page: Page, name: RegExp) => page.getByRole('radio', { name });
/** Clicks what a tab is called: the radio itself is not to be seen. */
const choose = (page: Page, name: RegExp) => page.locator('label').filter({ hasText: name }).first().click();
const items = (page: Page) => page.locator('[data-review]');
const detail = (page: Page) => page.getByRole('complementary', { name: 'To review' });
const undo = (page: Page, notice: string) =>
  page.getByRole('alert').filter({ hasText: notice }).last().getByRole('button', { name: 'Undo' }).click();

test('what needs a look is gone through by keyboard alone, and each act can be undone', async ({ page }) => {
  // What is never given is not counted.
  await expect(tab(page, /^Review 5$/)).toBeAttached();
  await tab(page, /^Review/).focus();
  await page.keyboard.press('Space');
  await expect(tab(page, /^Contradictions 1$/)).toBeChecked();
  await items(page).first().focus();
  await expect(detail(page)).toContainText('They contradict each other: only one says no.');
  await expect(detail(page).locator('mark')).toHaveText(['des', 'ne', 'pas de']);

  await page.keyboard.press('m');
  await expect(page.getByLabel('Wording of the merged fact')).toHaveValue('Hugo ne mange pas de noix');
  await page.keyboard.type('Hugo ne mange plus de noix');
  await page.keyboard.press('Enter');
  await expect(tab(page, /^To confirm 1$/)).toBeChecked();
  await undo(page, 'Merged: “Hugo ne mange plus de noix”');
  await expect(tab(page, /^Contradictions 1$/)).toBeAttached();

  await items(page).first().focus();
  await expect(detail(page)).toContainText('A reply suggests it.');
  await page.keyboard.press('Enter');
  await expect(tab(page, /^Contradictions 1$/)).toBeChecked();
  await expect(items(page).first()).toBeFocused();
  await page.keyboard.press('k');
  await expect(tab(page, /^Note changed 1$/)).toBeChecked();
  await expect(detail(page)).toContainText('Le toit du hangar est en tuiles');
  await page.keyboard.press('m');
  await expect(page.getByLabel('Wording', { exact: true })).toHaveValue('Le toit du hangar est en ardoise');
  await page.getByRole('button', { name: 'Le toit du hangar est en tuiles' }).click();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await expect(tab(page, /^Duplicates 2$/)).toBeChecked();

  await expect(items(page).first()).toBeFocused();
  await page.keyboard.press('j');
  await expect(items(page).nth(1)).toBeFocused();
  await page.keyboard.press('Shift+n');
  await expect(items(page).first()).toBeFocused();
  const meant = detail(page).locator('[data-chosen="true"]');
  await page.keyboard.press('ArrowRight');
  const gone = (await meant.locator('.review-text').textContent()) ?? '';
  await page.keyboard.press('f');
  await expect(items(page)).toHaveCount(1);
  await expect(items(page).first()).toBeFocused();
  await undo(page, '1 fact forgotten');
  await expect(items(page)).toHaveCount(2);
  await expect(page.getByRole('grid')).toContainText(gone);
});

test('thousands that were never given are selected together, kept, and shown again', async ({ page }) => {
  await choose(page, /^Review/);
  await choose(page, /^Never given/);
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', String(OLD));
  expect(await items(page).count()).toBeLessThan(60);
  await items(page).nth(1).click();
  await items(page)
    .nth(4)
    .click({ modifiers: ['Shift'] });
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByText('5 selected')).toBeVisible();
  await page.getByRole('button', { name: 'Keep', exact: true }).first().click();
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', String(OLD - 5));
  await undo(page, '5 items kept as they are');
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', String(OLD));
  // More come as the end of those that are here comes near.
  await items(page).first().focus();
  await page.keyboard.press('End');
  await expect(async () => {
    await page.keyboard.press('PageDown');
    await expect(page.getByText('Fait ancien numéro 119', { exact: true })).toBeVisible({ timeout: 500 });
  }).toPass();
});

test('selected facts are merged in the list, with their history beside it, and taken apart again', async ({
  page,
}) => {
  await page.getByLabel('Filter').first().fill('hangar fuit');
  await page.getByLabel('Select “Le toit du hangar fuit”').check();
  await page.getByLabel('Select “Le toit du hangar fuit depuis lundi”').check();
  await page.getByRole('button', { name: 'Merge' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge 2 facts' });
  await expect(dialog.getByLabel('Wording of the merged fact')).toHaveValue(
    'Le toit du hangar fuit depuis lundi',
  );
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-fact]')).toHaveCount(1);
  const drawer = page.getByRole('complementary');
  await expect(drawer.getByText('History')).toBeVisible();
  await expect(drawer.locator('.fact-history li')).toContainText([
    'Le toit du hangar fuit depuis lundi Replaced',
    'Le toit du hangar fuit until',
  ]);
  await drawer.getByRole('button', { name: 'Undo the merge' }).click();
  await expect(page.locator('[data-fact]')).toHaveCount(2);
  await expect(drawer.locator('.fact-history')).toHaveCount(0);
});

test('of a fact that was changed here and in the facts note, one wording is chosen by keyboard', {
  tag: CHANGED_TWICE,
}, async ({ page }) => {
  await choose(page, /^Review/);
  await expect(tab(page, /^Changed twice 1$/)).toBeChecked();
  await items(page).first().focus();
  await expect(detail(page)).toContainText('It was changed here and in the facts note.');
  await expect(detail(page).locator('mark')).toHaveText(['Tarbes', 'Toulouse']);
  const chosen = detail(page).locator('[data-chosen="true"]');
  await expect(chosen).toContainText('Tarbes');
  expect(await seriousIn(page)).toEqual([]);
  await page.keyboard.press('ArrowRight');
  await expect(chosen).toContainText('Toulouse');
  await page.keyboard.press('Enter');
  await expect(tab(page, /^Changed twice/)).toHaveCount(0);
  await choose(page, /^Facts/);
  await expect(page.getByRole('grid')).toContainText('David habite à Toulouse');
  await expect(page.getByRole('grid')).not.toContainText('Tarbes');
});

test('a turn that suggested something leads to it', async ({ page }) => {
  await page.keyboard.press('Alt+1');
  await page.locator('[data-conversation]').first().click();
  await page.getByRole('button', { name: '1 to review' }).click();
  await expect(tab(page, /^To confirm 1$/)).toBeChecked();
  await expect(detail(page)).toContainText('Anne préfère le thé vert');
  await detail(page).getByRole('button', { name: 'Confirm' }).click();
  await expect(tab(page, /^To confirm/)).toHaveCount(0);
  await page.keyboard.press('Alt+1');
  await expect(page.getByRole('button', { name: '1 to review' })).toHaveCount(0);
});

for (const language of ['en', 'fr'] as const) {
  test.describe(() => {
    test.use({ settings: { language, appearance: language === 'fr' ? 'dark' : 'light' } });
    test(`nothing serious for axe in Review: ${language}`, async ({ page }) => {
      await choose(page, language === 'fr' ? /^À vérifier/ : /^Review/);
      await items(page).first().click();
      await page.getByRole('complementary').waitFor();
      expect(await seriousIn(page)).toEqual([]);
      await page.keyboard.press('m');
      await page.locator('.wording-editor textarea').waitFor();
      expect(await seriousIn(page)).toEqual([]);
    });
  });
}
