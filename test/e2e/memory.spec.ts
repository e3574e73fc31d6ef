import { join } from 'node:path';
import { writeNotes } from '../support/temporary.ts';
import { findChromium } from './browser.ts';
import { FACTS } from './seed.ts';
import { expect, type Page, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

test.beforeEach(async ({ page, seeded }) => {
  await page.goto(seeded.host.url);
  await page.getByRole('button', { name: 'Memory', exact: true }).click();
});

/** Undoes the action whose notice has this text. */
const undo = (page: Page, notice: string) =>
  page.getByRole('alert').filter({ hasText: notice }).last().getByRole('button', { name: 'Undo' }).click();
const row = (page: Page, text: string | RegExp) => page.locator('[data-fact]').filter({ hasText: text });

test('facts are filtered, edited in place, pinned, deleted and brought back, by keyboard', async ({
  page,
}) => {
  await expect(page.getByRole('grid', { name: 'Facts' })).toHaveAttribute('aria-rowcount', String(FACTS));
  // The page holds only the rows in view.
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
  await undo(page, '1 fact forgotten');
  await expect(row(page, 'arachides')).toBeVisible();
});

test('facts are added, changed beside the list, selected together and deleted, by mouse', async ({
  page,
}) => {
  await page.getByLabel('A fact to remember').fill('Le portail ferme à 22 h');
  await page.getByRole('button', { name: 'Remember' }).click();
  await expect(row(page, 'Le portail ferme à 22 h')).toBeVisible();
  await row(page, 'Le portail ferme à 22 h').click();
  await page.getByLabel('Fact', { exact: true }).last().fill('Le portail ferme à 23 h');
  await page.getByRole('complementary').getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Event' }).click();
  await expect(row(page, 'Le portail ferme à 23 h')).toContainText('Event');
  await expect(page.getByText('History')).toBeVisible();
  await page.getByLabel('Select “Fait numéro 0”', { exact: true }).check();
  await page.getByLabel('Select “Fait numéro 1”', { exact: true }).check();
  await page.getByRole('button', { name: 'Forget 2 facts' }).click();
  await expect(row(page, /^Fait numéro [01]$/)).toHaveCount(0);
  await undo(page, '2 facts forgotten');
  await expect(page.locator('[data-fact="fact_0"]')).toBeVisible();
  await page.locator('[data-fact="fact_0"]').click();
  await page.getByRole('complementary').getByRole('button', { name: 'Forget', exact: true }).click();
  await expect(page.locator('[data-fact="fact_0"]')).toHaveCount(0);
  await page.getByRole('switch', { name: 'Include past' }).click();
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
  await page.getByLabel('Your message').fill('À quoi Léa est-elle allergique ?');
  await page.keyboard.press('Enter');
  await expect(page.locator('.citation').first()).toContainText('arachides');
  await page.keyboard.press('Alt+2');
  await page.getByText('Given to replies', { exact: true }).click();
  await expect(page.getByRole('heading', { name: /^Given for “À quoi Léa/ })).toBeVisible();
  await expect(page.locator('.preview').first()).toContainText('arachides');
  await page.getByRole('slider', { name: 'How strict' }).focus();
  for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
  await expect(page.getByText('0.80')).toBeVisible();
});

const tab = (page: Page, name: string) => page.getByText(name, { exact: true }).first();
const choose = async (page: Page, field: string, option: string | RegExp) => {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option }).click();
};

