import { z } from 'zod';
import { ConversationId, FactId, NoteId, SummaryId, TurnId } from '../ids.ts';
import { base, Timestamp } from './base.ts';
import { ItemKind, Mark } from './retrieval.ts';

/** What is to be forgotten, as it can be said. */
const SaidSubject = z.union([
  /** Several are separated by semicolons. `past`: only what was so and is no longer, as in "my old address". */
  z.object({ topic: z.string().trim().min(1).max(500), past: z.boolean().optional() }),
  z.object({ person: z.string().trim().min(1).max(200) }),
  z.object({ conversationId: ConversationId }),
  /** From `from` up to, not including, `to`. */
  z.object({ from: Timestamp, to: Timestamp }),
]);
export type SaidSubject = z.infer<typeof SaidSubject>;

/** What is to be forgotten: as it can be said, or what was chosen from a list. */
export const ForgetSubject = z.union([
  ...SaidSubject.options,
  z.object({ facts: z.array(FactId).max(100_000), turns: z.array(TurnId).max(100_000) }),
]);
export type ForgetSubject = z.infer<typeof ForgetSubject>;

/** Why an item is in a plan. */
export const ForgetReason = z.enum([
  /** It names the topic or the person. */
  'names',
  /** It belongs to the conversation or the period, or was chosen. */
  'belongs',
  /** It was learnt from a turn in the plan. */
  'taught-by',
  /** It taught a fact in the plan, and does not name the topic. */
  'teaches',
  /** It is about the topic without naming it, or names it and still holds where only the past is meant. */
  'related',
]);

export const PlannedItem = z.object({
  id: z.string(),
  /** Its text, or the part of it that names the topic. */
  text: z.string(),
  /** Where the text names the topic. */
  marks: z.array(Mark),
  reason: ForgetReason,
  /** Calibrated relevance of what a search found to be related; null otherwise. */
  score: z.number().nullable(),
  ticked: z.boolean(),
  at: Timestamp,
  conversationId: ConversationId.nullable(),
  /** Title of that conversation. */
  conversation: z.string().nullable(),
  /** What goes with it: earlier wordings, summaries made of it, lines of traces, places in context blocks, pending jobs. */
  alongside: z.object({
    revisions: z.number().int(),
    summaries: z.number().int(),
    traces: z.number().int(),
    blocks: z.number().int(),
    jobs: z.number().int(),
  }),
});
export type PlannedItem = z.infer<typeof PlannedItem>;

/** Kinds of items that can be forgotten. */
export const FORGET_GROUPS = ['facts', 'turns', 'summaries', 'titles'] as const;
export type ForgetGroup = (typeof FORGET_GROUPS)[number];

/** What Souvenir does not touch, though it may hold what is to be forgotten. */
export const Untouched = z.object({
  notes: z.array(z.object({ id: NoteId, vault: z.string(), path: z.string(), obsidianUrl: z.string() })),
  /** Copies of the database in the data folder that hold it, or cannot be read. `eraseFromBackups` rewrites them. */
  backups: z.array(z.object({ path: z.string(), madeAt: Timestamp })),
});
export type Untouched = z.infer<typeof Untouched>;

export const ForgetPlan = z.object({
  groups: z.array(z.object({ group: z.enum(FORGET_GROUPS), items: z.array(PlannedItem) })),
  untouched: Untouched,
});
export type ForgetPlan = z.infer<typeof ForgetPlan>;

const Ticked = z.object({
  facts: z.array(FactId).max(100_000).default([]),
  turns: z.array(TurnId).max(100_000).default([]),
  /** Summaries that are written again of what their turns say. */
  summaries: z.array(SummaryId).max(100_000).default([]),
  /** Conversations whose title is replaced. */
  titles: z.array(ConversationId).max(100_000).default([]),
});
export type Ticked = z.infer<typeof Ticked>;

/** What became of a copy of the database in the data folder from which what was erased is to go. */
export const CopyErasure = z.object({
  path: z.string(),
  madeAt: Timestamp,
  /** `failed`: it is as it was, and may still hold it. */
  state: z.enum(['waiting', 'done', 'failed']),
  problem: z
    .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
    .nullable(),
});
export type CopyErasure = z.infer<typeof CopyErasure>;

export const BackupErasure = z.object({
  /** Copies still wait. */
  running: z.boolean(),
  /** Of the last request; none if there was none since Souvenir was started. */
  copies: z.array(CopyErasure),
});
export type BackupErasure = z.infer<typeof BackupErasure>;

/** Something that was said or learnt lately. */
export const Recent = z.object({
  group: z.enum(['facts', 'turns']),
  id: z.string(),
  /** Its text, or the beginning of it. */
  text: z.string(),
  at: Timestamp,
});
export type Recent = z.infer<typeof Recent>;

/** What a message asks to forget. */
export const ForgetRequest = z.discriminatedUnion('asks', [
  /** It asks nothing of the kind. */
  z.object({ asks: z.literal('nothing') }),
  z.object({ asks: z.literal('plan'), subject: SaidSubject }),
  /** It points to something that it does not name (« Oublie ça »): the latest turns and facts to choose from, the latest first. */
  z.object({ asks: z.literal('which'), recent: z.array(Recent) }),
]);
export type ForgetRequest = z.infer<typeof ForgetRequest>;

/** Something in use that still names the topic. */
export const StillFound = z.object({
  id: z.string(),
  kind: ItemKind,
  excerpt: z.string(),
  marks: z.array(Mark),
  conversationId: ConversationId.nullable(),
});
export type StillFound = z.infer<typeof StillFound>;

export const forget = {
  /**
   * Reads whether a message asks that something be forgotten, before it is sent: one that does is not stored, since it would keep what
   * is to be forgotten. Changes nothing.
   * @param conversationId the conversation in which it is written, if it is not a new one
   */
  read: base
    .input(z.object({ message: z.string().max(100_000), conversationId: ConversationId.optional() }))
    .output(ForgetRequest),
  /** What would go, by group; nothing is changed. */
  plan: base.input(ForgetSubject).output(ForgetPlan),
  /**
   * Takes what is ticked out of use at once, and keeps it from being learnt or imported again. It can be undone until it is erased; with
   * `now`, it is erased at once.
   */
  apply: base
    .input(z.object({ ticked: Ticked, now: z.boolean().default(false) }))
    .output(z.object({ forgotten: z.number().int(), at: Timestamp })),
  /** Brings back everything that was forgotten at a moment, or in the last act. */
  undo: base.input(z.object({ at: Timestamp.optional() })).output(z.object({ restored: z.number().int() })),
  /** Searches by words and by meaning, and retrieves once: what of that still names the topic, notes apart. */
  check: base
    .input(z.object({ topic: z.string().trim().min(1).max(500) }))
    .output(z.object({ found: z.number().int(), items: z.array(StillFound), untouched: Untouched })),
  /**
   * Has every copy of the database in the data folder rewritten without what was erased, or was forgotten and then erased: to be called
   * after `apply` with `now`, or `data.eraseDeleted`. What can still be restored stays in the copies. It goes on in the background, also after a
   * restart; an event of type `backups` follows each copy. If the disk is full, it is tried again by itself.
   */
  eraseFromBackups: base.output(BackupErasure),
  /** How far it has come. */
  backupErasure: base.output(BackupErasure),
};
