import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The system's Chromium, or else Playwright's own; null if neither is installed. */
export function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const onPath = folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
  if (onPath !== undefined) return onPath;
  const own = chromium.executablePath();
  return existsSync(own) ? own : null;
}