test('facts are filtered by kind, subject, source, age and use, and the filter is cleared', async ({
  page,
}) => {
  const count = async () =>
    Number(await page.getByRole('grid', { name: 'Facts' }).getAttribute('aria-rowcount'));
  await expect.poll(count).toBe(FACTS);
  await choose(page, 'Kind', 'Goal');
  await expect.poll(count).toBeLessThan(FACTS / 6);
  await choose(page, 'Subject', 'Maison');
  await expect.poll(count).toBeLessThan(60);
  await choose(page, 'Source', 'Import');
  await expect.poll(count).toBeLessThan(20);
  await choose(page, 'Age', 'Last day');
  await expect(page.getByText('No fact matches.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await expect.poll(count).toBe(FACTS);
  await choose(page, 'Use', 'Given before');
  await expect(page.getByText('No fact matches.')).toBeVisible();
  await choose(page, 'Use', 'Never given');
  await expect.poll(count).toBe(FACTS);
});

test('facts by keyboard alone: added, walked through, selected together, deleted, brought back', async ({
  page,
}) => {
  await page.getByLabel('A fact to remember').focus();
  await page.keyboard.type('La clé de l’été est sous le pot');
  await page.keyboard.press('Enter');
  await expect(row(page, 'La clé de l’été')).toBeVisible();
  await row(page, 'La clé de l’été').focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('[data-fact="fact_0"]')).toBeFocused();
  await page.keyboard.press(' ');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press(' ');
  await expect(page.getByText('2 selected')).toBeVisible();
  await page.keyboard.press('PageDown');
  await expect(page.locator('[data-fact="fact_11"]')).toBeFocused();
  await page.keyboard.press('F2');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Delete');
  await expect(page.locator('[data-fact="fact_0"]')).toHaveCount(0);
  await page
    .getByRole('alert')
    .filter({ hasText: '2 facts forgotten' })
    .getByRole('button', { name: 'Undo' })
    .focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-fact="fact_0"]')).toBeVisible();
});

test('all 2,000 facts are deleted together and brought back', async ({ page }) => {
  await expect(page.locator('[data-fact="fact_0"]')).toBeVisible();
  await page.getByLabel('Select all').check();
  await page.getByRole('button', { name: 'Forget 2,000 facts' }).click();
  await expect(page.getByText(/^No facts yet/)).toBeVisible();
  await undo(page, '2,000 facts forgotten');
  await expect(page.getByRole('grid', { name: 'Facts' })).toHaveAttribute('aria-rowcount', String(FACTS));
});

test('a fact leads to the message it came from, and a deleted one is restored beside the list', async ({
  page,
}) => {
  await page.keyboard.press('Alt+1');
  await page.getByLabel('Your message').fill('Souviens-toi que le portail grince.');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Learnt: “Le portail grince”')).toBeVisible();
  await page.keyboard.press('Alt+n');
  await page.keyboard.press('Alt+2');
  await row(page, 'Le portail grince').click();
  const drawer = page.getByRole('complementary');
  await drawer.getByRole('button', { name: 'Pin' }).click();
  await expect(drawer.getByRole('button', { name: 'Unpin' })).toBeVisible();
  await drawer.getByLabel('Subjects').last().fill('Portail');
  await page.keyboard.press('Enter');
  await expect(row(page, 'Le portail grince')).toContainText('Portail');
  await drawer.getByText('More', { exact: true }).click();
  await drawer.getByRole('slider', { name: 'Importance' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('alert').filter({ hasText: 'Changed' }).last()).toBeVisible();
  await drawer.getByRole('button', { name: 'Forget', exact: true }).click();
  await expect(row(page, 'Le portail grince')).toHaveCount(0);
  await page.getByRole('switch', { name: 'Include past' }).click();
  await expect(row(page, 'Le portail grince')).toContainText('Forgotten');
  await row(page, 'Le portail grince').click();
  await drawer.getByRole('button', { name: 'Undo' }).click();
  await expect(row(page, 'Le portail grince')).not.toContainText('Forgotten');
  await drawer.getByRole('button', { name: 'Open the conversation' }).click();
  await expect(page.locator('.question')).toContainText('Souviens-toi que le portail grince');
  await expect(page.locator('[data-turn]').first()).toBeFocused();
});

test('search is narrowed by filters, says which one to clear, and opens what it finds, by keyboard too', async ({
  page,
}) => {
  await expect(page.locator('.dot').first()).toHaveAttribute('data-state', 'ready', { timeout: 60_000 });
  await tab(page, 'Search').click();
  await page.keyboard.press('/');
  await page.keyboard.type('prévue mardi');
  const results = page.locator('[data-result]');
  await expect(results.first()).toBeVisible();
  const filters = page.getByRole('button', { name: /^Filters/ });
  const chips = page.getByRole('list', { name: 'Filters in use' });
  const choose = async (part: string, value: string) => {
    await filters.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: part, exact: true }).click();
    await page.getByRole('option', { name: value, exact: true }).click();
    await page.keyboard.press('Escape');
    await expect(filters).toBeFocused();
  };
  await choose('Channel', 'Travail');
  await expect(results).toHaveCount(1);
  await expect(results).toContainText('Travail');
  await results.first().focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.imported').first()).toContainText('Migration Atlas');
  await page.keyboard.press('Alt+2');
  await expect(chips.getByRole('listitem')).toHaveText(['Channel: Travail']);
  await choose('Kind', 'Notes');
  await expect(page.getByText(/^No results with these filters/)).toBeVisible();
  await page.getByRole('button', { name: /^Clear “Kind: Notes”: 1 result$/ }).click();
  await expect(results).toHaveCount(1);
  await chips.getByRole('button', { name: 'Clear the filter “Channel: Travail”' }).focus();
  await page.keyboard.press('Enter');
  await expect(chips).toHaveCount(0);
  await page.getByLabel('Search facts, notes and conversations').fill('tournevis numéro 42');
  await tab(page, 'Words').click();
  await choose('Folder', 'Dossier 6');
  await expect(results.first()).toContainText('Note 42');
  await expect(results.first()).toContainText('Dossier 6/');
  await filters.click();
  await page.getByLabel('From', { exact: true }).fill('2000-01-01');
  await page.getByLabel('Until', { exact: true }).fill('2000-01-31');
  await page.keyboard.press('Escape');
  await expect(chips.getByRole('listitem')).toHaveCount(3);
  await expect(results).toHaveCount(0);
  await page.getByRole('button', { name: /^Clear “Until: 31 January 2000”/ }).click();
  await expect(results.first()).toContainText('Note 42');
  await results.first().click();
  await expect(page.getByRole('complementary', { name: 'Note 42' })).toBeVisible();
});

