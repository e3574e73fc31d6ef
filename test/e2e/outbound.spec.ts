import { expect, test } from '@playwright/test';
import { outboundObstacle, runOutbound } from '../support/outbound/outbound.ts';
import { findChromium } from './browser.ts';

/** `npm run soak -- outbound` leaves the window alone for a minute. */
const IDLE_MS = 10_000;

const obstacle = outboundObstacle();
const browser = findChromium();
test.skip(obstacle !== null, obstacle ?? '');

test('the trace finds look-ups, connections and datagrams', async () => {
  const report = await runOutbound({ run: 'control', browser: null });
  expect(report).toMatchObject({
    outside: ['10.9.9.1:443', '203.0.113.7:9'],
    hosts: ['asked.example'],
    loopback: 1,
  });
  expect(report.lookUps.length).toBeGreaterThan(0);
  expect(report.datagrams).toBeGreaterThan(1);
});

test('from the first start to an idle window, nothing but this computer is contacted', async () => {
  test.skip(browser === null, 'no Chromium on this machine');
  // A browser under trace is slow; the limit only tells "ended" from "hung".
  test.setTimeout(600_000);
  const report = await runOutbound({ run: 'product', idleMs: IDLE_MS, browser });
  test.info().annotations.push({ type: 'shown', description: report.shown });
  expect(report).toMatchObject({
    hosts: [],
    lookUps: [],
    outside: [],
    datagrams: 0,
    // A link that was clicked went to the user's own browser, which is not ours to trace.
    openedOutside: ['https://example.org/page'],
  });
  // The command and the window each reached the host: the trace was not blind.
  expect(report.loopback).toBeGreaterThan(1);
});
