import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type { Table } from '@lancedb/lancedb';
import type { TextIndex } from '../items/kinds.ts';

export interface VectorRow {
  kind: TextIndex;
  id: string;
  /** Of the text that was embedded. */
  hash: string;
  /** Unit length, or all zeros. */
  vector: Float32Array;
}

export interface Nearest {
  id: string;
  cosine: number;
}

/** The index on the disk cannot be read, or holds what no embedder makes. It can be built again from the rows. */
export class VectorsDamaged extends Error {}

/**
 * Vectors of every row, durable in LanceDB, with a copy in memory that is searched exactly: at these sizes a scan of typed
 * arrays takes a fraction of a table query's time (docs/decisions/0006-vectors.md), and is right under every filter.
 */
export interface VectorStore {
  readonly dimensions: number;
  size(): number;
  hash(kind: TextIndex, id: string): string | undefined;
  hashes(kind: TextIndex): ReadonlyMap<string, string>;
  vector(kind: TextIndex, id: string): Float32Array | undefined;
  /** The `limit` nearest by cosine, best first, among those that `accept` lets pass. */
  nearest(kind: TextIndex, query: Float32Array, limit: number, accept?: (id: string) => boolean): Nearest[];
  put(rows: readonly VectorRow[]): Promise<void>;
  remove(kind: TextIndex, ids: readonly string[]): Promise<void>;
  /** Merges small files and drops old versions: every write makes both. */
  optimise(): Promise<void>;
  /** What the disk holds, read anew: key (kind and id) and hash, double keys kept. */
  onDisk(): Promise<{ kind: TextIndex; id: string; hash: string }[]>;
  close(): void;
}

const TABLE = 'vectors';
const KINDS: readonly TextIndex[] = ['chunk', 'turn', 'fact'];

/** Vectors of one kind, in one array that grows. */
function createMatrix(dimensions: number) {
  let values = new Float32Array(256 * dimensions);
  const ids: string[] = [];
  const slots = new Map<string, number>();
  return {
    ids,
    put: (id: string, vector: Float32Array): void => {
      let slot = slots.get(id);
      if (slot === undefined) {
        slot = ids.length;
        ids.push(id);
        slots.set(id, slot);
        if (ids.length * dimensions > values.length) {
          const larger = new Float32Array(values.length * 2);
          larger.set(values);
          values = larger;
        }
      }
      values.set(vector, slot * dimensions);
    },
    remove: (id: string): void => {
      const slot = slots.get(id);
      const last = ids.pop();
      if (slot === undefined || last === undefined) {
        if (last !== undefined) ids.push(last);
        return;
      }
      slots.delete(id);
      if (last === id) return;
      values.copyWithin(slot * dimensions, ids.length * dimensions, (ids.length + 1) * dimensions);
      ids[slot] = last;
      slots.set(last, slot);
    },
    get: (id: string): Float32Array | undefined => {
      const slot = slots.get(id);
      return slot === undefined ? undefined : values.subarray(slot * dimensions, (slot + 1) * dimensions);
    },
    nearest: (query: Float32Array, limit: number, accept?: (id: string) => boolean): Nearest[] => {
      const best: Nearest[] = [];
      let worst = 0;
      for (let slot = 0, at = 0; slot < ids.length; slot += 1, at += dimensions) {
        // Four sums side by side: the additions of one do not wait for another's.
        let a = 0;
        let b = 0;
        let c = 0;
        let d = 0;
        let i = 0;
        for (; i + 3 < dimensions; i += 4) {
          a += (query[i] as number) * (values[at + i] as number);
          b += (query[i + 1] as number) * (values[at + i + 1] as number);
          c += (query[i + 2] as number) * (values[at + i + 2] as number);
          d += (query[i + 3] as number) * (values[at + i + 3] as number);
        }
        for (; i < dimensions; i += 1) a += (query[i] as number) * (values[at + i] as number);
        const cosine = a + b + c + d;
        if (cosine <= worst) continue;
        const id = ids[slot] as string;
        if (accept && !accept(id)) continue;
        let place = best.length;
        while (place > 0 && (best[place - 1] as Nearest).cosine < cosine) place -= 1;
        best.splice(place, 0, { id, cosine });
        if (best.length > limit) best.pop();
        if (best.length === limit) worst = (best.at(-1) as Nearest).cosine;
      }
      return best;
    },
  };
}

/**
 * Opens the index under `dir`, an empty one where there is none, and reads it into memory.
 * @throws VectorsDamaged
 */
