import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { type App, type AppPorts, type Clock, createApp } from '../../src/core/app.ts';
import {
  BUILT_IN,
  type Embedder,
  type StartEmbedder,
  startEmbedder,
} from '../../src/core/embedding/embedder.ts';
import type { Serving } from '../../src/core/embedding/vectorIndexer.ts';
import { VectorMatrices } from '../../src/core/embedding/vectorMatrix.ts';
import type { MirroredIndex } from '../../src/core/embedding/vectorMirror.ts';
import { VectorTable } from '../../src/core/embedding/vectorTable.ts';
import type { ItemRef } from '../../src/core/search/findings.ts';
import type { QueryVector } from '../../src/core/search/vector/queryVector.ts';
import { openDatabase } from '../../src/core/storage/database.ts';
import type { Logger } from '../../src/core/support/logger.ts';
import { type NoteParser, Parser } from '../../src/core/vaults/parser.ts';
import type { TurnEvent } from '../../src/shared/contract/chat.ts';
import { AppError } from '../../src/shared/errors.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder, writeNotes } from './temporary.ts';
import { takeThread } from './threadPool.ts';

export interface TestApp {
  app: App;
  dataDir: string;
  vault: string;
  /** Closes the app, applies `change` to its files, and opens it again on the same data. */
  reopen(change?: () => void): Promise<App>;
  dispose(): Promise<void>;
}

/** Deadline of a retrieval, in milliseconds, for a test that is not about it. The default is for a machine that does nothing else. */
export const PATIENT_MS = 5_000;

let builtIn: Promise<Embedder> | null = null;

/** The built-in embedder keeps no state: the apps of a test process share one thread, and what one app closes is its own handle. */
const shareBuiltIn: StartEmbedder = async (setting, log, signal) => {
  if (setting !== BUILT_IN) return startEmbedder(setting, log, signal);
  builtIn ??= startEmbedder(BUILT_IN, log);
  const shared = await builtIn;
  const closed = new AbortController();
  return {
    ...shared,
    ended: AbortSignal.any([shared.ended, closed.signal]),
    close: async () => closed.abort(new AppError('EMBEDDER_FAILED', { reason: 'closed' })),
  };
};

let parser: Parser | null = null;

/** Parsing keeps no state either. */
function shareParser(log: Logger): NoteParser {
  parser ??= new Parser(log);
  const shared = parser;
  return { parse: (request) => shared.parse(request), close: () => Promise.resolve() };
}

/** For every app of a test process: threads of its own would cost more than most tests ask of them. */
const sharedThreads: AppPorts = {
  startEmbedder: shareBuiltIn,
  createParser: shareParser,
  searchWorker: takeThread('search'),
  rowCheckWorker: takeThread('row check'),
};

let emptyData: string | null = null;

/** A data folder with an empty database: a copy, because making the database takes several times as long as opening it. */
function emptyDataFolder(): string {
  if (emptyData === null) {
    const made = temporaryFolder();
    process.once('exit', () => removeFolder(made));
    openDatabase(made).close();
    emptyData = made;
  }
  const folder = temporaryFolder();
  cpSync(emptyData, folder, { recursive: true });
  return folder;
}

/** Opens a core on a folder. */
export const openTestCore = (dataDir: string, ports: AppPorts = {}): App =>
  createApp({ dataDir, version: 'test' }, { ...sharedThreads, ...ports });

/** Opens a core on temporary folders, with a vault that holds `notes`. */
export function createTestApp(
  notes: Readonly<Record<string, string>> = {},
  clock?: Clock,
  ports: AppPorts = {},
): TestApp {
  const dataDir = emptyDataFolder();
  const vault = temporaryFolder();
  writeNotes(vault, notes);
  const open = () => openTestCore(dataDir, { ...ports, ...(clock ? { clock } : {}) });
  const app = open();
  // A test of the deadline sets its own.
  app.services.settings.change({ timeoutMs: PATIENT_MS });
  const test: TestApp = {
    app,
    dataDir,
    vault,
    reopen: async (change) => {
      await test.app.close();
      change?.();
      test.app = open();
      return test.app;
    },
    dispose: async () => {
      await test.app.close();
      removeFolder(dataDir);
      removeFolder(vault);
    },
  };
  return test;
}

/** The vectors of a core, read into this thread, and the embedder that made them. */
export async function readVectors({ services }: App): Promise<Serving & MirroredIndex> {
  const serving = services.vectors.serving();
  if (!serving) throw new Error('there are no vectors');
  const { fingerprint, scale } = serving;
  const { dimensions } = serving.embedder;
  const folder = join(services.dataDir, 'vectors', fingerprint);
  const { table, rows } = await VectorTable.open(folder, dimensions);
  table.close();
  const matrices = new VectorMatrices(dimensions);
  matrices.put(rows);
  return { ...serving, matrices, space: { fingerprint, dimensions, scale } };
}

/** The vector of an item, as search compares it; null if it has none. */
export async function storedVector({ services }: App, item: ItemRef): Promise<Float32Array | null> {
  const { vectors } = await services.search.find({ text: '?', vectorsOf: [item], noDeadline: true });
  return vectors[0] ?? null;
}

/** The vector of a question, to compare with those of an index. */
export async function queryVectorOf(
  { embedder, scale, similarity, matrices }: Serving & MirroredIndex,
  text: string,
): Promise<QueryVector> {
  const values = await embedder.embedQuery(text);
  return { values, matrices, scale, similarity, contextual: embedder.contextual };
}

/** Indexes a vault to the end and returns the report. */
export async function indexVault({ client }: App, path: string) {
  for await (const event of await client.vaults.index({ path }))
    if (event.type === 'report') return event.report;
  throw new Error('indexing ended without a report');
}

/** Asks, waits for the end, and returns the turn and its shown reply. */
export async function ask({ client }: App, text: string, conversationId?: ConversationId) {
  const events = await client.chat.runTurn({ text, ...(conversationId ? { conversationId } : {}) });
  return lastReply(events);
}

/** The turn at the end of a stream of turn events, and its shown reply. */
export async function lastReply(events: AsyncIterable<TurnEvent>) {
  for await (const event of events) {
    if (event.type !== 'done') continue;
    const reply = event.turn.replies.find((version) => version.version === event.turn.activeVersion);
    if (reply) return { turn: event.turn, reply };
  }
  throw new Error('turn ended without a reply');
}

/** Waits until `check` returns a value other than null, false or undefined. */
export async function until<T>(check: () => T | Promise<T>, patienceMs = 15_000): Promise<NonNullable<T>> {
  const giveUpAt = Date.now() + patienceMs;
  while (Date.now() < giveUpAt) {
    const value = await check();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nothing came within ${patienceMs} ms`);
}
