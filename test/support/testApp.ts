import { type App, type Clock, createApp } from '../../src/core/app.ts';
import { type SearchableVectors, searchable } from '../../src/core/embedding/vectorMirror.ts';
import type { QueryVector } from '../../src/core/search/vector/queryVector.ts';
import type { TurnEvent } from '../../src/shared/contract/chat.ts';
import type { ConversationId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder, writeNotes } from './temporary.ts';

export interface TestApp {
  app: App;
  dataDir: string;
  vault: string;
  /** Closes the app and opens it again on the same data, after `change` to its files. */
  reopen(change?: () => void): Promise<App>;
  dispose(): Promise<void>;
}

/** A core of its own on temporary folders, with a vault that holds `notes`. */
export function createTestApp(notes: Readonly<Record<string, string>> = {}, clock?: Clock): TestApp {
  const dataDir = temporaryFolder();
  const vault = temporaryFolder();
  writeNotes(vault, notes);
  const open = () => createApp({ dataDir, version: 'test' }, clock ? { clock } : {});
  const test: TestApp = {
    app: open(),
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

/** The vectors of a core that search reads, with their embedder. */
export function searchableOf({ services }: App): SearchableVectors {
  const vectors = searchable(services.vectors.serving(), services.vectorMirror);
  if (!vectors) throw new Error('there are no vectors');
  return vectors;
}

/** The vector of a question, to be compared with those of a core. */
export async function queryVectorOf(app: App, text: string): Promise<QueryVector> {
  const { embedder, scale, similarity, vectors } = searchableOf(app);
  const values = await embedder.embedQuery(text);
  return { values, matrices: vectors, scale, similarity, contextual: embedder.contextual };
}

/** Indexes a vault to the end and gives the report. */
export async function indexVault({ client }: App, path: string) {
  for await (const event of await client.vaults.index({ path }))
    if (event.type === 'report') return event.report;
  throw new Error('indexing ended without a report');
}

/** Asks and waits for the end; gives the turn and its shown reply. */
export async function ask({ client }: App, text: string, conversationId?: ConversationId) {
  const events = await client.chat.runTurn({ text, ...(conversationId ? { conversationId } : {}) });
  return lastReply(events);
}

/** The turn at the end of a stream of turn events, with its shown reply. */
export async function lastReply(events: AsyncIterable<TurnEvent>) {
  for await (const event of events) {
    if (event.type !== 'done') continue;
    const reply = event.turn.replies.find((version) => version.version === event.turn.activeVersion);
    if (reply) return { turn: event.turn, reply };
  }
  throw new Error('turn ended without a reply');
}

/** Waits until `check` gives a value that is not null, false or undefined. */
export async function until<T>(check: () => T | Promise<T>, patienceMs = 15_000): Promise<NonNullable<T>> {
  const giveUpAt = Date.now() + patienceMs;
  while (Date.now() < giveUpAt) {
    const value = await check();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`nothing came within ${patienceMs} ms`);
}
