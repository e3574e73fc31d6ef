import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { App } from '../../src/core/app.ts';
import { KINDS } from '../../src/core/items/index.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { readVectors } from '../support/testApp.ts';

/** A search of another program over the same items, with the vector of the question made before. */
export interface Peer {
  name: string;
  /** The best twenty by words and by vectors. */
  search(text: string, vector: Float32Array): Promise<unknown>;
  close(): void;
}

interface Item {
  id: string;
  text: string;
  vector: Float32Array;
}

/** What is used of `@orama/orama`. */
interface Orama {
  create(options: { schema: Record<string, string> }): object;
  insertMultiple(database: object, items: readonly object[], batch: number): Promise<unknown>;
  search(database: object, query: object): Promise<unknown>;
}

/** What is used of `mem0ai/oss`: its own store, which keeps rows in SQLite and compares all of them. */
interface Mem0 {
  MemoryVectorStore: new (config: {
    dimension: number;
    dbPath: string;
  }) => {
    insert(vectors: number[][], ids: string[], payloads: object[]): Promise<void>;
    search(vector: number[], limit: number): Promise<unknown>;
    keywordSearch(text: string, limit: number): Promise<unknown>;
  };
}

const FOLDER = fileURLToPath(new URL('peers/node_modules/', import.meta.url));
const LIMIT = 20;
const AT_ONCE = 500;
/** As low as it goes: Orama leaves out vectors that are less similar. */
const ANY_SIMILARITY = 0;

/** What can be compared with: none unless `npm ci --prefix test/bench/peers` was run. */
export async function openPeers(app: App): Promise<Peer[]> {
  if (!existsSync(FOLDER)) return [];
  const items = await readItems(app);
  return [await openOrama(items), await openMem0(items)];
}

async function openOrama(items: readonly Item[]): Promise<Peer> {
  const orama = await load<Orama>('@orama/orama/dist/esm/index.js');
  const dimensions = items[0]?.vector.length ?? 0;
  const database = orama.create({ schema: { text: 'string', vector: `vector[${dimensions}]` } });
  const rows = items.map(({ id, text, vector }) => ({ id, text, vector: [...vector] }));
  await orama.insertMultiple(database, rows, AT_ONCE);
  return {
    name: 'orama',
    search: (term, vector) =>
      orama.search(database, {
        mode: 'hybrid',
        term,
        vector: { value: [...vector], property: 'vector' },
        similarity: ANY_SIMILARITY,
        limit: LIMIT,
      }),
    close: () => undefined,
  };
}

/** Asks as its memory does: by vectors, and by words. */
async function openMem0(items: readonly Item[]): Promise<Peer> {
  const { MemoryVectorStore } = await load<Mem0>('mem0ai/dist/oss/index.mjs');
  const folder = temporaryFolder();
  const store = new MemoryVectorStore({
    dimension: items[0]?.vector.length ?? 0,
    dbPath: join(folder, 'vectors.db'),
  });
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const some = items.slice(from, from + AT_ONCE);
    await store.insert(
      some.map(({ vector }) => [...vector]),
      some.map(({ id }) => id),
      some.map(({ text }) => ({ data: text })),
    );
  }
  return {
    name: 'mem0',
    search: async (text, vector) => {
      const near = await store.search([...vector], LIMIT);
      return [near, await store.keywordSearch(text, LIMIT)];
    },
    close: () => removeFolder(folder),
  };
}

/** Not by its name, which the product's own packages would have to hold. */
const load = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(join(FOLDER, path)).href)) as Module;

/** Every item that has a vector, with its text. */
async function readItems(app: App): Promise<Item[]> {
  const { matrices } = await readVectors(app);
  const texts = new Map(
    app.services.db
      .all<{ id: string; text: string }>(
        `SELECT id, markdown AS text FROM chunks UNION ALL SELECT id, content FROM facts UNION ALL
         SELECT turn_id, group_concat(content, char(10)) FROM messages GROUP BY turn_id`,
      )
      .map(({ id, text }) => [id, text]),
  );
  return KINDS.flatMap((kind) =>
    matrices.ids(kind).flatMap((id): Item[] => {
      const text = texts.get(id);
      const vector = matrices.vector(kind, id);
      return text === undefined || !vector ? [] : [{ id, text, vector: vector.slice() }];
    }),
  );
}
