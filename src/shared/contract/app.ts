import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { Settings, SettingsPatch } from '../settings.ts';
import { base } from './base.ts';
import { ModelStatus } from './models.ts';
import { Figures } from './usage.ts';
import { IndexProgress } from './vaults.ts';

/** Raised when a change to the contract would break older clients. */
export const PROTOCOL_VERSION = 1;

/** The state of the vectors. While `pending` is above 0, full text finds items that semantic search does not find yet. */
export const VectorProgress = z.object({
  state: z.enum(['starting', 'working', 'ready', 'rebuilding', 'failed']),
  /** Id of the embedder in use. */
  embedder: z.string().nullable(),
  vectors: z.number().int(),
  pending: z.number().int(),
  /** Items whose text the embedder cannot embed: only full text finds them. */
  failed: z.number().int(),
  /**
   * In the state `failed`, why vectors are behind. In any other state, why the embedder in use is not the one in the settings.
   */
  problem: z
    .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
    .nullable(),
});
export type VectorProgress = z.infer<typeof VectorProgress>;

/** Background jobs of one kind in one state. */
export const JobSummary = z.object({
  kind: z.string(),
  /** `failed` jobs run again only when they are enqueued again. */
  state: z.enum(['waiting', 'running', 'failed']),
  count: z.number().int(),
  /** Error code of the last failed attempt. */
  problem: z.string().nullable(),
  /** When the next waiting job may run, in milliseconds since 1970. */
  nextAt: z.number().nullable(),
});
export type JobSummary = z.infer<typeof JobSummary>;

/**
 * Something that happened to the data, told until the user says that they have read it. `changes-lost`: changes between two times
 * (`since`, `until`) were acknowledged and are not in the database. `database-damaged`: a check found damage (`reason`). `facts-note-loss`: so many
 * lines of the facts note are gone at once (`missing`, `of`) that the user is asked.
 */
export const NoticeCode = z.enum(['changes-lost', 'database-damaged', 'facts-note-loss']);
export type NoticeCode = z.infer<typeof NoticeCode>;
export const Notice = z.object({
  code: NoticeCode,
  params: z.record(z.string(), z.union([z.string(), z.number()])),
  at: z.number(),
});
export type Notice = z.infer<typeof Notice>;

/** `UNEXPECTED`: an error that nothing caught. `ADDRESS_REUSED`: a token that had been used was presented again. */
export const AlertCode = z.enum(['UNEXPECTED', 'ADDRESS_REUSED']);
export type AlertCode = z.infer<typeof AlertCode>;

export const AppEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('index'), progress: IndexProgress }),
  z.object({ type: z.literal('vectors'), progress: VectorProgress }),
  z.object({ type: z.literal('vaults') }),
  z.object({ type: z.literal('notes') }),
  z.object({ type: z.literal('conversations') }),
  /** Turns left their conversations or came back: an open conversation must be read again. */
  z.object({ type: z.literal('turns') }),
  z.object({ type: z.literal('facts') }),
  z.object({ type: z.literal('summaries') }),
  /** What the status of the facts note says. */
  z.object({ type: z.literal('facts-note') }),
  z.object({ type: z.literal('jobs') }),
  /** An import went on or ended, at most twice a second. */
  z.object({ type: z.literal('imports') }),
  z.object({ type: z.literal('notices') }),
  /** A copy of the database was rewritten, or could not be: see `forget.backupErasure`. */
  z.object({ type: z.literal('backups') }),
  /** Null: Passages answers. */
  z.object({ type: z.literal('model'), status: ModelStatus.nullable() }),
  z.object({ type: z.literal('settings'), settings: Settings }),
  /** Something that the user must know at once; the words are those of the error of this code. */
  z.object({ type: z.literal('alert'), code: AlertCode }),
  /** The data was replaced: clients must read everything again. */
  z.object({ type: z.literal('reset') }),
]);
export type AppEvent = z.infer<typeof AppEvent>;

