import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AppEvent, VectorProgress } from '../shared/contract/app.ts';
import type { ModelStatus } from '../shared/contract/models.ts';
import type { IndexProgress, Vault } from '../shared/contract/vaults.ts';
import type { Language } from '../shared/errors.ts';
import type { Pane } from '../shared/link.ts';
import { chosenLanguage, defaultSettings, type Settings } from '../shared/settings.ts';
import { type Api, type ConnectionState, type Hello, messageOf } from './api.ts';

/** What to show: a pane and, in it, a note, a conversation, a fact… */
export interface Place {
  pane: Pane;
  noteId?: string;
  conversationId?: string;
  /** In chat, the turn to bring into view; in traces, the turn whose retrieval to show. */
  turnId?: string;
  /** A fact to show. */
  factId?: string;
  /** Chat: a new conversation, with this text in the composer. */
  draft?: string;
  /** Settings: what to search there. */
  query?: string;
}

export interface AppState {
  connection: ConnectionState;
  /** Counts the connections that have opened: what is shown is read again after each. */
  connections: number;
  hello: Hello | null;
  settings: Settings;
  vaults: Vault[];
  /** State of the semantic index; null until the core has told it. */
  vectors: VectorProgress | null;
  /** Last known state of the chosen model; null for Passages, and until the core has told it. */
  model: ModelStatus | null;
  /** True once settings and vaults were read. */
  loaded: boolean;
  /** Why settings and vaults could not be read; empty otherwise. */
  loadError: string;
  place: Place;
  /** Each counts up when such rows change, so that panes read again. */
  notesRevision: number;
  conversationsRevision: number;
  factsRevision: number;
  /** Counts up when background jobs were added, ran or ended. */
  jobsRevision: number;
  /** Counts up when the core changes settings, so that what depends on them is read again. */
  settingsRevision: number;
  setupDismissed: boolean;
  go: (place: Place) => void;
  dismissSetup: () => void;
  changeSettings: (patch: Partial<Settings>) => Promise<void>;
  refreshVaults: () => Promise<void>;
  /** Has the core ask the chosen model's server whether it is there. */
  checkModel: () => Promise<void>;
  /** Reads settings and vaults again. */
  load: () => Promise<void>;
}

export type AppStore = StoreApi<AppState>;

/** The language of the window: the user's choice, else the system's. */
export function languageOf(state: Pick<AppState, 'settings' | 'hello'>): Language {
  return chosenLanguage(state.settings.language, state.hello?.systemLanguage ?? 'en');
}

/** Pause before a stream of events that ended is opened again. */
const FOLLOW_AGAIN_MS = 1_000;

/** The later of two states of one vault: a slow answer must not replace what an event has told since. */
const newer = (one: IndexProgress, other: IndexProgress) => (other.since >= one.since ? other : one);

