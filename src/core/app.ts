import { join } from 'node:path';
import { createRouterClient } from '@orpc/server';
import type { AlertCode, AppEvent } from '../shared/contract/app.ts';
import type { Client } from '../shared/contract/index.ts';
import { AppError } from '../shared/errors.ts';
import type { ErrorTrace } from '../shared/errorTrace.ts';
import { factsNoteIn, placeOf } from '../shared/factsNote.ts';
import type { FactId } from '../shared/ids.ts';
import { chosenLanguage } from '../shared/settings.ts';
import type { ConnectionContext } from './api/implementer.ts';
import { router } from './api/router.ts';
import { Answerer } from './chat/answer.ts';
import { Chat } from './chat/chat.ts';
import { PromptPlanner } from './chat/prompt/promptPlanner.ts';
import { SAME } from './embedding/similarity.ts';
import { VectorIndexer } from './embedding/vectorIndexer.ts';
import { VectorOutbox } from './embedding/vectorOutbox.ts';
import { loadWordVectors } from './embedding/wordVectors.ts';
import { QUOTED_HASH } from './items/index.ts';
import { Jobs } from './jobs/jobs.ts';
import { Backups } from './lifecycle/backup.ts';
import { BackupErasure } from './lifecycle/backupErasure.ts';
import { restorableCopies } from './lifecycle/copies.ts';
import { DAILY_BACKUP, dailyBackup } from './lifecycle/dailyBackup.ts';
import { finishErasing } from './lifecycle/erase.ts';
import { remainsJobs } from './lifecycle/eraseRemains.ts';
import { RecentlyDeleted } from './lifecycle/recentlyDeleted.ts';
import { type OpenData, ReplaceableData } from './lifecycle/replaceData.ts';
import { retokenise } from './lifecycle/retokenise.ts';
import { RowChecks } from './lifecycle/rowChecks.ts';
import { Drift } from './memory/drift/drift.ts';
import { type Alike, COMPARE_FACTS, compareFacts } from './memory/facts/alike.ts';
import { Consolidation } from './memory/facts/consolidate.ts';
import { expireFacts } from './memory/facts/expiry.ts';
import { Facts } from './memory/facts/facts.ts';
import { Merging } from './memory/facts/merge.ts';
import { Words } from './memory/facts/words.ts';
import { FactsNote } from './memory/factsNote/factsNote.ts';
import { Forget } from './memory/forget/forget.ts';
import { ForgetFacts } from './memory/forget/forgetFacts.ts';
import { ForgetTitles } from './memory/forget/forgetTitles.ts';
import { ForgetTurns } from './memory/forget/forgetTurns.ts';
import { Gate } from './memory/learning/gate.ts';
import { LEARN, Learning } from './memory/learning/learning.ts';
import { conflicts } from './memory/review/conflicts.ts';
import { contradictions } from './memory/review/contradictions.ts';
import { duplicates } from './memory/review/duplicates.ts';
import { pending } from './memory/review/pending.ts';
import { Review } from './memory/review/review.ts';
import { stale } from './memory/review/stale.ts';
import { unused } from './memory/review/unused.ts';
import { ChatModels } from './models/chatModels.ts';
import { type Lexicon, loadLexicon } from './search/lexical/lexicon.ts';
import { NoteNames } from './search/lexical/names.ts';
import { SearchClient } from './search/searchClient.ts';
import type { OpenProfile, Services, WithoutData } from './services.ts';
import { ContextBlockStore } from './storage/contextBlocks.ts';
import { createConversationStore } from './storage/conversations.ts';
import { type Db, openDatabase } from './storage/database.ts';
import { isCopy } from './storage/databaseCopies.ts';
import {
  type DataFolder,
  type OwnerAddress,
  readOwnerAddress,
  refuseInside,
  takeDataFolder,
} from './storage/dataFolder.ts';
import { ErasureLedger } from './storage/erasureLedger.ts';
import { FactLines } from './storage/factLines.ts';
import { FactStore } from './storage/facts.ts';
import { BACKUP_FOLDER, MADE_WHOLE } from './storage/folderNames.ts';
import { ForgottenTurns } from './storage/forgottenTurns.ts';
import { createKeyStore, type KeyCipher } from './storage/keys.ts';
import { NoteStore } from './storage/notes/noteStore.ts';
import { NoticeStore } from './storage/notices.ts';
import { PromptStore } from './storage/prompts.ts';
import { RetrievalLog } from './storage/retrievalLog.ts';
import { createSettingsStore } from './storage/settings.ts';
import { VaultStore } from './storage/vaults.ts';
import { unlessAborted } from './support/abort.ts';
import { type Clock, fixedClock, systemClock } from './support/clock.ts';
import { closeAll } from './support/closeAll.ts';
import { type Broadcast, createBroadcast } from './support/events.ts';
import { createLogger, type Logger } from './support/logger.ts';
import { removePartials } from './support/partialFile.ts';
import { systemLanguage } from './support/systemLanguage.ts';
import { Particularity } from './support/text/particulars.ts';
import { knownObsidianVaults } from './vaults/obsidian/obsidian.ts';
import { readOwnNote, writeOwnNote } from './vaults/ownNote.ts';
import { Vaults } from './vaults/registry.ts';