test('what is given: switched off and on, how many, why, and the settings behind it', async ({ page }) => {
  await page.keyboard.press('Alt+1');
  await page.getByLabel('Your message').fill('À quoi Léa est-elle allergique ?');
  await page.keyboard.press('Enter');
  await expect(page.locator('.citation').first()).toContainText('arachides');
  await page.keyboard.press('Alt+2');
  await tab(page, 'Given to replies').click();
  const preview = page.locator('.preview').first().locator('li');
  await expect(preview.first()).toContainText('arachides');
  await page.getByRole('slider', { name: 'Passages per answer' }).focus();
  await page.keyboard.press('Home');
  // The note with the context tag is given to every message, beside the one passage.
  await expect(preview).toHaveText([/arachides/, /Contexte/]);
  const onOff = page.getByRole('switch', { name: 'Use notes and memory' });
  await onOff.focus();
  await page.keyboard.press(' ');
  await expect(onOff).not.toBeChecked();
  await page.getByText('Use notes and memory').click();
  await onOff.click();
  await expect(onOff).toBeChecked();
  await page.getByRole('button', { name: 'Why' }).first().click();
  await expect(page.getByRole('heading', { name: 'À quoi Léa est-elle allergique ?' })).toBeVisible();
  await page.keyboard.press('Alt+2');
  await page.getByRole('button', { name: 'More settings' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', exact: true })).toBeVisible();
});

test('notes in context: pinned by name, previewed, unpinned with undo, and by their tag', async ({
  page,
}) => {
  await expect(page.locator('.dot').first()).toHaveAttribute('data-state', 'ready', { timeout: 60_000 });
  await tab(page, 'Notes in context').click();
  await expect(page.getByRole('button', { name: 'Contexte Contexte.md' })).toBeVisible();
  const picker = page.getByRole('combobox', { name: 'Pin a note by title or path' });
  await picker.fill('note 123');
  await page.getByRole('option', { name: /^Note 123 / }).click();
  const pinned = page.getByRole('button', { name: /^Note 123 / });
  await pinned.click();
  await expect(page.getByRole('complementary', { name: 'Note 123' })).toContainText('tournevis numéro 123');
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Unpin “Note 123”' }).click();
  await expect(pinned).toHaveCount(0);
  await undo(page, 'unpinned');
  await expect(pinned).toBeVisible();
  // With the keyboard.
  await picker.focus();
  await page.keyboard.type('note 77');
  await expect(page.getByRole('option', { name: /^Note 77 / })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Note 77 / })).toBeVisible();
  const tag = page.getByLabel('Tag of notes in context');
  await tag.fill('rien/de/tel');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^No note carries #rien\/de\/tel/)).toBeVisible();
  await tag.fill('#souvenir');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Contexte Contexte.md' })).toBeVisible();
  await page.getByRole('switch', { name: 'Notes in context' }).focus();
  await page.keyboard.press(' ');
  await expect(page.getByRole('switch', { name: 'Notes in context' })).not.toBeChecked();
});

