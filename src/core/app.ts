import { createRouterClient } from '@orpc/server';
import type { AppEvent } from '../shared/contract/app.ts';
import type { Client } from '../shared/contract/index.ts';
import type { Language } from '../shared/errors.ts';
import { chosenLanguage } from '../shared/settings.ts';
import type { ConnectionContext } from './api/implementer.ts';
import { router } from './api/router.ts';
import { Answerer } from './chat/answer.ts';
import { Chat } from './chat/chat.ts';
import { PromptPlanner } from './chat/prompt/promptPlanner.ts';
import { VectorIndexer } from './embedding/vectorIndexer.ts';
import { InProcessMirror } from './embedding/vectorMirror.ts';
import { VectorOutbox } from './embedding/vectorOutbox.ts';
import { loadWordVectors } from './embedding/wordVectors.ts';
import { QUOTED_HASH } from './items/index.ts';
import type { ItemStores } from './items/item.ts';
import { Jobs } from './jobs/jobs.ts';
import { Backups } from './lifecycle/backup.ts';
import { DAILY_BACKUP, dailyBackup } from './lifecycle/dailyBackup.ts';
import { purgeJobs } from './lifecycle/recentlyDeleted.ts';
import { type DataChange, type OpenData, ReplaceableData } from './lifecycle/replaceData.ts';
import { retokenise } from './lifecycle/retokenise.ts';
import { expireFacts } from './memory/facts/expiry.ts';
import { Facts } from './memory/facts/facts.ts';
import { ChatModels } from './models/chatModels.ts';
import { SearchEngine } from './search/engine.ts';
import type { WordModels } from './search/fusion/ranker.ts';
import { FullText } from './search/lexical/fullText.ts';
import { loadLexicon } from './search/lexical/lexicon.ts';
import { NoteNames } from './search/lexical/names.ts';
import { createRetriever, type Retriever } from './search/retrieve.ts';
import { createDiffers } from './search/sameness.ts';
import { ContextBlockStore } from './storage/contextBlocks.ts';
import { type ConversationStore, createConversationStore } from './storage/conversations.ts';
import { type Db, openDatabase } from './storage/database.ts';
import {
  type DataFolder,
  type OwnerAddress,
  readOwnerAddress,
  takeDataFolder,
} from './storage/dataFolder.ts';
import { FactStore } from './storage/facts.ts';
import { createKeyStore, type KeyCipher, type KeyStore } from './storage/keys.ts';
import { NoteStore } from './storage/notes/noteStore.ts';
import { PromptStore } from './storage/prompts.ts';
import { RetrievalLog } from './storage/retrievalLog.ts';
import { createSettingsStore, type SettingsStore } from './storage/settings.ts';
import { VaultStore } from './storage/vaults.ts';
import { type Clock, fixedClock, systemClock } from './support/clock.ts';
import { type Broadcast, createBroadcast } from './support/events.ts';
import { createLogger, type Logger } from './support/logger.ts';
import { systemLanguage } from './support/systemLanguage.ts';
import { Vaults } from './vaults/registry.ts';

export type { ConnectionContext } from './api/implementer.ts';
export { router } from './api/router.ts';
export { servePort } from './api/servePort.ts';
export { restoreBackup } from './lifecycle/restore.ts';
export type { KeyCipher } from './storage/keys.ts';
export { type Clock, fixedClock, type Logger, type OwnerAddress, readOwnerAddress };

export interface AppConfig {
  dataDir: string;
  version: string;
}

/** What a host, a command or a test may replace. */
export interface AppPorts {
  clock?: Clock;
  log?: Logger;
  /** The system's keychain. */
  keyCipher?: KeyCipher;
}