export type { ConnectionContext } from './api/implementer.ts';
export { router } from './api/router.ts';
export { servePort } from './api/servePort.ts';
export { restoreBackup } from './lifecycle/restore.ts';
export type { KeyCipher } from './storage/keys.ts';
export { PartialFile } from './support/partialFile.ts';
export { type Clock, fixedClock, type Logger, type OwnerAddress, readOwnerAddress, restorableCopies };

export interface AppConfig {
  dataDir: string;
  version: string;
}

/** What a host, a command or a test may replace. */
export interface AppPorts {
  clock?: Clock;
  log?: Logger;
  /** Null if the host opens no window. */
  profile?: OpenProfile;
  /** The system's keychain. */
  keyCipher?: KeyCipher;
  /** The module of the search thread. */
  searchWorker?: URL;
  /** Does the computer run on its battery? Then what can wait does. */
  onBattery?: () => boolean;
  /** A host that can show a window opens on a damaged database too: the window offers what can be done. */
  opensDamaged?: boolean;
}

export interface App {
  services: Services;
  /** The contract, called directly in this process. */
  client: Client;
  log: Logger;
  /** Why the data cannot be opened, with `opensDamaged`; null if it is open. */
  readonly damage: AppError | null;
  /** Tells every window something that its user must know at once. */
  alert(code: AlertCode): void;
  /** Logs an error that nothing caught, here or in another process of the host, and tells every window. */
  reportFault(trace: ErrorTrace): void;
  /** Tells other processes where this owner answers. */
  publish(address: OwnerAddress): void;
  /** Indexes every vault as it changes, until the app is closed. */
  watch(): void;
  close(): Promise<void>;
}

/**
 * Builds the core in order and owns its data folder until `close`, which takes everything down in reverse.
 * @throws AppError where the data folder cannot be taken or its database cannot be opened, unless it is damaged and the host
 *   `opensDamaged`
 */
export function createApp(config: AppConfig, ports: AppPorts = {}): App {
  const folder = takeDataFolder(
    config.dataDir,
    knownObsidianVaults(ports.log).map(({ path }) => path),
  );
  try {
    finishErasing(folder.dir, ports.profile?.name);
    const log = ports.log ?? createLogger(folder.dir);
    return createOn(folder, {
      version: config.version,
      dir: folder.dir,
      log,
      clock: ports.clock ?? systemClock,
      events: createBroadcast<AppEvent>(),
      profile: ports.profile ?? null,
      keyCipher: ports.keyCipher ?? null,
      searchWorker: ports.searchWorker,
      onBattery: ports.onBattery ?? (() => false),
      opensDamaged: ports.opensDamaged ?? false,
    });
  } catch (error) {
    folder.release();
    throw error;
  }
}

