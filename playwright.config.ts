import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import { findChromium } from './test/e2e/browser.ts';

const executablePath = findChromium();

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '*.spec.ts',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  // Two windows at once keep two processors busy, and a retrieval that has 200 ms then finds nothing.
  workers: 1,
  // A test that passes only sometimes is a fault of the test or of the product.
  retries: 0,
  forbidOnly: existsSync('.ci') && process.env.CI === 'true',
  outputDir: 'test-results',
  use: {
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