export async function openVectorStore(dir: string, dimensions: number): Promise<VectorStore> {
  const lance = await loadLance();
  const arrow = await import('apache-arrow');
  const isNew = !existsSync(dir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const schema = new arrow.Schema([
    new arrow.Field('key', new arrow.Utf8(), false),
    new arrow.Field('hash', new arrow.Utf8(), false),
    new arrow.Field(
      'vector',
      new arrow.FixedSizeList(dimensions, new arrow.Field('item', new arrow.Float32(), true)),
      false,
    ),
  ]);
  const connection = await lance.connect(dir);
  let table: Table;
  try {
    table = isNew ? await connection.createEmptyTable(TABLE, schema) : await connection.openTable(TABLE);
  } catch (error) {
    connection.close();
    throw new VectorsDamaged('the table cannot be opened', { cause: error });
  }
  const matrices = Object.fromEntries(KINDS.map((kind) => [kind, createMatrix(dimensions)])) as Record<
    TextIndex,
    ReturnType<typeof createMatrix>
  >;
  const hashes = Object.fromEntries(KINDS.map((kind) => [kind, new Map()])) as Record<
    TextIndex,
    Map<string, string>
  >;
  const toArrow = (rows: readonly VectorRow[]) =>
    lance.makeArrowTable(
      rows.map(({ kind, id, hash, vector }) => ({ key: keyOf(kind, id), hash, vector: Array.from(vector) })),
      { schema },
    );

  try {
    await readAll(table, dimensions, (kind, id, hash, vector) => {
      matrices[kind].put(id, vector);
      hashes[kind].set(id, hash);
    });
  } catch (error) {
    table.close();
    connection.close();
    throw error instanceof VectorsDamaged
      ? error
      : new VectorsDamaged('the table cannot be read', { cause: error });
  }

  return {
    dimensions,
    size: () => KINDS.reduce((sum, kind) => sum + hashes[kind].size, 0),
    hash: (kind, id) => hashes[kind].get(id),
    hashes: (kind) => hashes[kind],
    vector: (kind, id) => matrices[kind].get(id),
    nearest: (kind, query, limit, accept) => matrices[kind].nearest(query, limit, accept),
    put: async (rows) => {
      if (rows.length === 0) return;
      const known = rows.filter(({ kind, id }) => hashes[kind].has(id));
      if (known.length === 0) await table.add(toArrow(rows));
      else {
        await table
          .mergeInsert('key')
          .whenMatchedUpdateAll()
          .whenNotMatchedInsertAll()
          .execute(toArrow(rows));
      }
      for (const { kind, id, hash, vector } of rows) {
        matrices[kind].put(id, vector);
        hashes[kind].set(id, hash);
      }
    },
    remove: async (kind, ids) => {
      const known = ids.filter((id) => hashes[kind].has(id));
      if (known.length === 0) return;
      const keys = known.map((id) => `'${keyOf(kind, id).replaceAll("'", "''")}'`);
      await table.delete(`key IN (${keys.join(', ')})`);
      for (const id of known) {
        matrices[kind].remove(id);
        hashes[kind].delete(id);
      }
    },
    optimise: async () => {
      await table.optimize({ cleanupOlderThan: new Date() });
    },
    onDisk: async () => {
      const rows: { kind: TextIndex; id: string; hash: string }[] = [];
      const fresh = await connection.openTable(TABLE);
      try {
        await readAll(fresh, dimensions, (kind, id, hash) => rows.push({ kind, id, hash }));
      } finally {
        fresh.close();
      }
      return rows;
    },
    close: () => {
      table.close();
      connection.close();
    },
  };
}

/** Erases an index; what is not there is gone already. */
export function eraseVectorStore(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

const keyOf = (kind: TextIndex, id: string): string => `${kind}/${id}`;

/** LanceDB, quiet, and loaded only where vectors are wanted: it takes a tenth of a second. */
async function loadLance() {
  process.env.LANCEDB_LOG ??= 'error';
  return import('@lancedb/lancedb');
}

/** @throws VectorsDamaged where the columns are not ours, or a vector is none */
async function readAll(
  table: Table,
  dimensions: number,
  take: (kind: TextIndex, id: string, hash: string, vector: Float32Array) => void,
): Promise<void> {
  const names = (await table.schema()).fields.map((field) => field.name);
  if (['key', 'hash', 'vector'].some((name) => !names.includes(name))) {
    throw new VectorsDamaged('columns are missing');
  }
  const content = await table.query().select(['key', 'hash', 'vector']).toArrow();
  for (const batch of content.batches) {
    const keys = batch.getChild('key');
    const hashes = batch.getChild('hash');
    const list = batch.getChild('vector')?.data[0];
    const values = list?.children[0]?.values as Float32Array | undefined;
    if (!keys || !hashes || !values || (list?.length ?? 0) !== batch.numRows) {
      throw new VectorsDamaged('a column is missing');
    }
    const offset = list?.offset ?? 0;
    for (let row = 0; row < batch.numRows; row += 1) {
      const [kind, id] = splitKey(String(keys.get(row)));
      const vector = values.subarray((offset + row) * dimensions, (offset + row + 1) * dimensions);
      if (!isUnitOrZero(vector, dimensions)) throw new VectorsDamaged('a vector is damaged');
      take(kind, id, String(hashes.get(row)), vector);
    }
  }
}

function splitKey(key: string): [TextIndex, string] {
  const slash = key.indexOf('/');
  const kind = key.slice(0, slash) as TextIndex;
  if (!KINDS.includes(kind)) throw new VectorsDamaged('a key is damaged');
  return [kind, key.slice(slash + 1)];
}

function isUnitOrZero(vector: Float32Array, dimensions: number): boolean {
  if (vector.length !== dimensions) return false;
  let square = 0;
  for (const value of vector) square += value * value;
  return square === 0 || Math.abs(square - 1) < 0.02;
}
