import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatGptConversation, chatGptTree } from '../support/histories.ts';
import { zipOf } from '../support/zips.ts';
import { seriousIn } from './axe.ts';
import { findChromium } from './browser.ts';
import { expect, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

test('a data export is previewed, imported into a channel, and shown with its tools folded', async ({
  page,
  seeded,
}) => {
  const talks = Array.from({ length: 30 }, (_, n) =>
    chatGptConversation(
      `c${n}`,
      `Jardin ${n}`,
      [
        ['user', 'Quand planter les tomates ?'],
        ['assistant', 'print(mai)'],
        ['assistant', 'À la **mi-mai**.'],
      ],
      (mapping) => {
        Object.assign(mapping[`c${n}-node-2`]?.message as object, { recipient: 'python' });
        if (n === 3) Object.assign(mapping['c3-node-1']?.message as object, { create_time: null });
      },
    ),
  );
  const file = join(seeded.home, 'export.zip');
  writeFileSync(file, zipOf({ 'chat.html': '', 'conversations.json': JSON.stringify([...talks, 3]) }));
  await page.goto(seeded.host.url);
  await expect(page.getByLabel('Your message')).toBeVisible();
  await page.keyboard.press('Alt+5');
  await page.getByLabel('Search the settings').fill('import');
  const input = page.locator('input[type="file"]');

  await input.setInputFiles(file);
  const dialog = page.getByRole('dialog', { name: 'Import 30 conversations?' });
  await expect(dialog).toContainText('90 messages');
  await dialog.getByText('Left out or changed (2)').click();
  await expect(dialog).toContainText('1 message has no valid date and gets that of the one before');
  await expect(dialog).toContainText('Jardin 3');
  expect(await seriousIn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Imported.')).toHaveCount(0);

  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await choosing).setFiles(file);
  await dialog.getByLabel('Channel').fill('Potager');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeFocused();
  await expect(page.getByText('Imported. Conversations: 30 · messages: 90 · already there: 0')).toBeVisible({
    timeout: 30_000,
  });
  expect(await seriousIn(page)).toEqual([]);
  // There is nothing new: to close is what is offered first.
  await input.setInputFiles(file);
  await expect(dialog).toContainText('There is nothing new in it.');
  await expect(dialog.getByRole('button', { name: 'Close' }).last()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove the import of export.zip from the list' }).click();
  await expect(page.getByText('Imported.')).toHaveCount(0);

  await page.keyboard.press('Alt+1');
  await page.getByRole('combobox', { name: 'Channel', exact: true }).click();
  await page.getByRole('option', { name: /^Potager/ }).click();
  await page.locator('[data-conversation]', { hasText: 'Jardin' }).first().click();
  await expect(page.locator('.imported strong')).toHaveText('mi-mai');
  await expect(page.getByText('print(mai)')).toBeHidden();
  await page.getByText('python', { exact: true }).click();
  await expect(page.getByText('print(mai)')).toBeVisible();
});

test('former versions of replies and messages come with a data export, and are one switch away', async ({
  page,
  seeded,
}) => {
  const talk = chatGptTree('t', 'Potager', [
    { id: 'q', after: null, role: 'user', text: 'Quand planter les tomates ?' },
    { id: 'r', after: 'q', role: 'assistant', text: 'Après les saints de glace.' },
    { id: 'rb', after: 'q', role: 'assistant', text: 'En lune montante.' },
    { id: 'q2', after: 'rb', role: 'user', text: 'Et les haricots ?' },
    { id: 'q2b', after: 'rb', role: 'user', text: 'Et les panais ?' },
  ]);
  const file = join(seeded.home, 'conversations.json');
  writeFileSync(file, JSON.stringify([talk]));
  await page.goto(seeded.host.url);
  await expect(page.getByLabel('Your message')).toBeVisible();
  await page.keyboard.press('Alt+5');
  await page.getByLabel('Search the settings').fill('import');
  await page.locator('input[type="file"]').setInputFiles(file);
  const dialog = page.getByRole('dialog', { name: 'Import 1 conversation?' });
  await expect(dialog).toContainText('5 messages');
  await expect(dialog).toContainText('2 of them stand on other branches');
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('Imported. Conversations: 1 · messages: 5')).toBeVisible({ timeout: 30_000 });
  await page.keyboard.press('Alt+1');
  await page.locator('[data-conversation]', { hasText: 'Potager' }).first().click();
  await expect(page.getByText('En lune montante.', { exact: true })).toBeVisible();
  await expect(page.locator('.question', { hasText: 'Et les panais ?' })).toBeVisible();
  await expect(page.locator('.question', { hasText: 'Et les haricots ?' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Previous message' }).last().click();
  await expect(page.locator('.question', { hasText: 'Et les haricots ?' })).toBeVisible();
  await page.getByRole('button', { name: 'Previous message' }).first().click();
  await expect(page.getByText('Après les saints de glace.', { exact: true })).toBeVisible();
  await expect(page.locator('.question', { hasText: 'Et les haricots ?' })).toHaveCount(0);
  expect(await seriousIn(page)).toEqual([]);
});

test('a conversation is exported as Markdown, and saved to the vault, as an answer is', async ({
  page,
  seeded,
}) => {
  await page.goto(seeded.host.url);
  const talk = page.locator('[data-conversation]').first();
  await talk.focus();
  const downloading = page.waitForEvent('download');
  await page.keyboard.press('e');
  expect((await downloading).suggestedFilename()).toMatch(/\.md$/);
  await talk.hover();
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Save to vault' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save to vault' });
  expect(await seriousIn(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/^Saved in Souvenir\/.+\.md\.$/)).toBeVisible();
  await page.getByLabel('Your message').fill('Où est le tournevis numéro 42 ?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save to vault' }).click();
  await dialog.getByLabel('At the end of today’s daily note').check();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/^Saved in \d{4}-\d{2}-\d{2}\.md\.$/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save to vault' })).toBeFocused();
});
