import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import type { App } from '../../src/core/app.ts';
import type { Settings } from '../../src/shared/settings.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { Hosts, type RunningHost } from './host.ts';
import { MUCH, makeSeed, openData, resetSeed, type Seed } from './seed.ts';
import { watchPage } from './watch.ts';

export { expect, type Page } from '@playwright/test';

/** A user's surroundings. */
export interface Place {
  home: string;
  /** Holds an empty database, so that no test waits until one is made. */
  dataDir: string;
  /** Where a test may write notes. */
  vault: string;
  /** Opens the data before a host does. */
  fill(work: (app: App) => Promise<unknown>): Promise<void>;
  /** Starts a host that ends with the test. */
  start(options?: { dataDir?: string; lang?: string }): Promise<RunningHost>;
}

export interface Seeded {
  home: string;
  dataDir: string;
  host: RunningHost;
}

interface Fixtures {
  /** Settings that the data of `seeded` has. */
  settings: Partial<Settings>;
  hosts: Hosts;
  place: Place;
  /** A running host with much data, see seed.ts. */
  seeded: Seeded;
  /** What went wrong in the page so far. It must be empty at the end of the test. */
  problems: string[];
}

interface WorkerFixtures {
  /** A data folder with an empty database. */
  emptyData: string;
  seed: Seed;
}

export const test = base.extend<Fixtures, WorkerFixtures>({
  settings: [{}, { option: true }],
  emptyData: [
    // Playwright takes nothing but a pattern here, and lint none that is empty.
    async ({ browserName: _ }, use) => {
      const made = temporaryFolder();
      await openData(made, async () => undefined);
      await use(made);
      removeFolder(made);
    },
    { scope: 'worker' },
  ],
  seed: [
    async ({ browserName: _ }, use) => {
      const seed = await makeSeed(MUCH);
      await use(seed);
      removeFolder(seed.home);
    },
    { scope: 'worker' },
  ],
  hosts: async ({ browserName: _ }, use) => {
    const hosts = new Hosts();
    await use(hosts);
    await hosts.stop();
  },
  place: async ({ emptyData, hosts }, use) => {
    const home = temporaryFolder();
    const dataDir = join(home, 'data');
    cpSync(emptyData, dataDir, { recursive: true });
    hosts.afterwards(() => removeFolder(home));
    await use({
      home,
      dataDir,
      vault: join(home, 'Carnet'),
      fill: (work) => openData(dataDir, work),
      start: (options = {}) => hosts.start(options.dataDir ?? dataDir, { home, ...options }),
    });
  },
  seeded: async ({ seed, hosts, settings }, use) => use(await startSeeded(seed, hosts, settings)),
  problems: [
    async ({ page }, use) => {
      const problems = watchPage(page);
      await use(problems);
      expect(problems).toEqual([]);
    },
    { auto: true },
  ],
  // Needs the hosts, so that the page is left before they end: otherwise it would try to reach a host that is gone.
  page: async ({ page, hosts: _hosts }, use) => {
    await use(page);
    if (!page.isClosed()) await page.goto('about:blank');
  },
});

/** Starts a host on data as they were made, but for some settings. */
export async function startSeeded(seed: Seed, hosts: Hosts, settings: Partial<Settings>): Promise<Seeded> {
  const { home, dataDir } = resetSeed(seed);
  if (Object.keys(settings).length > 0)
    await openData(dataDir, ({ client }) => client.app.changeSettings(settings));
  return { home, dataDir, host: await hosts.start(dataDir, { home }) };
}
