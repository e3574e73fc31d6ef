import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AlertCode, AppEvent, VectorProgress } from '../shared/contract/app.ts';
import type { ForgetSubject, Recent } from '../shared/contract/forget.ts';
import type { ModelStatus } from '../shared/contract/models.ts';
import type { ReviewGroup } from '../shared/contract/review.ts';
import type { IndexProgress, Vault } from '../shared/contract/vaults.ts';
import { describeError, type Language } from '../shared/errors.ts';
import type { Pane } from '../shared/link.ts';
import { chosenLanguage, defaultSettings, type Settings } from '../shared/settings.ts';
import { type Api, type ConnectionState, type Hello, messageOf } from './api.ts';
import { followConnection } from './followConnection.ts';

/** What to show: a pane and, in it, a note, a conversation, a fact… */
export interface Place {
  pane: Pane;
  noteId?: string;
  conversationId?: string;
  /** In chat, the turn to bring into view; in traces, the turn whose retrieval to show. */
  turnId?: string;
  /** A fact to show. */
  factId?: string;
  /** In memory, a group of what needs a look. */
  review?: ReviewGroup;
  /** Chat: a new conversation, with this text in the composer. */
  draft?: string;
  /** Chat: the one without memory. */
  memoryless?: boolean;
  /** Settings: what to search there. */
  query?: string;
}

/** Why the Forget sheet is open. */
export interface ForgetRequest {
  /** What it begins with; null lets the user say it. */
  subject: ForgetSubject | null;
  /** What the user may have meant, the latest first. */
  recent?: readonly Recent[];
  /** Sends the message that asked for it, as it is. */
  onSend?: () => void;
  /** Something was forgotten. */
  onForgotten?: () => void;
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
  /** Counts up when turns left their conversations or came back. */
  turnsRevision: number;
  factsRevision: number;
  summariesRevision: number;
  /** Counts up when a backup was rewritten, or could not be. */
  backupsRevision: number;
  /** Counts up when an import went on or ended. */
  importsRevision: number;
  /** Counts up when background jobs were added, ran or ended. */
  jobsRevision: number;
  /** Counts up when there is something new to tell, or it was read. */
  noticesRevision: number;
  factsNoteRevision: number;
  /** Counts up when the core changes settings, so that what depends on them is read again. */
  settingsRevision: number;
  setupDismissed: boolean;
  /** What the Forget sheet was asked for; null while it is closed. */
  forgetting: ForgetRequest | null;
  go: (place: Place) => void;
  dismissSetup: () => void;
  /** Opens the Forget sheet, or closes it. */
  forget: (request: ForgetRequest | null) => void;
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

/** The later of two states of one vault. */
const newer = (one: IndexProgress, other: IndexProgress) => (other.since >= one.since ? other : one);

/** What events have told of the progress of vaults. A list that is read slowly must not replace it, even the first one. */
class ToldProgress {
  readonly #latest = new Map<string, IndexProgress>();

  /** Another connection may lead to another process, whose clock begins anew. */
  clear(): void {
    this.#latest.clear();
  }

  tell(progress: IndexProgress): void {
    const known = this.#latest.get(progress.vaultId);
    this.#latest.set(progress.vaultId, known ? newer(known, progress) : progress);
  }

  applyTo(vaults: readonly Vault[]): Vault[] {
    return vaults.map((vault) => {
      const told = this.#latest.get(vault.id);
      return told ? { ...vault, progress: newer(told, vault.progress) } : vault;
    });
  }
}

/** Settings as the core last told them, with the changes made here that it has not answered yet. */
class EditedSettings {
  told = defaultSettings;
  #unanswered: Partial<Settings>[] = [];

