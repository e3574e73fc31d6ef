import type { App } from '../../src/core/app.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import { summariseNow } from '../support/summariseNow.ts';
import { openTestCore } from '../support/testApp.ts';

/** A core that a random run acts on, in this process or in another. */
export interface WorldCore {
  readonly client: Client;
  /** Sets the core's clock, and waits until every job that is due then has run. */
  setNow(now: number): Promise<void>;
  /** Has everything summarised that is due, if the core can be told to: by itself only one that stays open does. */
  summarise?(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a core in this process. */
export async function openHere(dataDir: string, now: number): Promise<WorldCore> {
  let present = now;
  const app: App = openTestCore(dataDir, { clock: { now: () => present } });
  await app.services.jobs.settled();
  return {
    client: app.client,
    setNow: async (next) => {
      present = next;
      await app.services.jobs.settled();
    },
    summarise: () => summariseNow(app),
    close: () => app.close(),
  };
}