test('a note that is indexed while its name is in the picker is offered', async ({ page, seeded }) => {
  await tab(page, 'Notes in context').click();
  await page.getByRole('combobox', { name: 'Pin a note by title or path' }).fill('note nouvelle');
  await expect(page.getByText('No note matches.')).toBeVisible();
  writeNotes(join(seeded.home, 'Carnet'), { 'Note nouvelle.md': '# Note nouvelle\n\nElle vient après.' });
  await expect(page.getByRole('option', { name: /^Note nouvelle / })).toBeVisible({ timeout: 60_000 });
});

test('tabs, filters and ways of searching by keyboard; editing in place, sliders and sources by mouse', async ({
  page,
}) => {
  const grid = page.getByRole('grid', { name: 'Facts' });
  await expect(grid).toHaveAttribute('aria-rowcount', String(FACTS));
  await page.getByRole('combobox', { name: 'Kind', exact: true }).focus();
  await page.keyboard.press('ArrowDown');
  const preference = page.getByRole('option', { name: 'Preference' });
  await expect(preference).toBeVisible();
  // Which option is chosen first depends on when the list has opened.
  await expect(async () => {
    if ((await preference.getAttribute('data-combobox-selected')) !== 'true')
      await page.keyboard.press('ArrowDown');
    await expect(preference).toHaveAttribute('data-combobox-selected', 'true', { timeout: 300 });
  }).toPass();
  await page.keyboard.press('Enter');
  await expect(grid).not.toHaveAttribute('aria-rowcount', String(FACTS));
  await page.getByRole('switch', { name: 'Include past' }).focus();
  await page.keyboard.press(' ');
  await expect(page.getByRole('switch', { name: 'Include past' })).toBeChecked();
  await page.getByRole('radio', { name: 'Facts' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('region', { name: 'Search' })).toBeVisible();
  await page.getByRole('radio', { name: 'Both' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Words' })).toBeChecked();
  await page.keyboard.press('/');
  await page.keyboard.type('arachides');
  await page.keyboard.press('Tab');
  await expect(page.locator('[data-result]')).toHaveCount(1);

  await page.getByText('Facts', { exact: true }).first().click();
  await page.getByLabel('Filter', { exact: true }).fill('arachides');
  await page.getByRole('switch', { name: 'Include past' }).click();
  await choose(page, 'Kind', 'Preference');
  await row(page, 'arachides').dblclick();
  await page.getByLabel('Wording').fill('Léa est allergique aux noix');
  await page.getByLabel('A fact to remember').click();
  await page.getByLabel('Filter', { exact: true }).fill('noix');
  await expect(row(page, 'Léa est allergique aux noix')).toBeVisible();

  await page.getByText('Given to replies', { exact: true }).first().click();
  const track = page.locator('.mantine-Slider-trackContainer').first();
  const box = await track.boundingBox();
  if (!box) throw new Error('the slider has no place');
  await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
  await expect(page.locator('.slider-value').first()).toHaveText('10');
});
