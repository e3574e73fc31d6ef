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

/** Rows of one kind with what belongs to each under it: a conversation with its turns, a turn with its messages. */
export const Portion = z.object({
  kind: z.enum(PORTABLE),
  /** Columns by name; those under it are lists of rows. */
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
  /** Rows that were there already, and were left as they are. */
  unchanged: z.number().int(),
  /** Rows that belong to one computer, or to something that is not there. */
  leftOut: z.number().int(),
});
export type PortionReport = z.infer<typeof PortionReport>;

export const data = {
  /** Copies the database while it is in use, to a file or among the kept copies. */
  backUp: base.input(z.object({ path: z.string().min(1).optional() })).output(Backup),
  /** The kept copies, newest first, and why the last one could not be made. */
  backups: base.output(
    z.object({
      backups: z.array(Backup),
      problem: z
        .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
        .nullable(),
    }),
  ),
  /** Puts a copy in the place of the database. What was there is kept under `replaced`; windows are told to load anew. */
  restore: base
    .input(z.object({ path: z.string().min(1) }))
    .output(z.object({ replaced: z.string().nullable() })),
  /** Everything that cannot be derived again, a portion at a time. Keys are not in it, nor notes: these are in their vaults. */
  export: base.output(eventIterator(Portion)),
  /** Takes over one portion of an export, all or nothing. What is there already stays as it is. */
  import: base.input(Portion).output(PortionReport),
  /** Erases conversations, facts, settings, the index and every copy. Vaults are not touched. There is no way back. */
  erase: base,
};