/** Everything that the API's handlers may use. */
export interface Services {
  version: string;
  dataDir: string;
  systemLanguage: Language;
  db: Db;
  jobs: Jobs;
  backups: Backups;
  log: Logger;
  clock: Clock;
  events: Broadcast<AppEvent>;
  settings: SettingsStore;
  keys: KeyStore;
  vaultStore: VaultStore;
  vaults: Vaults;
  vectors: VectorIndexer;
  vectorMirror: InProcessMirror;
  notes: NoteStore;
  conversations: ConversationStore;
  fullText: FullText;
  names: NoteNames;
  factStore: FactStore;
  facts: Facts;
  retriever: Retriever;
  prompts: PromptStore;
  retrievals: RetrievalLog;
  answerer: Answerer;
  chat: Chat;
  /** Replaces files of the data folder, see `ReplaceableData.replace`. Connections go on; windows are told to load anew. */
  replaceData(change: DataChange): Promise<void>;
}

export interface App {
  services: Services;
  /** The contract, called directly in this process. */
  client: Client;
  log: Logger;
  /** Tells other processes where this owner answers. */
  publish(address: OwnerAddress): void;
  /** Indexes every vault as it changes, until the app is closed. */
  watch(): void;
  close(): Promise<void>;
}

/**
 * Builds the core in order and owns its data folder until `close`, which takes everything down in reverse.
 * @throws AppError where the data folder cannot be taken or its database cannot be opened
 */
export function createApp(config: AppConfig, ports: AppPorts = {}): App {
  const folder = takeDataFolder(config.dataDir);
  try {
    const log = ports.log ?? createLogger(folder.dir);
    return createOn(folder, {
      version: config.version,
      dir: folder.dir,
      log,
      clock: ports.clock ?? systemClock,
      events: createBroadcast<AppEvent>(),
      keyCipher: ports.keyCipher ?? null,
    });
  } catch (error) {
    folder.release();
    throw error;
  }
}

function createOn(folder: DataFolder, config: PartsConfig): App {
  const data = new ReplaceableData<Parts>({
    open: () => openParts(config),
    onReopened: (parts) => Object.assign(services, parts.services),
    onReplaced: () => config.events.send({ type: 'reset' }),
    log: config.log,
  });
  // One object for good: connections hold on to it while what it holds is replaced.
  const services: Services = {
    ...data.current.services,
    replaceData: (change) => data.replace(change),
  };
  const direct: ConnectionContext = { services, reconnectToken: null, host: 'none', openWindow: null };
  return {
    services,
    client: createRouterClient(router, { context: direct }),
    log: config.log,
    publish: folder.publish,
    watch: () => data.watch(),
    close: async () => {
      await data.close();
      folder.release();
    },
  };
}

interface PartsConfig {
  version: string;
  dir: string;
  log: Logger;
  clock: Clock;
  events: Broadcast<AppEvent>;
  keyCipher: KeyCipher | null;
}

/** Everything that stands on one database. */
interface Parts extends OpenData {
  services: Omit<Services, 'replaceData'>;
}