function createOn(folder: DataFolder, config: PartsConfig): App {
  const { version, dir, log, clock, events } = config;
  let damage: AppError | null = null;
  const data = new ReplaceableData<Parts>({
    open: () => openParts(config),
    onReopened: (parts) => Object.assign(services, parts.services, { damage: null }),
    onReplaced: () => events.send({ type: 'reset' }),
    mayOpenLater: (error) => {
      const isDamage = error instanceof AppError && DAMAGE.has(error.code);
      if (isDamage && config.opensDamaged) damage = error;
      return damage !== null;
    },
    log,
  });
  // One object for good: connections hold on to it while what it holds is replaced. While the data is damaged, the API admits only
  // what needs nothing else than this.
  const withoutData: WithoutData = {
    version,
    dataDir: dir,
    systemLanguage: systemLanguage(),
    log,
    clock,
    events,
    profile: config.profile,
    damage,
    replaceData: (change) => data.replace(change),
  };
  const services = { ...data.current?.services, ...withoutData } as Services;
  const direct: ConnectionContext = {
    services,
    reconnectToken: null,
    host: 'none',
    openWindow: null,
    openOutside: null,
  };
  const alert = (code: AlertCode) => events.send({ type: 'alert', code });
  return {
    services,
    client: createRouterClient(router, { context: direct }),
    log,
    alert,
    reportFault: (trace) => {
      log.error({ error: trace }, 'an error that nothing caught');
      alert('UNEXPECTED');
    },
    get damage() {
      return services.damage;
    },
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
  profile: OpenProfile | null;
  keyCipher: KeyCipher | null;
  searchWorker: URL | undefined;
  onBattery(): boolean;
  opensDamaged: boolean;
}

/** Everything that stands on one database. */
interface Parts extends OpenData {
  services: Omit<Services, keyof WithoutData>;
}

/** Facts that one that was learnt is compared with. */
const NEAREST_FACTS = 10;

const DAMAGE: ReadonlySet<string> = new Set(['DATABASE_DAMAGED', 'DATABASE_MISSING']);

/** Opens the database and builds on it; closes it again if that fails. */
function openParts(config: PartsConfig): Parts {
  const db = openDatabase(config.dir, config.log);
  try {
    const stores = openStores(config, db);
    refuseInside(
      config.dir,
      stores.vaultStore.list().map(({ path }) => path),
    );
    return assemble(config, stores);
  } catch (error) {
    db.close();
    throw error;
  }
}

type Stores = ReturnType<typeof openStores>;

function openStores({ dir, log, clock, events, keyCipher }: PartsConfig, db: Db) {
  removePartials(join(dir, BACKUP_FOLDER), isCopy, log);
  removePartials(dir, (name) => MADE_WHOLE.includes(name), log);
  const factStore = new FactStore(db, () => events.send({ type: 'facts' }));
  return {
    db,
    settings: createSettingsStore(db, log),
    keys: createKeyStore(dir, keyCipher),
    vaultStore: new VaultStore(db),
    notes: new NoteStore(db, factStore.anchors),
    conversations: createConversationStore(db),
    names: new NoteNames(db),
    factStore,
    prompts: new PromptStore(db),
    retrievals: new RetrievalLog(db),
    ledger: new ErasureLedger(db, dir, log),
    notices: new NoticeStore(db, () => events.send({ type: 'notices' })),
    backups: new Backups({ db, dataDir: dir, clock, log: log.child({ domain: 'backups' }) }),
  };
}

function assemble(config: PartsConfig, stores: Stores): Parts {
  const { log, clock, events } = config;
  const { db, conversations, factStore, vaultStore, notes, backups, ledger } = stores;
  const rewritten = retokenise({ db, vaults: vaultStore, notes, conversations, facts: factStore });
  if (rewritten > 0) log.info({ rows: rewritten }, 'terms written again by the present tokeniser');
  const jobs = new Jobs({
    db,
    clock,
    log: log.child({ domain: 'jobs' }),
    onChange: () => events.send({ type: 'jobs' }),
  });
  const indexing = createIndexing(config, stores, () => factsNote.wake());
  const { vaults, vectors, search } = indexing;
  const lexicon = loadLexicon();
  const words = new Words(lexicon, loadWordVectors);
  const consolidation = new Consolidation(new Particularity(words), words);
  const onLearnt = (id: FactId) => jobs.enqueue(COMPARE_FACTS, id);
  const facts = new Facts({ store: factStore, clock, words, consolidation, onLearnt });
  const drift = new Drift({ facts, notes, anchors: factStore.anchors });
  const { learning, gate, ...chat } = createChat(config, stores, {
    search,
    facts,
    lexicon,
    words,
    drift,
    jobs,
  });
  const factsNote = createFactsNote(config, stores, { jobs, facts });
  // Every change of rows that have vectors, or that a scheduled job waits for, is followed by one of these events.
  const stopListening = events.listen(({ type }) => {
    if (type === 'vaults' || type === 'facts' || type === 'conversations') ledger.sync();
    if (type === 'notes' || type === 'facts' || type === 'conversations') vectors.wakeSoon();
    if (type === 'vaults' || type === 'facts' || type === 'conversations') jobs.reschedule();
    if (type === 'vaults' || type === 'facts') factsNote.wake();
  });
  const recentlyDeleted = new RecentlyDeleted({
    ...stores,
    jobs,
    clock,
    vaults,
    settings: stores.settings.read,
  });
  const backupErasure = new BackupErasure({
    db,
    dataDir: config.dir,
    jobs,
    backups,
    isErasing: () => recentlyDeleted.isErasing,
    log: log.child({ domain: 'backups' }),
    onChange: () => events.send({ type: 'backups' }),
  });
  const remains = remainsJobs({ db, vectors });
  const tellDamage = ({ params }: AppError) =>
    stores.notices.add({
      code: 'database-damaged',
      params: { reason: params.reason ?? '' },
      at: clock.now(),
    });
  const rowChecks = new RowChecks({
    db,
    dataDir: config.dir,
    log: log.child({ domain: 'rows' }),
    onDamage: tellDamage,
  });
  for (const kind of [
    ...recentlyDeleted.jobs(),
    ...remains,
    backupErasure.job(),
    expireFacts(factStore, clock),
    learning.job(),
    factsNote.job(),
    compareFacts({
      store: factStore,
      clock,
      consolidation,
      threshold: SAME,
      nearest: async (id, signal) => {
        await unlessAborted(vectors.settled(), signal);
        return (await search.nearest({ kind: 'fact', id, limit: NEAREST_FACTS }, signal)) as Alike[] | null;
      },
    }),
    dailyBackup(backups, clock, tellDamage),
  ])
    jobs.register(kind);
  // A command that comes and goes makes no backups, and does not wait for vectors.
  const resumeJobs = jobs.pause([DAILY_BACKUP, COMPARE_FACTS]);
  jobs.start();

  return {
    services: {
      jobs,
      facts,
      drift,
      factsNote,
      recentlyDeleted,
      backupErasure,
      ...createForgetting(config, { stores, indexing, chat, backupErasure }),
      ...createReview(config, stores, { drift, particularity: new Particularity(lexicon) }),
      rowChecks,
      ...stores,
      ...indexing,
      ...chat,
    },
    watch: () => {
      resumeJobs();
      gate.open();
      vaults.watch();
      search.start();
      rowChecks.start();
      void vectors.whenReady();
    },
    close: () =>
      closeAll([
        stopListening,
        () => gate.close(),
        () => factsNote.close(),
        () => jobs.close(),
        () => backups.close(),
        () => rowChecks.close(),
        () => chat.chat.close(),
        () => vaults.close(),
        () => vectors.close(),
        () => search.close(),
        () => db.close(),
      ]),
  };
}

/** What keeps notes and vectors up to date, and what searches them. */
function createIndexing(config: PartsConfig, stores: Stores, onOwnNote: () => void) {
  const { dir, log, clock, events } = config;
  const { db, settings, vaultStore, notes } = stores;
  const search = new SearchClient({
    entry: config.searchWorker,
    databasePath: db.path,
    settings: settings.read,
    serving: () => vectors.serving(),
    refill: () => vectors.refillMirror(),
    indexing: () => vaults.indexing(),
    clock,
    log: log.child({ domain: 'search' }),
  });
  const vectors = new VectorIndexer({
    dataDir: dir,
    outbox: new VectorOutbox(db, clock),
    mirror: search.mirror,
    expected: () => settings.read().embedder,
    log: log.child({ domain: 'vectors' }),
    onProgress: (progress) => events.send({ type: 'vectors', progress }),
  });
  const vaults = new Vaults({
    db,
    vaults: vaultStore,
    notes,
    clock,
    log: log.child({ domain: 'indexing' }),
    onProgress: (progress) => events.send({ type: 'index', progress }),
    onNotes: () => events.send({ type: 'notes' }),
    onVaults: () => events.send({ type: 'vaults' }),
    ownNote: (id) => factsNoteIn(settings.read().factsNote, id),
    onOwnNote,
  });
  return { search, vectors, vaults };
}

/** What keeps facts and the note of them equal. */
function createFactsNote(config: PartsConfig, stores: Stores, { jobs, facts }: { jobs: Jobs; facts: Facts }) {
  const { clock, events } = config;
  const { db, factStore, vaultStore } = stores;
  const settings = stores.settings.read;
  return new FactsNote({
    ...stores,
    store: factStore,
    facts,
    jobs,
    lines: new FactLines(db),
    clock,
    log: config.log.child({ domain: 'facts-note' }),
    file: { read: readOwnNote, write: writeOwnNote },
    setting: () => settings().factsNote,
    placeOf: (setting) => {
      const place = placeOf(setting);
      const vault = place && vaultStore.get(place.vaultId);
      if (place && vault?.removedAt !== null) throw new AppError('NOT_FOUND', { what: 'vault' });
      return place && vault ? { ...place, root: vault.path } : null;
    },
    language: () => chosenLanguage(settings().language, systemLanguage()),
    onChange: () => events.send({ type: 'facts-note' }),
  });
}

function createChat(
  config: PartsConfig,
  stores: Stores,
  {
    search,
    facts,
    lexicon,
    words,
    drift,
    jobs,
  }: { search: SearchClient; facts: Facts; lexicon: Lexicon; words: Words; drift: Drift; jobs: Jobs },
) {
  const { clock, events, onBattery } = config;
  const { db, keys, prompts } = stores;
  const settings = stores.settings.read;
  const log = config.log.child({ domain: 'chat' });
  const language = () => chosenLanguage(settings().language, systemLanguage());
  const models = new ChatModels({
    settings,
    keyOf: keys.get,
    clock,
    removedKey: {
      wasRemoved: () => stores.settings.keyWasRemoved,
      forget: () => stores.settings.forgetRemovedKey(),
    },
    onStatus: (status) => events.send({ type: 'model', status }),
  });
  const blocks = new ContextBlockStore(db, QUOTED_HASH);
  const particularity = new Particularity(lexicon);
  const planner = new PromptPlanner({
    ...stores,
    settings,
    search,
    blocks,
    clock,
    language,
    differs: (one, other) => particularity.differs(one, other),
  });
  const shared = { ...stores, vaults: stores.vaultStore, settings, clock, log };
  const answerer = new Answerer({ ...shared, models, planner, prompts });
  const learning = new Learning({
    ...stores,
    facts,
    drift,
    models,
    blocks,
    words,
    settings,
    enqueue: (kind, subject) => jobs.enqueue(kind, subject),
    clock,
    language,
    log: config.log.child({ domain: 'learning' }),
  });
  const gate = new Gate({ pause: () => jobs.pause([LEARN]), onBattery });
  const chat = new Chat({
    ...shared,
    facts,
    language,
    answerer,
    modelName: () => models.name(),
    onChange: () => events.send({ type: 'conversations' }),
    onReply: ({ turnId }, { state, memories }) =>
      learning.turnEnded({ turnId, isAnswered: state === 'complete' || state === 'stopped', memories }),
    onAnswering: (isAnswering) => gate.setAnswering(isAnswering),
  });
  return { answerer, chat, models, learning, gate };
}

/** Merging, and each kind of things to review, in the order in which they are shown. */
function createReview(
  { clock }: PartsConfig,
  stores: Stores,
  { drift, particularity }: { drift: Drift; particularity: Particularity },
) {
  const { db, factStore, settings } = stores;
  const merging = new Merging({ db, store: factStore, clock, particularity });
  const lines = new FactLines(db);
  const review = new Review({
    db,
    facts: factStore,
    merging,
    clock,
    sources: [
      conflicts((id) => lines.conflictOf(id)),
      contradictions(particularity),
      pending,
      stale(drift),
      duplicates(particularity),
      unused(() => settings.read().importanceFloor),
    ],
  });
  return { merging, review };
}

/** Each kind of item that can be forgotten, in the order in which a plan shows them. */
function createForgetting(
  { clock }: PartsConfig,
  {
    stores,
    indexing,
    chat,
    backupErasure,
  }: {
    stores: Stores;
    indexing: ReturnType<typeof createIndexing>;
    chat: Pick<ReturnType<typeof createChat>, 'answerer' | 'chat'>;
    backupErasure: BackupErasure;
  },
) {
  const { db, conversations, factStore } = stores;
  const forgottenTurns = new ForgottenTurns(db, conversations);
  const forgetTurns = new ForgetTurns({
    db,
    conversations,
    forgottenTurns,
    clock,
    tombstones: factStore.tombstones,
    stop: (id) => chat.chat.stop(id),
  });
  const forget = new Forget({
    db,
    clock,
    kinds: [
      new ForgetFacts(db, factStore, clock),
      forgetTurns,
      new ForgetTitles({ db, conversations, forgottenTurns, tombstones: factStore.tombstones }),
    ],
    search: (request) => indexing.search.search(request),
    retrieve: async (text) => (await chat.answerer.preview({ text })).candidates,
    backups: (names) => backupErasure.naming(names),
  });
  return { forget, forgetTurns };
}
