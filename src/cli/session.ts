import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type App, type AppPorts, createApp, fixedClock, readOwnerAddress } from '../core/app.ts';
import { type Connection, connectToOwner } from '../local-host/connect.ts';
import { dataDirOf } from '../local-host/dataDir.ts';
import type { Client } from '../shared/contract/index.ts';
import { AppError } from '../shared/errors.ts';
import { isTime } from '../shared/time.ts';

export interface CommandOptions {
  data?: string;
  now?: string;
  json?: boolean;
}

/** A connection to the core, which runs in this process or in the owner of the data folder. */
export interface Session {
  client: Client;
  /** Set if this process owns the data folder. */
  app: App | null;
  close(): Promise<void>;
}

/** What a command gets: a client of the core, and the form of its result. */
export interface CommandContext {
  client: Client;
  json: boolean;
}

/** Another command may hold the folder for a moment, so opening is tried several times. */
const BUSY_PATIENCE_MS = 10_000;
const BUSY_STEP_MS = 100;

/** The version in the program's package.json. */
export function readVersion(): string {
  for (const place of ['../../package.json', '../../../package.json']) {
    const file = new URL(place, import.meta.url);
    if (!existsSync(file)) continue;
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  }
  return '0.0.0';
}

/**
 * Locks the data folder for this process.
 * @throws AppError BAD_INPUT if --now is not a date
 */
export function ownApp(options: CommandOptions, ports: AppPorts = {}): App {
  const config = { dataDir: dataDirOf(options.data), version: readVersion() };
  if (options.now === undefined) return createApp(config, ports);
  const at = Date.parse(options.now);
  if (!isTime(at)) throw new AppError('BAD_INPUT', { reason: `--now ${options.now} is not an ISO date` });
  return createApp(config, { ...ports, clock: fixedClock(at) });
}

/** Connects to the running owner of a data folder; null if there is none, or it crashed. */
export async function connectToRunning(dataDir: string): Promise<Connection | null> {
  const address = readOwnerAddress(dataDir);
  if (!address) return null;
  try {
    return await connectToOwner(address);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * Opens the core for one command: through the running owner of the data folder if there is one, otherwise in this process.
 * @throws AppError DATA_FOLDER_BUSY if another command keeps the folder locked
 */
export async function openSession(options: CommandOptions, ports: AppPorts = {}): Promise<Session> {
  const giveUpAt = Date.now() + BUSY_PATIENCE_MS;
  while (true) {
    const owner = await connectToRunning(dataDirOf(options.data));
    if (owner) return { ...owner, app: null };
    try {
      const app = ownApp(options, ports);
      return { client: app.client, app, close: app.close };
    } catch (error) {
      const busy = error instanceof AppError && error.code === 'DATA_FOLDER_BUSY';
      if (!busy || Date.now() > giveUpAt) throw error;
    }
    await sleep(BUSY_STEP_MS);
  }
}
