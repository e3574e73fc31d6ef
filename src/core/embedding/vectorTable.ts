import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type { Connection, Table } from '@lancedb/lancedb';
import type { Schema } from 'apache-arrow';
import { items, KINDS, type Kind, kindStoredAs } from '../items/index.ts';
import type { VectorRow } from './vectorMatrix.ts';

/** The table cannot be read, or holds something that no embedder makes. It can be built again from the rows. */
export class VectorsDamaged extends Error {}

const TABLE = 'vectors';
const COLUMNS = ['key', 'hash', 'vector'];

/** LanceDB and Arrow take a tenth of a second to load: only once vectors are used. */
async function loadLibraries() {
  process.env.LANCEDB_LOG ??= 'error';
  const [lance, arrow] = await Promise.all([import('@lancedb/lancedb'), import('apache-arrow')]);
  return { lance, arrow };
}
type Libraries = Awaited<ReturnType<typeof loadLibraries>>;

/**
 * The durable vectors of one index: a LanceDB table keyed by kind and id, with the hash of the text of each vector. Hashes are
 * kept in memory, to tell which vectors are missing or stale; vectors are not.
 */
export class VectorTable {
  readonly dimensions: number;
  readonly #connection: Connection;
  readonly #table: Table;
  readonly #schema: Schema;
  readonly #lance: Libraries['lance'];
  readonly #hashes = new Map<Kind, Map<string, string>>(KINDS.map((kind) => [kind, new Map()]));
  /** Writes since the last optimisation; each makes a version and several files. */
  #writes = 0;

  private constructor(
    { lance, arrow }: Libraries,
    opened: { connection: Connection; table: Table; dimensions: number },
  ) {
    this.#lance = lance;
    this.#schema = schemaOf(arrow, opened.dimensions);
    this.#connection = opened.connection;
    this.#table = opened.table;
    this.dimensions = opened.dimensions;
  }

  /**
   * Opens the table under `dir`, or an empty one if the folder does not exist, and reads it whole.
   * @throws VectorsDamaged
   */
  static async open(dir: string, dimensions: number): Promise<{ table: VectorTable; rows: VectorRow[] }> {
    const libraries = await loadLibraries();
    const isNew = !existsSync(dir);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const connection = await libraries.lance.connect(dir);
    let table: VectorTable | undefined;
    try {
      const opened = isNew
        ? await connection.createEmptyTable(TABLE, schemaOf(libraries.arrow, dimensions))
        : await connection.openTable(TABLE);
      table = new VectorTable(libraries, { connection, table: opened, dimensions });
      const rows = await table.readAll();
      for (const { kind, id, hash } of rows) table.hashes(kind).set(id, hash);
      return { table, rows };
    } catch (error) {
      if (table) table.close();
      else connection.close();
      if (error instanceof VectorsDamaged) throw error;
      throw new VectorsDamaged('the table cannot be read', { cause: error });
    }
  }

  get size(): number {
    return KINDS.reduce((sum, kind) => sum + this.hashes(kind).size, 0);
  }

  get writes(): number {
    return this.#writes;
  }

  /** Hash of the embedded text by id. */
  hashes(kind: Kind): Map<string, string> {
    return this.#hashes.get(kind) as Map<string, string>;
  }

  /** Inserts rows, and replaces those whose key is there. */
  async put(rows: readonly VectorRow[]): Promise<void> {
    if (rows.length === 0) return;
    const content = this.#lance.makeArrowTable(
      rows.map(({ kind, id, hash, vector }) => ({ key: keyOf(kind, id), hash, vector: Array.from(vector) })),
      { schema: this.#schema },
    );
    if (rows.some(({ kind, id }) => this.hashes(kind).has(id))) {
      await this.#table.mergeInsert('key').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(content);
    } else await this.#table.add(content);
    this.#writes += 1;
    for (const { kind, id, hash } of rows) this.hashes(kind).set(id, hash);
  }

