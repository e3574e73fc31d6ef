import type { AppEvent } from '../shared/contract/app.ts';
import type { Api } from './api.ts';
import type { AppStore } from './appStore.ts';

interface Following {
  apply: (event: AppEvent) => void;
  onError: (error: unknown) => void;
}

/** Pause before a stream of events that ended is opened again. */
const FOLLOW_AGAIN_MS = 1_000;

/** Keeps the store up to date: reads everything when a connection opens, then follows the core's events. */
export function followConnection(api: Api, store: AppStore, following: Following): void {
  let changes = 0;
  api.onConnection((connection, hello) => {
    changes += 1;
    const mine = changes;
    store.setState(({ connections }) => ({
      connection,
      hello,
      connections: connections + (connection === 'open' ? 1 : 0),
    }));
    if (connection !== 'open') return;
    // There is nothing to read, but the data may be replaced.
    const load = hello?.damage ? () => Promise.resolve() : () => store.getState().load();
    void load();
    void followEvents(api, following, {
      isCurrent: () => mine === changes,
      load,
    });
  });
}

/** Follows the core's events while one connection is open, with a new stream whenever one fails or ends. */
async function followEvents(
  api: Api,
  { apply, onError }: Following,
  { isCurrent, load }: { isCurrent: () => boolean; load: () => Promise<void> },
): Promise<void> {
  let failures = 0;
  while (isCurrent()) {
    try {
      for await (const event of await api.client.app.events()) {
        if (!isCurrent()) return;
        failures = 0;
        apply(event);
      }
    } catch (error) {
      // When a connection is lost its streams fail first, so a single failure is not shown.
      failures += 1;
      if (failures > 1) onError(error);
    }
    await new Promise((resolve) => setTimeout(resolve, FOLLOW_AGAIN_MS));
    // Events may have been missed meanwhile.
    if (isCurrent()) await load();
  }
}
