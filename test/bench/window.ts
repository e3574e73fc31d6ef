import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CDPSession, chromium, type Page } from '@playwright/test';
import { findChromium } from '../e2e/browser.ts';
import { type LongTalk, startLongTalk } from '../e2e/longTalk.ts';

type Print = (name: string, value: number, unit: string, baseline: number) => void;

const TURNS = 60;
const CONVERSATIONS = 1_000;
const DELTAS = 300;
const EVERY_MS = 10;
const REPLIES = 3;
const KEYS = 80;
const KEY_EVERY_MS = 30;

/**
 * The window under load: what one reply of 300 deltas, 100 a second, costs its main thread in a talk of 60 long turns beside
 * 1,000 conversations, against a new talk of the same window; and the time from a keystroke to its painting meanwhile, against the
 * 50 ms that it may take.
 */
export async function benchWindow(print: Print): Promise<void> {
  const executablePath = findChromium();
  const isBuilt = existsSync(fileURLToPath(new URL('../../out/main/cli.js', import.meta.url)));
  if (executablePath === null || !isBuilt) {
    console.log(`window: skipped, ${isBuilt ? 'there is no Chromium' : 'nothing is built'}`);
    return;
  }
  const talk = await startLongTalk({ turns: TURNS, conversations: CONVERSATIONS });
  const browser = await chromium.launch({
    executablePath,
    args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    await page.goto(talk.host.url);
    await measure({ page, cdp, talk }, print);
  } finally {
    await browser.close();
    await talk.stop();
  }
}

interface Bench {
  page: Page;
  cdp: CDPSession;
  talk: LongTalk;
}

async function measure(bench: Bench, print: Print): Promise<void> {
  const inLong: number[] = [];
  const inNew: number[] = [];
  // One after the other, so that both meet the same moments of a busy machine. The first pair warms up.
  for (let n = 0; n <= REPLIES; n += 1) {
    const alone = await costOfReply(bench, 'new');
    const long = await costOfReply(bench, 'long');
    if (n === 0) continue;
    inNew.push(alone);
    inLong.push(long);
  }
  print('window.reply', median(inLong), 'ms', median(inNew));
  const delays = await keystrokes(bench);
  print('window.keystroke.p50', quantile(delays, 0.5), 'ms', 50);
  print('window.keystroke.p95', quantile(delays, 0.95), 'ms', 50);
}

async function open({ page }: Bench, talk: 'new' | 'long'): Promise<void> {
  if (talk === 'new') await page.getByRole('button', { name: 'New conversation' }).click();
  else await page.getByRole('button', { name: 'Le potager' }).click();
  await page
    .locator(talk === 'new' ? '.turns.empty' : '[data-turn]')
    .first()
    .waitFor();
  // What opening leads to is over before anything is measured.
  await page.waitForTimeout(1_000);
}

/** Sends a message that is answered a word at a time. */
async function ask({ page, talk }: Bench): Promise<void> {
  const words = Array.from({ length: DELTAS }, (_, n) => (n % 40 === 39 ? 'mot.\n\n' : 'mot ')).join('');
  talk.server.behave({ kind: 'paced', text: `${words}fin`, everyMs: EVERY_MS });
  await page.locator('[data-composer]').fill('Continue');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
}

const ended = ({ page }: Bench) => page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });

/** Milliseconds of the window's main thread that one reply takes, from its sending to its end. */
async function costOfReply(bench: Bench, talk: 'new' | 'long'): Promise<number> {
  await open(bench, talk);
  const before = await busyMs(bench);
  await ask(bench);
  await ended(bench);
  return (await busyMs(bench)) - before;
}

async function busyMs({ cdp }: Bench): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
}

/** Milliseconds from keystrokes to their painting, while a reply comes in the long talk. */
async function keystrokes(bench: Bench): Promise<number[]> {
  const { page } = bench;
  await open(bench, 'long');
  await page.evaluate(() => {
    const delays: number[] = [];
    Object.assign(window, { keyDelays: delays });
    window.addEventListener(
      'keydown',
      (event) => {
        // A message that is posted within a frame comes after its painting.
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => delays.push(performance.now() - event.timeStamp);
          port2.postMessage(null);
        });
      },
      true,
    );
  });
  await ask(bench);
  for (let key = 0; key < KEYS; key += 1) {
    await page.keyboard.press('a');
    await page.waitForTimeout(KEY_EVERY_MS);
  }
  const delays = await page.evaluate(() => (window as unknown as { keyDelays: number[] }).keyDelays);
  await ended(bench);
  return delays;
}

const median = (values: readonly number[]) => quantile(values, 0.5);

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
