import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { base, Timestamp } from './base.ts';

export const Backup = z.object({ path: z.string(), bytes: z.number(), madeAt: z.number() });
export type Backup = z.infer<typeof Backup>;

/** A copy of the database in the data folder: made on demand or once a day, before a migration, or before a restore. */
export const Copy = Backup.extend({ kind: z.enum(['backup', 'before-migration', 'before-restore']) });
export type Copy = z.infer<typeof Copy>;

/** The parts of an export, in the order in which they are written and read. */
export const PORTABLE = [
  'settings',
  'vaults',
  'conversations',
  'tombstone_keys',
  'facts',
  'memory_retrievals',
  'jobs',
] as const;
export type Portable = (typeof PORTABLE)[number];

/** Rows of one kind, each with its child rows: a conversation with its turns, a turn with its messages. */
export const Portion = z.object({
  kind: z.enum(PORTABLE),
  /** Columns by name; child rows are a list under the name of their table. */
  rows: z.array(z.record(z.string(), z.unknown())),
});
export type Portion = z.infer<typeof Portion>;

/** Version of the export format. */
export const EXPORT_VERSION = 1;

export const PortionReport = z.object({
  /** Rows imported, not counting their child rows. */
  added: z.number().int(),
  /** Deleted rows that the import restored unchanged. */
  restored: z.number().int(),
  /** Rows that already exist. */
  unchanged: z.number().int(),
  /** Rows left out because they belong to one computer, or to something missing here. */
  leftOut: z.number().int(),
  /** Rows left out because they were forgotten. */
  forgotten: z.number().int(),
});
export type PortionReport = z.infer<typeof PortionReport>;

/** What was deleted or forgotten and can be restored. */
export const DeletedItem = z.object({ what: z.enum(['conversations', 'facts', 'vaults']), id: z.string() });
export type DeletedItem = z.infer<typeof DeletedItem>;

export const Deleted = DeletedItem.extend({
  /** Title of a conversation, content of a fact, name of a vault. */
  name: z.string(),
  deletedAt: Timestamp,
  /** When it is erased, unless it is restored before. */
  eraseAt: Timestamp,
});
export type Deleted = z.infer<typeof Deleted>;

const deletedItems = z.object({ items: z.array(DeletedItem).min(1).max(100_000) });

export const data = {
  /** Recently deleted, the latest first. `erasing`: bytes of what was erased are still being removed. */
  deleted: base.output(z.object({ deleted: z.array(Deleted), erasing: z.boolean() })),
  /** Restores deleted items as they were, conversations and facts all or none; thousands in portions, which go on by themselves. */
  restoreDeleted: base.input(deletedItems),
  /** Erases deleted items now. Their rows are gone when this returns, the last bytes within a minute: see `erasing`. */
  eraseDeleted: base.input(deletedItems),
  /** Backs up the database while it is in use, to a given file or to one of the kept backups. */
  backUp: base.input(z.object({ path: z.string().min(1).optional() })).output(Backup),
  /** The kept backups, newest first, and why the last backup failed. */
  backups: base.output(
    z.object({
      backups: z.array(Backup),
      problem: z
        .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
        .nullable(),
    }),
  ),
  /** Every copy that can be restored, the newest first. */
  copies: base.output(z.array(Copy)),
  /**
   * Replaces the database by a backup; the old database is kept in the file `replaced`. What was deleted since the backup stays
   * deleted. Windows are told to reload.
   */
  restore: base
    .input(z.object({ path: z.string().min(1) }))
    .output(z.object({ replaced: z.string().nullable() })),
  /** Sets a damaged database aside in the folder of backups, where the copies stay, and begins with an empty one. */
  startAnew: base,
  /** Everything that cannot be derived, one portion at a time. It holds no keys, and no notes: those are in their vaults. */
  export: base.output(eventIterator(Portion)),
  /** Imports one portion of an export, all or nothing. Existing rows stay as they are; deleted ones are restored. */
  import: base.input(Portion).output(PortionReport),
  /** Erases conversations, facts, settings, the index and every backup permanently. Vaults are not touched. */
  erase: base,
};
