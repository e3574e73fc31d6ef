import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { VaultId } from '../ids.ts';
import { base, Timestamp } from './base.ts';

export const IndexState = z.enum(['idle', 'scanning', 'indexing', 'paused', 'unavailable']);

/** Why a vault's folder is not taken for the vault. Its index is kept and answers meanwhile. */
export const VaultObstacle = z.discriminatedUnion('reason', [
  z.object({ reason: z.literal('missing') }),
  /** `code` is the file system's. */
  z.object({ reason: z.literal('unreadable'), code: z.string() }),
  /** The path leads to another folder than the one that was added. Used once the user confirms. */
  z.object({ reason: z.literal('moved'), target: z.string() }),
  /** Nearly all notes are gone at once, or another folder stands there. Used once the user confirms. */
  z.object({ reason: z.literal('lost'), lost: z.number().int(), known: z.number().int() }),
]);
export type VaultObstacle = z.infer<typeof VaultObstacle>;

export const IndexProgress = z.object({
  vaultId: VaultId,
  /** When this was true, on the clock of the core's process (milliseconds): the later of two events wins. */
  since: z.number(),
  state: IndexState,
  /** Set while the state is `unavailable`. */
  obstacle: VaultObstacle.nullable(),
  /** Why indexing broke off, e.g. on a full disk; it is tried again by itself. Null once it has gone through. */
  problem: z
    .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
    .nullable(),
  /** Notes on disk, skipped ones included. */
  total: z.number().int(),
  indexed: z.number().int(),
  skipped: z.number().int(),
  failed: z.number().int(),
  /** Notes still to be examined. */
  pending: z.number().int(),
  chunks: z.number().int(),
  notesPerSecond: z.number().nullable(),
  secondsLeft: z.number().nullable(),
});
export type IndexProgress = z.infer<typeof IndexProgress>;

/** What could not be read of Obsidian's own settings of a vault: nothing is left out because of it. */
export const VaultProblem = z.object({
  code: z.enum([
    /** `what` is the file system's code, or what the file is instead. */
    'settings-unreadable',
    /** `what` is the filter: no regular expression, */
    'filter-invalid',
    /** one that looks ahead, behind or back, which cannot be done in time linear in the length of a path, */
    'filter-unsupported',
    /** or one that would take too long; or the number of filters. */
    'filter-too-large',
  ]),
  what: z.string(),
});
export type VaultProblem = z.infer<typeof VaultProblem>;

export const Vault = z.object({
  id: VaultId,
  name: z.string(),
  path: z.string(),
  ignorePatterns: z.array(z.string()),
  /** The vault's id in Obsidian's own list; null if it is not listed there. */
  obsidianId: z.string().nullable(),
  addedAt: Timestamp,
  problems: z.array(VaultProblem),
  progress: IndexProgress,
});
export type Vault = z.infer<typeof Vault>;

export const VaultInspection = z.object({
  path: z.string(),
  name: z.string(),
  notes: z.number().int(),
  /** Counting stopped because the folder is very large. */
  atLeast: z.boolean(),
  canvases: z.number().int(),
  folders: z.number().int(),
  otherFiles: z.number().int(),
  bytes: z.number(),
  ignored: z.number().int(),
  isObsidian: z.boolean(),
  alreadyAdded: z.boolean(),
});
export type VaultInspection = z.infer<typeof VaultInspection>;

export const KnownVault = z.object({
  path: z.string(),
  name: z.string(),
  notes: z.number().int(),
  atLeast: z.boolean(),
  exists: z.boolean(),
  lastOpened: Timestamp.nullable(),
});
export type KnownVault = z.infer<typeof KnownVault>;

export const IndexReport = z.object({
  notes: z.number().int(),
  chunks: z.number().int(),
  /** Chunks embedded during the run, including those that an earlier run had written. */
  embedded: z.number().int(),
  /** Chunks that did not change. */
  unchanged: z.number().int(),
  failed: z.array(z.object({ path: z.string(), reason: z.string() })),
  seconds: z.number(),
});
export type IndexReport = z.infer<typeof IndexReport>;

const byId = z.object({ id: VaultId });
const patterns = z.array(z.string().max(500)).max(500);

export const vaults = {
  /** The vaults in Obsidian's own list, each with its number of notes. */
  known: base.output(z.array(KnownVault)),
  inspect: base.input(z.object({ path: z.string().min(1) })).output(VaultInspection),
  /** Folders that complete a typed path, ten at most. */
  completePath: base.input(z.object({ prefix: z.string() })).output(z.array(z.string())),
  list: base.output(z.array(Vault)),
  add: base.input(z.object({ path: z.string().min(1), ignorePatterns: patterns.default([]) })).output(Vault),
  setIgnorePatterns: base.input(byId.extend({ patterns })).output(Vault),
  /** The files that `patterns` would exclude: how many, and the first 200 by path. */
  previewIgnore: base
    .input(byId.extend({ patterns }))
    .output(z.object({ count: z.number().int(), paths: z.array(z.string()) })),
  /** Takes the vault out of use. Its folder is not touched, and `restore` undoes this until the vault is purged. */
  remove: base.input(byId),
  restore: base.input(byId).output(Vault),
  /** Takes the vault's folder as it is now, whatever it lost and wherever it leads. */
  confirm: base.input(byId).output(Vault),
  pause: base.input(byId),
  resume: base.input(byId),
  /** Adds the vault if it is new, indexes and embeds what changed, and ends with the report. */
  index: base
    .input(z.object({ path: z.string().min(1) }))
    .output(
      eventIterator(
        z.discriminatedUnion('type', [
          z.object({ type: z.literal('progress'), progress: IndexProgress }),
          z.object({ type: z.literal('report'), report: IndexReport }),
        ]),
      ),
    ),
};
