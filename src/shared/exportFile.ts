import { z } from 'zod';
import {
  EXPORT_VERSION,
  PORTABLE,
  type Portable,
  type Portion,
  type PortionReport,
} from './contract/data.ts';
import type { Client } from './contract/index.ts';

const Rows = z.array(z.record(z.string(), z.unknown()));
const ExportFile = z.object({
  format: z.literal('souvenir'),
  version: z.number().int().min(1).max(EXPORT_VERSION),
  settings: Rows.default([]),
  vaults: Rows.default([]),
  conversations: Rows.default([]),
  tombstone_keys: Rows.default([]),
  facts: Rows.default([]),
  memory_retrievals: Rows.default([]),
  jobs: Rows.default([]),
});

/** Rows per call when a file is imported. */
const ROWS_AT_ONCE: Readonly<Record<Portable, number>> = {
  settings: 1_000,
  vaults: 1_000,
  conversations: 20,
  tombstone_keys: 100,
  facts: 500,
  memory_retrievals: 200,
  jobs: 1_000,
};

/** How the text of an export begins, within its first characters; a history of conversations may hold the same words later on. */
export const EXPORT_BEGIN = /^\ufeff?\s*\{\s*"format"\s*:\s*"souvenir"/;
export const EXPORT_HEAD = 200;

/** The text of an export, piece by piece: one JSON document with one row per line. */
export async function* writeExport(portions: AsyncIterable<Portion>): AsyncGenerator<string> {
  yield `{"format":"souvenir","version":${EXPORT_VERSION}`;
  let open: Portable | null = null;
  for await (const { kind, rows } of portions) {
    const lines = rows.map((row) => JSON.stringify(row)).join(',\n');
    if (kind !== open) yield `${open === null ? '' : '\n]'},\n"${kind}":[\n${lines}`;
    else if (lines !== '') yield `,\n${lines}`;
    open = kind;
  }
  yield `${open === null ? '' : '\n]'}\n}\n`;
}

/**
 * The portions of an export, in the order in which to import them.
 * @param document the file's parsed JSON
 * @returns null if it is not an export, or a later version wrote it
 */
export function readExport(document: unknown): Portion[] | null {
  const parsed = ExportFile.safeParse(document);
  if (!parsed.success) return null;
  return PORTABLE.flatMap((kind) => {
    const rows = parsed.data[kind];
    const size = ROWS_AT_ONCE[kind];
    return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) => ({
      kind,
      rows: rows.slice(index * size, (index + 1) * size),
    }));
  });
}

/**
 * Has a core import portions one after the other, and calls `tell` with the number done.
 * @returns the sum of the reports
 */
export async function importPortions(
  client: Client,
  portions: readonly Portion[],
  tell: (done: number) => void = () => undefined,
): Promise<PortionReport> {
  const sum: PortionReport = { added: 0, restored: 0, unchanged: 0, leftOut: 0, forgotten: 0 };
  for (const [done, portion] of portions.entries()) {
    tell(done);
    const report = await client.data.import(portion);
    for (const key of ['added', 'restored', 'unchanged', 'leftOut', 'forgotten'] as const)
      sum[key] += report[key];
  }
  return sum;
}
