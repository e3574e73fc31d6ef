import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { base } from './base.ts';

export const Backup = z.object({ path: z.string(), bytes: z.number(), madeAt: z.number() });
export type Backup = z.infer<typeof Backup>;

/** What an export holds, in the order in which it is written and read. */
export const PORTABLE = [
  'settings',
  'vaults',
  'conversations',
  'facts',
  'memory_retrievals',
  'jobs',
] as const;
export type Portable = (typeof PORTABLE)[number];

/** Rows of one kind, each with the rows that belong to it: a conversation with its turns, a turn with its messages. */
export const Portion = z.object({
  kind: z.enum(PORTABLE),
  /** Columns by name; rows that belong to a row are a list under the name of their table. */
  rows: z.array(z.record(z.string(), z.unknown())),
});
export type Portion = z.infer<typeof Portion>;

/** Version of the form of exports. */
export const EXPORT_VERSION = 1;

export const PortionReport = z.object({
  /** Rows imported, those under them not counted. */
  added: z.number().int(),
  /** Rows that had been deleted and are back, as they were. */
  restored: z.number().int(),
  /** Rows that are there already. */
  unchanged: z.number().int(),
  /** Rows that belong to one computer, or to something that is missing here. */
  leftOut: z.number().int(),
});
export type PortionReport = z.infer<typeof PortionReport>;

export const data = {
  /** Makes a backup of the database while it is in use: a file of its own, or one of those that are kept. */
  backUp: base.input(z.object({ path: z.string().min(1).optional() })).output(Backup),
  /** The backups that are kept, newest first, and why the last one could not be made. */
  backups: base.output(
    z.object({
      backups: z.array(Backup),
      problem: z
        .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
        .nullable(),
    }),
  ),
  /** Puts a backup in the place of the database, which is kept as the file `replaced`. Windows are told to load anew. */
  restore: base
    .input(z.object({ path: z.string().min(1) }))
    .output(z.object({ replaced: z.string().nullable() })),
  /** Everything that cannot be derived, a portion at a time. It holds no keys, and no notes: these are in their vaults. */
  export: base.output(eventIterator(Portion)),
  /** Imports one portion of an export, all or nothing. Rows that are there already stay as they are; deleted ones are restored. */
  import: base.input(Portion).output(PortionReport),
  /** Erases conversations, facts, settings, the index and every backup, for good. Vaults are not touched. */
  erase: base,
};
