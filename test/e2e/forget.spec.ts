import { hideTable } from '../support/hideTable.ts';
import { seriousIn } from './axe.ts';
import { findChromium } from './browser.ts';
import { expect, type Page, test } from './test.ts';
import { forgiveLostConnection } from './watch.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

test.beforeEach(async ({ page, seeded }) => {
  await page.goto(seeded.host.url);
  await expect(page.getByLabel('Your message')).toBeVisible();
});

const sheet = (page: Page) => page.getByRole('dialog', { name: 'Forget' });
const row = (page: Page, text: string) => sheet(page).getByRole('row').filter({ hasText: text });
const group = (page: Page, name: string) => sheet(page).getByRole('tab', { name });
async function fromPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await expect(sheet(page)).toBeVisible();
}

test('a topic is forgotten from the palette by keyboard alone, checked, and brought back', async ({
  page,
}) => {
  await page.getByLabel('Your message').focus();
  await fromPalette(page, 'forget arachides');
  await expect(sheet(page).getByLabel('Topic', { exact: true }).last()).toHaveValue('arachides');
  await expect(row(page, 'Léa est allergique').locator('mark')).toHaveText('arachides');
  await expect(row(page, 'Léa est allergique')).toContainText('Names it');
  await expect(row(page, 'Léa est allergique')).toBeFocused();
  await expect(group(page, 'Facts')).toContainText('1/');
  expect(await seriousIn(page)).toEqual([]);
  // Unticked, the button says why it cannot be used.
  await page.keyboard.press(' ');
  await expect(sheet(page).getByRole('button', { name: 'Forget', exact: true })).toBeDisabled();
  await expect(sheet(page).getByText('Nothing is selected.')).toBeVisible();
  await page.keyboard.press(' ');
  await page.keyboard.press('Enter');
  await expect(sheet(page).getByRole('button', { name: 'Forget 1' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(sheet(page).getByText('1 item forgotten.')).toBeVisible();
  await expect(sheet(page).getByRole('button', { name: 'Check' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(sheet(page).getByText('0 found')).toBeVisible();
  expect(await seriousIn(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(sheet(page)).toHaveCount(0);
  await expect(page.getByLabel('Your message')).toBeFocused();
  await page
    .getByRole('alert')
    .filter({ hasText: '1 item forgotten.' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await page.keyboard.press('Alt+2');
  await expect(page.locator('[data-fact]').first()).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('arachides');
  await expect(page.locator('[data-fact]')).toHaveCount(1);
});

test('a conversation is forgotten from its menu; its notes are offered, and closing leaves the focus where it was', async ({
  page,
}) => {
  const talk = page.locator('[data-conversation]', { hasText: 'Migration Atlas' });
  await talk.focus();
  await page.keyboard.press('f');
  await expect(sheet(page).getByRole('combobox', { name: 'Conversation' })).toHaveValue('Migration Atlas');
  await expect(row(page, 'où en est-on')).toContainText('From this conversation');
  await page.keyboard.press('Escape');
  await expect(talk).toBeFocused();
  await page.locator('.row', { hasText: 'Migration Atlas' }).hover();
  await page
    .locator('.row', { hasText: 'Migration Atlas' })
    .getByRole('button', { name: 'More actions' })
    .click();
  await page.getByRole('menuitem', { name: 'Forget this conversation' }).click();
  await sheet(page).getByRole('button', { name: 'Forget 1' }).click();
  await expect(talk).toHaveCount(0);
  await sheet(page).getByRole('button', { name: 'Undo' }).click();
  await expect(sheet(page)).toHaveCount(0);
  await expect(talk).toBeVisible();
});

test('thousands of items: whole groups are ticked and unticked, and erased at once', async ({ page }) => {
  await fromPalette(page, 'oublier numéro');
  await expect(group(page, 'Facts')).toContainText(/^Facts1,999\/[\d,]+$/);
  // The page holds only the rows in view.
  expect(await sheet(page).getByRole('row').count()).toBeLessThan(60);
  await sheet(page).getByLabel('Select all').uncheck();
  await expect(sheet(page).getByRole('button', { name: 'Forget', exact: true })).toBeDisabled();
  await row(page, 'Fait numéro 0').first().click();
  await expect(sheet(page).getByRole('button', { name: 'Forget 1' })).toBeEnabled();
  await sheet(page).getByLabel('Select all').check();
  await sheet(page).getByLabel('Select all').focus();
  await page.keyboard.press('Tab');
  await sheet(page).getByRole('row').nth(1).focus();
  await page.keyboard.press('End');
  await expect(sheet(page).locator('[data-row-id="fact_1999"]')).toBeFocused();
  await sheet(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Erase now' }).click();
  await expect(sheet(page).getByText(/items erased\.$/)).toBeVisible();
  await expect(sheet(page).getByRole('button', { name: 'Undo' })).toHaveCount(0);
  await sheet(page).getByRole('button', { name: 'Erase from backups too' }).click();
  await expect(sheet(page).getByText('No backup holds it any more.')).toBeVisible({ timeout: 30_000 });
  await sheet(page).getByRole('button', { name: 'Done' }).click();
  await page.keyboard.press('Alt+2');
  await expect(page.getByRole('grid', { name: 'Facts' })).toHaveAttribute('aria-rowcount', '1');
});

test('a plan follows what is typed, tells what is not touched, and keeps its choice when Souvenir stops', async ({
  page,
  seeded,
  problems,
}) => {
  await expect(page.locator('.dot').first()).toHaveAttribute('data-state', 'ready', { timeout: 60_000 });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Forget…');
  await page.keyboard.press('Enter');
  const topic = sheet(page).getByLabel('Topic', { exact: true }).last();
  await expect(topic).toBeFocused();
  await topic.fill('zzz rien de tel');
  await expect(sheet(page).getByText('Nothing to forget was found.')).toBeVisible();
  await topic.fill('tournevis');
  await expect(group(page, 'Not touched')).toContainText('20');
  await group(page, 'Not touched').click();
  await expect(sheet(page).getByText(/^\d+ notes name it$/)).toBeVisible();
  const note = sheet(page).getByRole('listitem').filter({ hasText: 'Note 0.md' });
  await note.getByRole('button').click();
  await expect(note.getByRole('region')).toContainText('tournevis');
  await expect(note.getByRole('link', { name: 'Open in Obsidian' })).toHaveAttribute('href', /^obsidian:/);
  await topic.fill('arachides');
  await expect(row(page, 'Léa est allergique')).toBeVisible();
  await seeded.host.stop();
  await expect(sheet(page).getByText('Connection lost. Your selection is kept.')).toBeVisible();
  await expect(sheet(page).getByRole('button', { name: 'Forget 1' })).toBeDisabled();
  await expect(row(page, 'Léa est allergique')).toBeVisible();
  forgiveLostConnection(problems);
});

test('facts: those selected, a search, a subject; a period, day by day', async ({ page }) => {
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Select “Fait numéro 0”', { exact: true }).check();
  await page.getByLabel('Select “Fait numéro 1”', { exact: true }).check();
  await page.getByRole('button', { name: 'Forget…' }).click();
  await expect(sheet(page).getByText('2 selected', { exact: true })).toBeVisible();
  await expect(group(page, 'Facts')).toContainText('2/2');
  await page.keyboard.press('Escape');
  await page.getByLabel('Select “Fait numéro 0”', { exact: true }).uncheck();
  await page.getByLabel('Select “Fait numéro 1”', { exact: true }).uncheck();
  await page.keyboard.press('/');
  await page.keyboard.type('allergique');
  await page.getByRole('button', { name: 'Forget “allergique”…' }).click();
  await expect(row(page, 'Léa est allergique')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.locator('[data-fact]').first().click();
  await page.getByRole('complementary').getByRole('button', { name: 'Forget more…' }).click();
  await page.getByRole('menuitem', { name: 'Forget “Léa”…' }).click();
  await expect(sheet(page).getByLabel('Topic', { exact: true }).last()).toHaveValue('Léa');
  await sheet(page).getByText('Period', { exact: true }).click();
  await sheet(page).getByText('Yesterday', { exact: true }).click();
  await expect(group(page, 'Exchanges')).toContainText('1/1');
  await group(page, 'Exchanges').click();
  await page.keyboard.press('ArrowRight');
  await expect(row(page, 'Toit de la grange')).toBeFocused();
  await expect(row(page, 'Toit de la grange')).toContainText('From this period');
  await page.keyboard.press('ArrowLeft');
  await expect(group(page, 'Exchanges')).toBeFocused();
});

test('a message that asks to forget opens the plan, is not stored, and what it names leaves the conversation', async ({
  page,
}) => {
  const composer = page.getByLabel('Your message');
  await composer.fill('Souviens-toi que le portail grince.');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Learnt: “Le portail grince”')).toBeVisible();
  await composer.fill('Oublie le portail');
  await page.keyboard.press('Enter');
  await expect(sheet(page).getByLabel('Topic', { exact: true }).last()).toHaveValue('portail');
  await expect(row(page, 'Le portail grince')).toBeFocused();
  // Closed, the message is as it was, and was not sent.
  await page.keyboard.press('Escape');
  await expect(composer).toHaveValue('Oublie le portail');
  await expect(composer).toBeFocused();
  await expect(page.locator('[data-turn]')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await sheet(page)
    .getByRole('button', { name: /^Forget \d/ })
    .click();
  // Its only turn went, and with it the conversation that was open.
  await expect(page.locator('[data-turn]')).toHaveCount(0);
  await expect(page.locator('[data-conversation]', { hasText: 'portail' })).toHaveCount(0);
  await sheet(page).getByRole('button', { name: 'Check' }).click();
  await expect(sheet(page).getByText('0 found')).toBeVisible();
  await sheet(page).getByRole('button', { name: 'Undo' }).click();
  await expect(composer).toHaveValue('');
  await expect(page.locator('[data-conversation]', { hasText: 'portail' })).toHaveCount(1);
});

test('“Oublie ça” asks which of the latest, and can be sent as it is', async ({ page }) => {
  const composer = page.getByLabel('Your message');
  await composer.fill('Souviens-toi que le portail grince.');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Learnt: “Le portail grince”')).toBeVisible();
  await composer.fill('Oublie ça');
  await page.keyboard.press('Enter');
  await expect(sheet(page).getByText('Which of these?')).toBeVisible();
  expect(await seriousIn(page)).toEqual([]);
  await expect(sheet(page).getByRole('checkbox').first()).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press(' ');
  await page.keyboard.press('Enter');
  await expect(sheet(page).getByRole('button', { name: 'Forget 2' })).toBeEnabled();
  await expect(row(page, 'portail grince').first()).toContainText('Selected');
  await sheet(page).getByRole('button', { name: 'Send as a message' }).click();
  await expect(page.locator('.question').last()).toHaveText('Oublie ça');
  await expect(composer).toHaveValue('');
});

test('quick capture does not save what asks to forget, and leads to the plan', async ({ page }) => {
  await page.evaluate(() => {
    location.hash = '#/capture';
    location.reload();
  });
  const box = page.getByLabel('Quick capture');
  await box.fill('Oublie les arachides');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Not saved: this asks to forget something.')).toBeVisible();
  await page.keyboard.press('Enter');
  const composer = page.getByLabel('Your message');
  await expect(composer).toHaveValue('Oublie les arachides');
  await expect(page.locator('[data-conversation]', { hasText: 'Oublie' })).toHaveCount(0);
  await composer.press('Enter');
  await expect(row(page, 'Léa est allergique')).toHaveAttribute('data-ticked', 'true');
});

test('what a turn taught is reworded and undone under the reply by keyboard, and found by its state', async ({
  page,
}) => {
  const composer = page.getByLabel('Your message');
  await composer.fill('Souviens-toi que le portail grince.');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Learnt: “Le portail grince”')).toBeVisible();
  const edit = page.locator('.learnt').getByRole('button', { name: 'Edit' });
  await edit.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(edit).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Le portail ne grince plus');
  await page.keyboard.press('Enter');
  // The line keeps what the turn taught.
  await expect(page.getByText('Learnt: “Le portail grince”')).toBeVisible();
  await expect(page.locator('.learnt')).toContainText('Changed since');
  await composer.fill('Souviens-toi que la cave est humide.');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Learnt: “La cave est humide”')).toBeVisible();
  await page.locator('.learnt').last().getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Learnt: “La cave est humide”')).toHaveCount(0);
  await page.keyboard.press('Alt+2');
  await page.getByRole('combobox', { name: 'State', exact: true }).click();
  await page.getByRole('option', { name: 'Forgotten' }).click();
  await expect(page.locator('[data-fact]')).toHaveText(/La cave est humide/);
  await page.getByRole('combobox', { name: 'State', exact: true }).click();
  await page.getByRole('option', { name: 'Current' }).click();
  await expect(page.locator('[data-fact]').first()).toContainText('Le portail ne grince plus');
});

test('what could not be forgotten is told, and the sheet stays as it was', async ({ page, seeded }) => {
  await fromPalette(page, 'forget arachides');
  await expect(row(page, 'Léa est allergique')).toBeFocused();
  const giveBack = hideTable(seeded.dataDir, 'tombstones');
  await page.keyboard.press('Control+Enter');
  await expect(sheet(page).getByRole('alert')).toContainText('tombstones');
  await expect(row(page, 'Léa est allergique')).toBeVisible();
  giveBack();
  await page.keyboard.press('Control+Enter');
  await expect(sheet(page).getByText('1 item forgotten.')).toBeVisible();
});
