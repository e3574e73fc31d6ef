import type { App } from '../../src/core/app.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { makePdf } from '../support/pdf.ts';
import { writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import { findChromium } from './browser.ts';
import { expect, type Page, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

let server: OpenAiServer;
test.beforeAll(async () => {
  server = await startOpenAiServer({ contextTokens: 4_096 });
});
test.afterAll(() => server.close());

/** The model is asked for replies alone. */
const answered = async ({ client }: App): Promise<void> => {
  await client.app.changeSettings({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    learnWithModel: 'off',
    summariseWithModel: false,
    tools: false,
  });
};

const LEASE = makePdf([['The rent is 640 euros a month.'], ['The deposit is 1280 euros.']]);
const REPORT = Array.from(
  { length: 12 },
  (_, place) => `# Part ${place + 1}\n\n${`General remarks on matter ${place + 1}. `.repeat(30)}`,
).join('\n\n');

/** Lets go of files over the composer. */
async function drop(page: Page, files: readonly { name: string; bytes: Buffer }[]): Promise<void> {
  const held = await page.evaluateHandle(
    (all) => {
      const transfer = new DataTransfer();
      for (const { name, data } of all)
        transfer.items.add(new File([Uint8Array.from(atob(data), (one) => one.charCodeAt(0))], name));
      return transfer;
    },
    files.map(({ name, bytes }) => ({ name, data: bytes.toString('base64') })),
  );
  await page.locator('.composer-box').dispatchEvent('drop', { dataTransfer: held });
}

const pending = (page: Page) => page.locator('.composer').getByRole('list', { name: 'Attachments' });
const sent = (page: Page) => page.getByRole('article').last().getByRole('list', { name: 'Attachments' });
const lastSent = () =>
  server.prompts
    .at(-1)
    ?.messages.map(({ content }) => content)
    .join('\n') ?? '';

test('files are dropped or chosen, shown, sent whole or in part, kept through a reload, and taken off when a message is edited', async ({
  page,
  place,
  problems,
}) => {
  await place.fill(answered);
  const host = await place.start();
  server.behave({ kind: 'reply', text: 'Noted.' });
  await page.goto(host.url);
  await page.getByRole('button', { name: 'Not now' }).click();

  await drop(page, [
    { name: 'lease.pdf', bytes: LEASE },
    { name: 'report.md', bytes: Buffer.from(REPORT) },
  ]);
  await expect(pending(page).getByRole('listitem')).toHaveText(['lease.pdf', 'report.md']);
  await expect(page.getByRole('status', { name: /^Reading/ })).toHaveCount(0);
  // What cannot be read says so, and is gone.
  await drop(page, [{ name: 'photo.png', bytes: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]) }]);
  await expect(page.getByText('Souvenir cannot read “photo.png”')).toBeVisible();
  await expect(pending(page).getByRole('listitem')).toHaveCount(2);

  await page.getByLabel('Your message').fill('What is the rent?');
  // Before it is sent, it is told how much of each will be.
  await expect(pending(page).getByRole('listitem')).toHaveText([
    /lease\.pdf\s*whole/,
    /report\.md\s*[1-9] of 12 sections/,
  ]);
  const told = await pending(page).getByRole('listitem').allTextContents();
  await page.keyboard.press('Enter');
  await expect(sent(page).getByRole('listitem')).toHaveText([
    /lease\.pdf\s*whole/,
    /report\.md\s*[1-9] of 12 sections/,
  ]);
  expect(await sent(page).getByRole('listitem').allTextContents()).toEqual(told);
  await expect(pending(page)).toHaveCount(0);
  await expect.poll(lastSent).toContain('The rent is 640 euros a month.');

  await page.reload();
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('button', { name: 'What is the rent?' }).first().click();
  await expect(sent(page).getByRole('listitem')).toHaveCount(2);

  await page.getByRole('button', { name: 'Edit the message' }).click();
  await page.getByRole('button', { name: 'Remove report.md' }).click();
  await page.getByLabel('Edited message').fill('How much is the rent?');
  await page.keyboard.press('Enter');
  await expect(sent(page).getByRole('listitem')).toHaveText([/lease\.pdf/]);
  await expect(page.getByRole('group', { name: 'Message 2 of 2' })).toBeVisible();
  await expect.poll(lastSent).not.toContain('General remarks');

  // It is found by its kind, and opens where it was sent.
  await page.keyboard.press('Alt+2');
  await page.getByText('Search', { exact: true }).click();
  await page.locator('[data-pane-search]').fill('deposit');
  await page.getByRole('button', { name: /^Filters/ }).click();
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Attached files' }).click();
  await page.keyboard.press('Escape');
  await page.locator('[data-result]', { hasText: 'lease.pdf' }).first().click();
  await expect(page.getByRole('article').last()).toContainText('How much is the rent?');

  // One is taken off again before it is sent.
  await page.getByRole('button', { name: 'Attach a file' }).waitFor();
  await page.locator('input[type=file]').setInputFiles({
    name: 'list.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Bread, milk, candles.'),
  });
  await expect(pending(page).getByRole('listitem')).toHaveText(['list.txt']);
  await page.getByRole('button', { name: 'Remove list.txt' }).click();
  await expect(pending(page)).toHaveCount(0);
  expect(problems).toEqual([]);
});

test('a message that is sent while its file is still being read goes with it', async ({ page, place }) => {
  await place.fill(answered);
  const host = await place.start();
  server.behave({ kind: 'reply', text: 'Noted.' });
  await page.goto(host.url);
  await page.getByRole('button', { name: 'Not now' }).click();
  const field = page.getByLabel('Your message');
  await field.fill('What is the rent?');
  await field.focus();
  await drop(page, [{ name: 'lease.pdf', bytes: LEASE }]);
  await page.keyboard.press('Enter');
  await expect(sent(page).getByRole('listitem')).toHaveText([/lease\.pdf\s*whole/]);
  await expect.poll(lastSent).toContain('The rent is 640 euros a month.');
});

test('two brackets offer notes, and the one that is chosen is attached', async ({ page, place }) => {
  writeNotes(place.vault, {
    'Garden.md': '# Garden\n\nPlant the tomatoes in May.\n',
    'House.md': '# House\n\nBoiler.\n',
  });
  await place.fill(async (app) => {
    await indexVault(app, place.vault);
    await answered(app);
  });
  const host = await place.start();
  server.behave({ kind: 'reply', text: 'In May.' });
  await page.goto(host.url);
  const field = page.getByLabel('Your message');
  await field.pressSequentially('Sum up [[gar');
  await expect(page.getByRole('option', { name: /Garden/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('Sum up [[Garden]]');
  await expect(pending(page).getByRole('listitem')).toHaveText(['Garden']);
  await expect(page.getByRole('listbox')).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(sent(page).getByRole('listitem')).toHaveText([/Garden\s*whole/]);
  await expect.poll(lastSent).toContain('Plant the tomatoes in May.');
});