  get shown(): Settings {
    return Object.assign({}, this.told, ...this.#unanswered);
  }

  begin(patch: Partial<Settings>): void {
    this.#unanswered = [...this.#unanswered, patch];
  }

  end(patch: Partial<Settings>): void {
    this.#unanswered = this.#unanswered.filter((one) => one !== patch);
  }
}

/** State shared by every pane: the connection, the settings, the vaults with their progress, and what is shown. */
export function createAppStore(
  api: Api,
  onError: (message: string) => void,
  onAlert: (code: AlertCode, message: string) => void,
): AppStore {
  const { client } = api;
  const edited = new EditedSettings();
  const told = new ToldProgress();
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
    turnsRevision: 0,
    factsRevision: 0,
    summariesRevision: 0,
    backupsRevision: 0,
    importsRevision: 0,
    jobsRevision: 0,
    noticesRevision: 0,
    factsNoteRevision: 0,
    settingsRevision: 0,
    setupDismissed: false,
    forgetting: null,
    go: (place) => set({ place }),
    dismissSetup: () => set({ setupDismissed: true }),
    forget: (forgetting) => set({ forgetting }),
    changeSettings: async (patch) => {
      edited.begin(patch);
      set({ settings: edited.shown });
      try {
        edited.told = await client.app.changeSettings(patch);
      } catch (error) {
        onError(messageOf(error, languageOf(get())));
      } finally {
        edited.end(patch);
        set({ settings: edited.shown });
      }
    },
    refreshVaults: async () => {
      const vaults = await client.vaults.list();
      set({ vaults: told.applyTo(vaults) });
    },
    checkModel: async () => set({ model: await client.models.check() }),
    load: async () => {
      set({ loadError: '' });
      try {
        // An event of the vectors that comes while the rest is read is later than this answer.
        const vectors = client.app.stats().then(({ vectors }) => set({ vectors }));
        const [settings, vaults] = await Promise.all([client.app.settings(), client.vaults.list(), vectors]);
        edited.told = settings;
        set((state) => ({
          settings: edited.shown,
          vaults: told.applyTo(vaults),
          loaded: true,
          notesRevision: state.notesRevision + 1,
          conversationsRevision: state.conversationsRevision + 1,
          factsRevision: state.factsRevision + 1,
        }));
      } catch (error) {
        const message = messageOf(error, languageOf(get()));
        // What is on the screen stays; the footer tells of a lost connection.
        if (!get().loaded) set({ loadError: message });
        else if (get().connection === 'open') onError(message);
      }
    },
  }));
  const tell = (error: unknown) => onError(messageOf(error, languageOf(store.getState())));
  followConnection(api, store, {
    begin: () => told.clear(),
    apply: (event) => {
      if (event.type === 'settings') edited.told = event.settings;
      if (event.type === 'index') told.tell(event.progress);
      store.setState((state) =>
        event.type === 'index'
          ? { vaults: told.applyTo(state.vaults) }
          : withEvent(state, event, edited.shown),
      );
      if (event.type === 'vaults') store.getState().refreshVaults().catch(tell);
      else if (event.type === 'alert')
        onAlert(event.code, describeError(event.code, {}, languageOf(store.getState())));
      // The data was replaced: everything in this window is out of date.
      else if (event.type === 'reset') location.reload();
    },
    onError: tell,
  });
  return store;
}

/** What an event changes in the state. */
function withEvent(state: AppState, event: AppEvent, settings: Settings): Partial<AppState> {
  switch (event.type) {
    case 'vectors':
      return { vectors: event.progress };
    case 'model':
      return { model: event.status };
    case 'notes':
      return { notesRevision: state.notesRevision + 1 };
    case 'facts':
      return { factsRevision: state.factsRevision + 1 };
    case 'summaries':
      return { summariesRevision: state.summariesRevision + 1 };
    case 'backups':
      return { backupsRevision: state.backupsRevision + 1 };
    case 'imports':
      return { importsRevision: state.importsRevision + 1 };
    case 'jobs':
      return { jobsRevision: state.jobsRevision + 1 };
    case 'notices':
      return { noticesRevision: state.noticesRevision + 1 };
    case 'turns':
      return { turnsRevision: state.turnsRevision + 1 };
    case 'facts-note':
      return { factsNoteRevision: state.factsNoteRevision + 1 };
    case 'conversations':
      return { conversationsRevision: state.conversationsRevision + 1 };
    case 'settings':
      return { settings, settingsRevision: state.settingsRevision + 1 };
    default:
      return {};
  }
}
