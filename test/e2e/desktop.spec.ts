import { createRequire } from 'node:module';
import { join } from 'node:path';
import { _electron, expect, test } from '@playwright/test';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

const root = join(import.meta.dirname, '../..');

/** Path of Electron's program; null if its binary was not downloaded, or cannot show a window. */
function electronProgram(): string | null {
  if (process.platform === 'linux' && (process.getuid?.() === 0 || !process.env.DISPLAY)) return null;
  try {
    return createRequire(import.meta.url)('electron') as string;
  } catch {
    // Electron's package throws if the binary is missing.
    return null;
  }
}

const program = electronProgram();
test.skip(program === null, 'no Electron binary that can show a window on this machine');

test('the desktop app opens, keeps its page apart from Node, learns, and finds it again', async () => {
  const dataDir = temporaryFolder();
  const app = await _electron.launch({
    executablePath: program as string,
    args: [root, `--data=${dataDir}`],
  });
  const page = await app.firstWindow();
  expect(page.url()).toMatch(/^app:\/\/souvenir\//);
  await page.getByRole('button', { name: 'Later' }).click();
  await page.getByLabel('Your message').fill('Souviens-toi que le thé est dans le placard du haut.');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/^Learnt: /)).toBeVisible();
  expect(await page.evaluate(() => [typeof globalThis.process, 'require' in globalThis])).toEqual([
    'undefined',
    false,
  ]);
  await app.close();
  const again = await _electron.launch({
    executablePath: program as string,
    args: [root, `--data=${dataDir}`],
  });
  const window = await again.firstWindow();
  await expect(window.getByRole('button', { name: /^Souviens-toi que le thé/ })).toBeVisible();
  await again.close();
  removeFolder(dataDir);
});