  async remove(kind: Kind, ids: readonly string[]): Promise<void> {
    const known = ids.filter((id) => this.hashes(kind).has(id));
    if (known.length === 0) return;
    const keys = known.map((id) => `'${keyOf(kind, id).replaceAll("'", "''")}'`);
    await this.#table.delete(`key IN (${keys.join(', ')})`);
    this.#writes += 1;
    for (const id of known) this.hashes(kind).delete(id);
  }

  /** Merges small files and deletes old versions, and with them what was removed or replaced. */
  async optimise(): Promise<void> {
    if (this.#writes === 0) return;
    this.#writes = 0;
    await this.#table.optimize({ cleanupOlderThan: new Date() });
  }

  /**
   * Writes the table again, and deletes every other file of it. `optimise` leaves a row that was removed in its file, marked as removed,
   * until a tenth of that file is gone.
   */
  async rewrite(): Promise<void> {
    // An empty table has no files left but those of old versions.
    if (this.size > 0) {
      const content = await this.#table.query().select(COLUMNS).toArrow();
      await this.#table.add(content, { mode: 'overwrite' });
    }
    this.#writes = 0;
    // Files of writes that a crash interrupted go too: nobody else writes to the table.
    await this.#table.optimize({ cleanupOlderThan: new Date(), deleteUnverified: true });
  }

  /** Every row of the table. @throws VectorsDamaged */
  readAll(): Promise<VectorRow[]> {
    return readRows(this.#table, this.dimensions);
  }

  /**
   * What is on the disk at this moment, read through a fresh handle; a key that is there twice is returned twice.
   * @throws VectorsDamaged
   */
  async onDisk(): Promise<Omit<VectorRow, 'vector'>[]> {
    let fresh: Table | undefined;
    try {
      fresh = await this.#connection.openTable(TABLE);
      const rows = await readRows(fresh, this.dimensions);
      return rows.map(({ kind, id, hash }) => ({ kind, id, hash }));
    } catch (error) {
      if (error instanceof VectorsDamaged) throw error;
      throw new VectorsDamaged('the table cannot be read', { cause: error });
    } finally {
      fresh?.close();
    }
  }

  close(): void {
    this.#table.close();
    this.#connection.close();
  }
}

/** Erases the folder of an index, if it exists. */
export function eraseVectors(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

function schemaOf(arrow: Libraries['arrow'], dimensions: number): Schema {
  const item = new arrow.Field('item', new arrow.Float32(), true);
  return new arrow.Schema([
    new arrow.Field('key', new arrow.Utf8(), false),
    new arrow.Field('hash', new arrow.Utf8(), false),
    new arrow.Field('vector', new arrow.FixedSizeList(dimensions, item), false),
  ]);
}

/** @throws VectorsDamaged if columns are missing or a vector is neither of unit length nor zero */
async function readRows(table: Table, dimensions: number): Promise<VectorRow[]> {
  const names = (await table.schema()).fields.map((field) => field.name);
  if (COLUMNS.some((name) => !names.includes(name))) throw new VectorsDamaged('columns are missing');
  const content = await table.query().select(COLUMNS).toArrow();
  const rows: VectorRow[] = [];
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
      const vector = values.subarray((offset + row) * dimensions, (offset + row + 1) * dimensions);
      if (!isUnitOrZero(vector, dimensions)) throw new VectorsDamaged('a vector is damaged');
      rows.push({ ...splitKey(String(keys.get(row))), hash: String(hashes.get(row)), vector });
    }
  }
  return rows;
}

const keyOf = (kind: Kind, id: string): string => `${items[kind].storedAs}/${id}`;

function splitKey(key: string): { kind: Kind; id: string } {
  const slash = key.indexOf('/');
  const kind = kindStoredAs(key.slice(0, slash));
  if (!kind) throw new VectorsDamaged('a key is damaged');
  return { kind, id: key.slice(slash + 1) };
}

/** Can this be a vector of an index: of the right length, and either of unit length or all zeros? */
export function isUnitOrZero(vector: Float32Array, dimensions: number): boolean {
  if (vector.length !== dimensions) return false;
  let square = 0;
  for (const value of vector) square += value * value;
  return square === 0 || Math.abs(square - 1) < 0.02;
}