/** State shared by every pane: the connection, the settings, the vaults with their progress, and what is shown. */
export function createAppStore(api: Api, onError: (message: string) => void): AppStore {
  /** Settings as the core last told them, and changes made here that it has not answered yet. */
  let told = defaultSettings;
  let unanswered: Partial<Settings>[] = [];
  const shown = (): Settings => Object.assign({}, told, ...unanswered);
  const store = createStore<AppState>()((set, get) => ({
    connection: 'connecting',
    connections: 0,
    hello: null,
    settings: defaultSettings,
    vaults: [],
    vectors: null,
    model: null,
    loaded: false,
    loadError: '',
    place: { pane: 'chat' },
    notesRevision: 0,
    conversationsRevision: 0,
    factsRevision: 0,
    jobsRevision: 0,
    settingsRevision: 0,
    setupDismissed: false,
    go: (place) => set({ place }),
    dismissSetup: () => set({ setupDismissed: true }),
    changeSettings: async (patch) => {
      unanswered = [...unanswered, patch];
      set({ settings: shown() });
      try {
        told = await api.client.app.changeSettings(patch);
      } catch (error) {
        onError(messageOf(error, languageOf(get())));
      } finally {
        unanswered = unanswered.filter((one) => one !== patch);
        set({ settings: shown() });
      }
    },
    refreshVaults: async () => {
      const vaults = await api.client.vaults.list();
      set((state) => ({
        vaults: vaults.map((vault) => {
          const known = state.vaults.find(({ id }) => id === vault.id);
          return known ? { ...vault, progress: newer(known.progress, vault.progress) } : vault;
        }),
      }));
    },
    checkModel: async () => set({ model: await api.client.models.check() }),
    load: async () => {
      set({ loadError: '' });
      try {
        await load();
      } catch (error) {
        const message = messageOf(error, languageOf(get()));
        // What is on the screen stays; the footer tells of a lost connection.
        if (!get().loaded) set({ loadError: message });
        else if (get().connection === 'open') onError(message);
      }
    },
  }));

  const load = async () => {
    const [settings, vaults, { vectors }] = await Promise.all([
      api.client.app.settings(),
      api.client.vaults.list(),
      api.client.app.stats(),
    ]);
    told = settings;
    store.setState((state) => ({
      settings: shown(),
      vaults,
      vectors,
      loaded: true,
      notesRevision: state.notesRevision + 1,
      conversationsRevision: state.conversationsRevision + 1,
      factsRevision: state.factsRevision + 1,
    }));
  };

  /** Applies the events of one stream until it ends; returns their number. */
  const applyEvents = async (isCurrent: () => boolean): Promise<number> => {
    let count = 0;
    for await (const event of await api.client.app.events()) {
      if (!isCurrent()) return count;
      count += 1;
      apply(event);
    }
    return count;
  };

  /** Follows the core's events while this connection is open, with a new stream whenever one fails or ends. */
  const follow = async (isCurrent: () => boolean): Promise<void> => {
    let failures = 0;
    while (isCurrent()) {
      try {
        failures = (await applyEvents(isCurrent)) > 0 ? 0 : failures;
      } catch (error) {
        // When a connection is lost its streams fail first, so a single failure is not shown.
        failures += 1;
        if (failures > 1) onError(messageOf(error, languageOf(store.getState())));
      }
      await new Promise((resolve) => setTimeout(resolve, FOLLOW_AGAIN_MS));
      // Events may have been missed meanwhile.
      if (isCurrent()) await store.getState().load();
    }
  };

  const apply = (event: AppEvent): void => {
    const { notesRevision, conversationsRevision, factsRevision, jobsRevision, settingsRevision } =
      store.getState();
    switch (event.type) {
      case 'index':
        store.setState(({ vaults }) => ({
          vaults: vaults.map((vault) =>
            vault.id === event.progress.vaultId
              ? { ...vault, progress: newer(vault.progress, event.progress) }
              : vault,
          ),
        }));
        break;
      case 'vectors':
        store.setState({ vectors: event.progress });
        break;
      case 'model':
        store.setState({ model: event.status });
        break;
      case 'vaults':
        store
          .getState()
          .refreshVaults()
          .catch((error: unknown) => onError(messageOf(error, languageOf(store.getState()))));
        break;
      case 'notes':
        store.setState({ notesRevision: notesRevision + 1 });
        break;
      case 'facts':
        store.setState({ factsRevision: factsRevision + 1 });
        break;
      case 'jobs':
        store.setState({ jobsRevision: jobsRevision + 1 });
        break;
      case 'conversations':
        store.setState({ conversationsRevision: conversationsRevision + 1 });
        break;
      case 'settings':
        told = event.settings;
        store.setState({ settings: shown(), settingsRevision: settingsRevision + 1 });
        break;
      case 'reset':
        // The data was replaced: everything in this window is out of date.
        location.reload();
    }
  };

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
    void store.getState().load();
    void follow(() => mine === changes);
  });
  return store;
}
