import { findChromium } from '../e2e/browser.ts';
import { outboundObstacle, runOutbound } from '../support/outbound/outbound.ts';

/** The built product in a network of its own, its window left alone for `idleS` seconds: what it contacted. */
export async function soakOutbound(idleS: number): Promise<void> {
  const browser = findChromium();
  const obstacle = outboundObstacle() ?? (browser === null ? 'no Chromium on this machine' : null);
  if (obstacle !== null) {
    console.log(JSON.stringify({ soak: 'outbound', skipped: obstacle }));
    return;
  }
  const report = await runOutbound({ run: 'product', idleMs: idleS * 1_000, browser });
  console.log(JSON.stringify({ soak: 'outbound', ...report }));
  if (report.outside.length + report.lookUps.length + report.datagrams > 0) process.exitCode = 1;
}
