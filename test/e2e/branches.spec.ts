import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { findChromium } from './browser.ts';
import { expect, type Page, test } from './test.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');

let server: OpenAiServer;

test.beforeAll(async () => {
  server = await startOpenAiServer();
});
test.afterAll(() => server.close());

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Your message').fill(question);
  await page.keyboard.press('Enter');
  await answered(page, question);
}

/** Waits until a message is answered. */
const answered = (page: Page, question: string) =>
  expect(turnOf(page, question).getByRole('button', { name: 'Answer again' })).toBeEnabled();

/** What is shown of the conversation. */
const messages = (page: Page) => page.locator('.question:not(.question-edited)');

/** Waits until the switch of the second message has the focus, which it takes in the frame after the branch is shown. */
const switchFocused = (page: Page, version: number) =>
  expect(
    page
      .getByRole('group', { name: `Message ${version} of 2` })
      .getByRole('button')
      .first(),
  ).toBeFocused();

const turnOf = (page: Page, question: string) => page.getByRole('article').filter({ hasText: question });

test('an edited message begins a branch, between which and the former one clicks and arrow keys switch', async ({
  page,
  place,
}) => {
  await place.fill(({ client }) =>
    client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' }),
  );
  const host = await place.start();
  server.behave({ kind: 'reply', text: 'Noted.' });
  await page.goto(host.url);
  await page.getByRole('button', { name: 'Not now' }).click();
  for (const text of ['I live in Ordizan.', 'The hive is by the well.', 'A swarm left.'])
    await ask(page, text);
  await expect(messages(page)).toHaveText([
    'I live in Ordizan.',
    'The hive is by the well.',
    'A swarm left.',
  ]);

  // Escape leaves it as it was.
  const second = turnOf(page, 'The hive is by the well.');
  await second.getByRole('button', { name: 'Edit the message' }).click();
  await page.getByLabel('Edited message').fill('Never mind');
  await page.keyboard.press('Escape');
  await expect(messages(page)).toHaveCount(3);

  await second.getByRole('button', { name: 'Edit the message' }).click();
  await page.getByLabel('Edited message').fill('The hive is by the oven.');
  await page.keyboard.press('Enter');
  await answered(page, 'The hive is by the oven.');
  await expect(messages(page)).toHaveText(['I live in Ordizan.', 'The hive is by the oven.']);
  await expect(page.getByRole('group', { name: 'Message 2 of 2' })).toBeVisible();
  // Jobs ask the server too.
  const asked = server.prompts.findLast(
    ({ messages: sent }) => sent.at(-1)?.content === 'The hive is by the oven.',
  );
  const sent = asked?.messages.map(({ content }) => content).join('\n');
  expect(sent).toContain('I live in Ordizan.');
  expect(sent).not.toMatch(/well|swarm/);

  await page.getByRole('button', { name: 'Previous message' }).click();
  await expect(messages(page)).toHaveText([
    'I live in Ordizan.',
    'The hive is by the well.',
    'A swarm left.',
  ]);
  await expect(page.getByRole('group', { name: 'Message 1 of 2' })).toBeVisible();
  // The switch keeps the focus.
  await switchFocused(page, 1);
  await page.keyboard.press('ArrowRight');
  await expect(messages(page)).toHaveText(['I live in Ordizan.', 'The hive is by the oven.']);
  await switchFocused(page, 2);
  await page.keyboard.press('ArrowLeft');
  await expect(messages(page)).toHaveText([
    'I live in Ordizan.',
    'The hive is by the well.',
    'A swarm left.',
  ]);
  await page.reload();
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.getByRole('button', { name: 'I live in Ordizan.' }).first().click();
  await expect(messages(page)).toHaveText([
    'I live in Ordizan.',
    'The hive is by the well.',
    'A swarm left.',
  ]);
});

test('another answer begins a branch, and what only the former wording of a message taught goes with it', async ({
  page,
  place,
}) => {
  await place.fill(({ client }) =>
    client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' }),
  );
  const host = await place.start();
  server.behave({ kind: 'reply', text: 'First answer.' });
  await page.goto(host.url);
  await page.getByRole('button', { name: 'Not now' }).click();
  for (const text of ['My sister lives in Brest.', 'A swarm left.']) await ask(page, text);
  server.behave({ kind: 'reply', text: 'Second answer.' });
  const first = turnOf(page, 'My sister lives in Brest.');
  await first.getByRole('button', { name: 'Answer again' }).click();
  await expect(first).toContainText('Second answer.');
  // The button has gone meanwhile: the keyboard goes on at its turn.
  await expect(first).toBeFocused();
  await answered(page, 'My sister lives in Brest.');
  await expect(messages(page)).toHaveText(['My sister lives in Brest.']);
  await first.getByRole('group', { name: 'Answer 2 of 2' }).getByRole('button').first().focus();
  await page.keyboard.press('ArrowLeft');
  await expect(messages(page)).toHaveText(['My sister lives in Brest.', 'A swarm left.']);
  await expect(first).toContainText('First answer.');

  await first.getByRole('button', { name: 'Edit the message' }).click();
  await page.getByLabel('Edited message').fill('My sister lives in Tarbes.');
  await page.getByRole('button', { name: 'Send', exact: true }).first().click();
  await answered(page, 'My sister lives in Tarbes.');
  await expect(messages(page)).toHaveText(['My sister lives in Tarbes.']);
  await page.getByRole('button', { name: 'Memory', exact: true }).click();
  await expect(page.getByText('My sister lives in Tarbes').first()).toBeVisible();
  await expect(page.getByText('My sister lives in Brest')).toBeHidden();
});
