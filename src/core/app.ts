import { createRouterClient } from '@orpc/server';
import type { AlertCode, AppEvent } from '../shared/contract/app.ts';
import type { Client } from '../shared/contract/index.ts';
import { AppError } from '../shared/errors.ts';
import type { ErrorTrace } from '../shared/errorTrace.ts';
import type { ConnectionContext } from './api/implementer.ts';
import { router } from './api/router.ts';
import { type StartEmbedder, startEmbedder } from './embedding/embedder.ts';
import { restorableCopies } from './lifecycle/copies.ts';
import { finishErasing } from './lifecycle/erase.ts';
import { ReplaceableData } from './lifecycle/replaceData.ts';
import { openParts, type Parts } from './parts/parts.ts';
import type { PartsConfig } from './parts/stores.ts';
import type { OpenProfile, Services, WithoutData } from './services.ts';
import {
  type DataFolder,
  type OwnerAddress,
  readOwnerAddress,
  takeDataFolder,
} from './storage/dataFolder.ts';
import type { KeyCipher } from './storage/keys.ts';
import { type Clock, fixedClock, systemClock } from './support/clock.ts';
import { createBroadcast } from './support/events.ts';
import { createLogger, type Logger } from './support/logger.ts';
import { systemLanguage } from './support/systemLanguage.ts';
import type { ThreadEntry } from './support/workerThread.ts';
import { knownObsidianVaults } from './vaults/obsidian/obsidian.ts';
import { type NoteParser, Parser } from './vaults/parser.ts';

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
  /** The module of the search thread, or what starts it. */
  searchWorker?: ThreadEntry;
  /** The module of the thread that compares rows with their sums, or what starts it. */
  rowCheckWorker?: ThreadEntry;
  /** Starts the embedder of a setting; in a thread of its own by default. */
  startEmbedder?: StartEmbedder;
  /** The parser of notes; in a thread of its own by default. */
  createParser?(log: Logger): NoteParser;
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
      rowCheckWorker: ports.rowCheckWorker,
      startEmbedder: ports.startEmbedder ?? startEmbedder,
      createParser: ports.createParser ?? ((log) => new Parser(log)),
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

const DAMAGE: ReadonlySet<string> = new Set(['DATABASE_DAMAGED', 'DATABASE_MISSING']);
