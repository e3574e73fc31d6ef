import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import { findChromium } from './test/e2e/browser.ts';

const executablePath = findChromium();

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '*.spec.ts',
  // Limits tell "hung" from "slow" where everything else runs at the same time.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  workers: 2,
  // A test that passes only sometimes is a fault of the test or of the product.
  retries: 0,
  forbidOnly: existsSync('.ci') && process.env.CI === 'true',
  outputDir: 'test-results',
  use: {
    // Opening a tab costs more than all that most tests do in it. Every host has an origin of its own.
    reuseContext: true,
    actionTimeout: 20_000,
    // Nothing is tested about movement, and every click waits for it to end.
    contextOptions: { reducedMotion: 'reduce' },
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    trace: 'off',
    launchOptions: {
      ...(executablePath === null ? {} : { executablePath }),
      args: [
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    },
  },
});
