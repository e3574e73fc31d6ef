import type { AppEvent } from '../shared/contract/app.ts';
import type { Api } from './api.ts';
import type { AppStore } from './appStore.ts';

interface Following {
  /** A connection has opened: nothing was told over it yet. */
  begin: () => void;
  apply: (event: AppEvent) => void;
  onError: (error: unknown) => void;
}

/** Pause before a stream of events that ended is opened again. */
const FOLLOW_AGAIN_MS = 1_000;

/** Keeps the store up to date: while a connection is open, follows the core's events and reads everything once they are followed. */
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
    following.begin();
    // There is nothing to read, but the data may be replaced.
    const load = hello?.damage ? () => Promise.resolve() : () => store.getState().load();
    void followEvents(api, following, {
      isCurrent: () => mine === changes,
      load,
    });
  });
}

/** Follows the core's events while one connection is open, with a new stream whenever one fails or ends; each time everything is read. */
async function followEvents(
  api: Api,
  { apply, onError }: Following,
  { isCurrent, load }: { isCurrent: () => boolean; load: () => Promise<void> },
): Promise<void> {
  let failures = 0;
  while (isCurrent()) {
    try {
      const events = await api.client.app.events();
      // Read only now: an event between an answer and the first event of the stream would be missed.
      void load();
      for await (const event of events) {
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
  }
}