/** Opens the database and builds on it; closes it again where that fails. */
function openParts(config: PartsConfig): Parts {
  const db = openDatabase(config.dir);
  try {
    return assemble(config, db);
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble({ version, dir, log, clock, events, keyCipher }: PartsConfig, db: Db): Parts {
  const jobs = new Jobs({
    db,
    clock,
    log: log.child({ domain: 'jobs' }),
    onChange: () => events.send({ type: 'jobs' }),
  });
  const backups = new Backups({ db, dataDir: dir, clock });
  const settings = createSettingsStore(db, log);
  const keys = createKeyStore(dir, keyCipher);
  const vaultStore = new VaultStore(db);
  const notes = new NoteStore(db);
  const conversations = createConversationStore(db);
  const fullText = new FullText(db);
  const factStore = new FactStore(db, () => events.send({ type: 'facts' }));
  const stores: ItemStores = { db, vaults: vaultStore, notes, conversations, facts: factStore };
  const vectorMirror = new InProcessMirror();
  const vectors = new VectorIndexer({
    dataDir: dir,
    outbox: new VectorOutbox(db, clock),
    mirror: vectorMirror,
    expected: () => settings.read().embedder,
    log: log.child({ domain: 'vectors' }),
    onProgress: (progress) => events.send({ type: 'vectors', progress }),
  });
  // Every change of rows that have vectors, or that a scheduled job waits for, is followed by one of these events.
  const stopListening = events.listen(({ type }) => {
    if (type === 'notes' || type === 'facts' || type === 'conversations') vectors.wakeSoon();
    if (type === 'vaults' || type === 'facts' || type === 'conversations') jobs.reschedule();
  });
  const rewritten = retokenise(stores);
  if (rewritten > 0) log.info({ rows: rewritten }, 'terms written again by the present tokeniser');
  const facts = new Facts(factStore, clock);
  const vaults = new Vaults({
    db,
    vaults: vaultStore,
    notes,
    clock,
    log: log.child({ domain: 'indexing' }),
    onProgress: (progress) => events.send({ type: 'index', progress }),
    onNotes: () => events.send({ type: 'notes' }),
    onVaults: () => events.send({ type: 'vaults' }),
  });
  const names = new NoteNames(db);
  const wordModels = loadWordModels();
  const engine = new SearchEngine({
    db,
    fullText,
    names,
    notes,
    conversations,
    facts: factStore,
    models: wordModels,
    index: () => vectorMirror.index(),
  });
  const retriever = createRetriever({
    engine,
    serving: () => vectors.serving(),
    settings: settings.read,
    indexing: () => vaults.indexing(),
    clock,
    log: log.child({ domain: 'retrieval' }),
  });
  const language = () => chosenLanguage(settings.read().language, systemLanguage());
  const prompts = new PromptStore(db);
  const retrievals = new RetrievalLog(db);
  const models = new ChatModels({ settings: settings.read, keyOf: keys.get });
  const planner = new PromptPlanner({
    db,
    retriever,
    prompts,
    blocks: new ContextBlockStore(db, QUOTED_HASH),
    retrievals,
    factStore,
    settings: settings.read,
    clock,
    language,
    differs: createDiffers(wordModels.lexicon),
  });
  const answerer = new Answerer({
    vaults: vaultStore,
    notes,
    conversations,
    factStore,
    models,
    planner,
    prompts,
    settings: settings.read,
    clock,
    log: log.child({ domain: 'chat' }),
  });
  const chat = new Chat({
    db,
    vaults: vaultStore,
    notes,
    conversations,
    factStore,
    facts,
    clock,
    log: log.child({ domain: 'chat' }),
    language,
    answerer,
    modelName: () => models.name(),
    onChange: () => events.send({ type: 'conversations' }),
  });
  const services: Parts['services'] = {
    version,
    dataDir: dir,
    systemLanguage: systemLanguage(),
    db,
    jobs,
    backups,
    log,
    clock,
    events,
    settings,
    keys,
    vaultStore,
    vaults,
    vectors,
    vectorMirror,
    notes,
    conversations,
    fullText,
    names,
    factStore,
    facts,
    retriever,
    prompts,
    retrievals,
    answerer,
    chat,
  };

  for (const kind of purgeJobs({
    db,
    clock,
    conversations,
    factStore,
    vaults,
    onPurged: () => vectors.wakeSoon(),
  }))
    jobs.register(kind);
  jobs.register(expireFacts(factStore, clock));
  jobs.register(dailyBackup(backups, clock));
  // A command that comes and goes makes no backups.
  const resumeBackups = jobs.pause([DAILY_BACKUP]);
  jobs.start();

  return {
    services,
    watch: () => {
      resumeBackups();
      vaults.watch();
      void vectors.whenReady();
    },
    close: async () => {
      stopListening();
      await jobs.close();
      await backups.close();
      await chat.close();
      await vaults.close();
      await vectors.close();
      db.close();
    },
  };
}

function loadWordModels(): WordModels {
  return { lexicon: loadLexicon(), vectors: loadWordVectors() };
}