export const Stats = z.object({
  dataDir: z.string(),
  vaults: z.number().int(),
  notes: z.object({
    total: z.number().int(),
    indexed: z.number().int(),
    pending: z.number().int(),
    skipped: z.number().int(),
    failed: z.number().int(),
  }),
  chunks: z.number().int(),
  links: z.number().int(),
  conversations: z.number().int(),
  turns: z.number().int(),
  messages: z.number().int(),
  citations: z.number().int(),
  facts: z.number().int(),
  vectors: VectorProgress,
  jobs: z.array(JobSummary),
  databaseBytes: z.number(),
  figures: Figures,
  schemaVersion: z.number().int(),
});
export type Stats = z.infer<typeof Stats>;

export const Finding = z.object({
  code: z.enum([
    'database-damaged',
    /** What was written is no longer there as it was: kind and key of the row, and the copy that holds it whole. */
    'row-damaged',
    /** What follows from other data, passages or terms, does not fit its hash. */
    'derived-damaged',
    'foreign-key',
    'full-text-missing',
    'full-text-orphan',
    'full-text-damaged',
    /** A job of a kind that this version cannot run. */
    'job-unknown',
    /** A job that is marked as running but does not run. */
    'note-missing-on-disk',
    'note-not-indexed',
    'note-stale',
    'note-without-chunks',
    /** What is in this folder, or has this name, cannot be indexed: see the reasons of notes. */
    'folder-unreadable',
    'name-invalid',
    'reply-pending',
    'vector-missing',
    'vector-stale',
    'vector-orphan',
    'vector-double',
    'vector-failed',
    'vault-unavailable',
  ]),
  /** Ids and paths only. */
  what: z.string(),
  repaired: z.boolean(),
});
export type Finding = z.infer<typeof Finding>;

export const DoctorReport = z.object({
  ok: z.boolean(),
  findings: z.array(Finding),
  checked: z.record(z.string(), z.number()),
});
export type DoctorReport = z.infer<typeof DoctorReport>;

/** Where the window runs: in the desktop app, or in a browser. `none` is a caller inside the program. */
export const Host = z.enum(['desktop', 'browser', 'none']);
export type Host = z.infer<typeof Host>;

export const WindowAddress = z.enum(['typed', 'page']);
export type WindowAddress = z.infer<typeof WindowAddress>;

export const app = {
  /** The first call of every client. `reconnectToken` opens the next connection of the same window. */
  hello: base.input(z.object({ protocol: z.number().int() })).output(
    z.object({
      version: z.string(),
      protocol: z.number().int(),
      dataDir: z.string(),
      reconnectToken: z.string().nullable(),
      systemLanguage: z.enum(['en', 'fr']),
      host: Host,
      /** Why the data cannot be opened; null if it is open. Then only copies can be listed and the data be replaced. */
      damage: z
        .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
        .nullable(),
    }),
  ),
  events: base.output(eventIterator(AppEvent)),
  /**
   * Brings the owner's window to the front. An owner without a window returns what opens one, once: an address that a user can type,
   * or the address of a page on this disk that a browser can be given, since its name is no secret.
   */
  openWindow: base.input(z.object({ as: WindowAddress })).output(z.object({ url: z.string().nullable() })),
  /** Opens an address of the web in the user's own browser, after a click in a window that reaches nothing but its host. */
  openOutside: base.input(z.object({ url: z.url({ protocol: /^https$/ }).max(8_192) })),
  settings: base.output(Settings),
  changeSettings: base.input(SettingsPatch).output(Settings),
  stats: base.output(Stats),
  /** What the user must be told, the oldest first. */
  notices: base.output(z.array(Notice)),
  dismissNotice: base.input(z.object({ code: NoticeCode })),
  /** Background jobs that wait, run or have failed for good, by kind and state. */
  jobs: base.output(z.array(JobSummary)),
  doctor: base.input(z.object({ repair: z.boolean().default(false) })).output(DoctorReport),
};
