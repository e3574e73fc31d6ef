import { findChromium } from './browser.ts';
import type { Hosts } from './host.ts';
import { type LongTalk, startLongTalk } from './longTalk.ts';
import { medianStep, recordRenders, type Step, takeCommits } from './renders.ts';
import { expect, type Page, test } from './test.ts';
import { forgiveLostConnection } from './watch.ts';

test.skip(findChromium() === null, 'no Chromium on this machine');
test.setTimeout(180_000);

const DELTAS = 100;

/** Starts a talk that ends with the test. */
async function startTalk(hosts: Hosts, size: Parameters<typeof startLongTalk>[0]): Promise<LongTalk> {
  const talk = await startLongTalk(size);
  hosts.afterwards(talk.stop);
  return talk;
}

const words = Array.from({ length: DELTAS }, (_, n) => `mot${n}`).join(' ');

/** Asks, waits until the reply is under way, and tells what one delta renders from there to the last word. */
async function rendersOfDelta(page: Page, { server }: LongTalk): Promise<Step> {
  server.behave({ kind: 'paced', text: `début ${words} fin.`, everyMs: 20 });
  await page.getByLabel('Your message').fill('Continue');
  await page.keyboard.press('Enter');
  const shows = (text: string) =>
    page.waitForFunction((word) => document.body.innerText.includes(word), text);
  // The list has settled by then: turns that came into view are measured, on a slow machine too.
  await shows('mot30');
  await takeCommits(page);
  await shows('mot99');
  return medianStep(await takeCommits(page));
}

test('a delta renders its own turn alone, and as much in a long talk as in a new one', async ({
  page,
  hosts,
}) => {
  const talk = await startTalk(hosts, { turns: 40, conversations: 200 });
  await recordRenders(page);
  await page.goto(talk.host.url);
  const empty = await rendersOfDelta(page, talk);
  await page.getByRole('button', { name: 'Le potager' }).click();
  await expect(page.getByText('étape 39')).toBeVisible();
  const long = await rendersOfDelta(page, talk);
  expect(long).toMatchObject({ otherTurns: 0, rows: 0 });
  expect(long.components).toBeLessThanOrEqual(1.3 * empty.components);
});

test('a reply whose stream is dropped is sent once, keeps what had come, and is read again when it is complete', async ({
  page,
  hosts,
  problems,
}) => {
  const talk = await startTalk(hosts, { turns: 0, conversations: 1 });
  let cut = async () => undefined as unknown;
  await page.routeWebSocket(/\/rpc$/, (socket) => {
    const core = socket.connectToServer();
    cut = async () => {
      await core.close();
      await socket.close();
    };
  });
  await page.goto(talk.host.url);
  const sent = talk.server.prompts.length;
  talk.server.behave({ kind: 'paced', text: 'Premier deuxième troisième dernier.', everyMs: 700 });
  await page.getByLabel('Your message').fill('Une seule fois');
  await page.keyboard.press('Enter');
  await expect(page.locator('.reply')).toContainText('Premier');
  await cut();
  await expect(page.getByText(/^Connection lost/)).toBeVisible();
  await expect(page.getByLabel('Your message')).toHaveValue('');
  await expect(page.locator('.reply')).toContainText('Premier');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.locator('.reply')).toContainText('Premier deuxième troisième dernier.');
  await expect(page.getByRole('button', { name: 'Answer again' })).toBeVisible();
  expect(talk.server.prompts).toHaveLength(sent + 1);
  forgiveLostConnection(problems);
});

test('a new question stays at the top while its answer grows; who scrolls to the end follows it there', async ({
  page,
  hosts,
}) => {
  const talk = await startTalk(hosts, { turns: 8, conversations: 1 });
  await page.goto(talk.host.url);
  await page.getByRole('button', { name: 'Le potager' }).click();
  await expect(page.getByText('étape 7')).toBeInViewport();
  talk.server.behave({
    kind: 'paced',
    text: Array.from({ length: 80 }, (_, n) => `paragraphe-${n}\n\n`).join(''),
    everyMs: 40,
  });
  await page.getByLabel('Your message').fill('Et après ?');
  await page.keyboard.press('Enter');
  const question = page.locator('.question', { hasText: 'Et après ?' });
  await expect(page.getByText('paragraphe-30', { exact: true })).toBeAttached();
  await expect(page.getByText('paragraphe-30', { exact: true })).not.toBeInViewport();
  await expect(question).toBeInViewport();
  await page.locator('[data-turns]').hover();
  await page.mouse.wheel(0, 100_000);
  await expect(page.getByText('paragraphe-79', { exact: true })).toBeInViewport();
  await expect(page.getByRole('button', { name: 'Answer again' }).last()).toBeInViewport();
  await expect(question).not.toBeInViewport();
});

test('turns and conversations out of view are not in the page, and keys, focus and links reach them', async ({
  page,
  hosts,
}) => {
  const talk = await startTalk(hosts, { turns: 45, conversations: 300 });
  await page.goto(talk.host.url);
  const rows = page.locator('[data-conversation]');
  await rows.first().click();
  await expect(page.getByText('étape 44')).toBeInViewport();
  expect(await page.locator('[data-turn]').count()).toBeLessThan(12);
  expect(await rows.count()).toBeLessThan(60);
  // Keys move from the first conversation to the last one and back.
  await rows.first().focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('button', { name: 'Conversation 299' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('button', { name: 'Conversation 298' })).toBeFocused();
  await page.keyboard.press('Home');
  await expect(page.getByRole('button', { name: 'Le potager' })).toBeFocused();
  // A focused button keeps the focus while its turn is scrolled out of view.
  const again = page.getByRole('button', { name: 'Answer again' }).last();
  await again.focus();
  await page.locator('[data-turns]').hover();
  // Earlier turns load as the reader reaches them, and the text being read does not move.
  await expect(async () => {
    await page.mouse.wheel(0, -100_000);
    await expect(page.locator('.question', { hasText: /^Le potager$/ })).toBeInViewport({ timeout: 500 });
  }).toPass();
  await expect(again).toBeFocused();
  // Tab continues from the focused element and brings it into view.
  await page.keyboard.press('Tab');
  await expect(page.locator(':focus')).toBeInViewport();
  // A trace links back to the conversation, and opens it at a turn far up.
  await page.getByRole('button', { name: 'Why this answer' }).first().click();
  await page.getByRole('button', { name: 'Open the conversation' }).click();
  await expect(page.locator('[data-turn]').first()).toBeVisible();
});

test('what a model thinks is folded above its reply; a prompt that the server cut is told below it', async ({
  page,
  hosts,
}) => {
  const talk = await startTalk(hosts, { turns: 0, conversations: 1, server: { cutsAbove: 400 } });
  talk.server.behave({ kind: 'think', thoughts: 'Je pèse le pour.', text: 'Oui.', as: 'field' });
  await page.goto(talk.host.url);
  await page.getByLabel('Your message').fill(`Faut-il pailler ? ${'Dis pourquoi. '.repeat(250)}`);
  await page.keyboard.press('Enter');
  await expect(page.locator('.reply')).toContainText('Oui.');
  await expect(page.getByText('Je pèse le pour.')).toHaveCount(0);
  await page.getByText('Reasoning', { exact: true }).click();
  await expect(page.getByText('Je pèse le pour.')).toBeVisible();
  await expect(page.getByRole('note')).toContainText(/^The model read only [\d,]+ of about [\d,]+ tokens/);
  await page.reload();
  await page.locator('[data-conversation]').first().click();
  await page.getByText('Reasoning', { exact: true }).click();
  await expect(page.getByText('Je pèse le pour.')).toBeVisible();
});
