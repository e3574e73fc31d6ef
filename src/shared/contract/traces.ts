import { z } from 'zod';
import { Scope } from '../choices.ts';
import { ConversationId, TurnId } from '../ids.ts';
import { base, Timestamp } from './base.ts';
import { PromptCut, PromptRecord } from './prompt.ts';
import { SkippedSource, VerdictReason } from './reasons.ts';
import { ItemKind, RetrievalSettings, ScoreParts, Verdict } from './retrieval.ts';

export const TraceRow = z.object({
  id: z.string(),
  question: z.string(),
  channel: z.string(),
  conversationId: ConversationId.nullable(),
  turnId: TurnId.nullable(),
  /** The version of the reply that the retrieval was made for; null if unknown. */
  version: z.number().int().nullable(),
  memoriesInjected: z.number().int(),
  notesInjected: z.number().int(),
  tokens: z.number().int(),
  createdAt: Timestamp,
  /** False once only what was given is left of it. */
  whole: z.boolean(),
});
export type TraceRow = z.infer<typeof TraceRow>;

/** What the user says of an item for one question. */
export const ItemMark = z.enum(['useful', 'wrong']);
export type ItemMark = z.infer<typeof ItemMark>;

export const TraceItem = z.object({
  kind: ItemKind,
  itemId: z.string(),
  title: z.string(),
  path: z.string().nullable(),
  heading: z.array(z.string()),
  score: z.number(),
  verdict: Verdict,
  reason: VerdictReason,
  tokens: z.number().int(),
  mark: ItemMark.nullable(),
  /** How the message of a turn begins, since all turns of a conversation share its title; null for other kinds, and if it is gone. */
  says: z.string().nullable(),
  /** What its score was made of; null if that is not known. */
  parts: ScoreParts.nullable(),
});
export type TraceItem = z.infer<typeof TraceItem>;

export const Trace = TraceRow.extend({
  items: z.array(TraceItem),
  timingsMs: z.record(z.string(), z.number()),
  skipped: z.array(SkippedSource),
  /** What it was made with; null if that is not known. */
  settings: RetrievalSettings.nullable(),
  /** The prompt sent to the model; null if no model was called. */
  prompt: PromptRecord.nullable(),
  /** Tokens of the prompt, estimated and counted by the server; set if the server cut the prompt silently. */
  promptCut: PromptCut.nullable(),
});
export type Trace = z.infer<typeof Trace>;

/** What a replay does otherwise than the retrieval did. */
export const ReplayChanges = z.object({
  minScore: z.number().min(0).max(1).optional(),
  maxResults: z.number().int().min(1).max(100).optional(),
  scope: Scope.optional(),
  dedupThreshold: z.number().min(0.5).max(1).optional(),
  maxInjected: z.number().int().min(1).max(100).optional(),
  tokenBudget: z.number().int().min(200).max(20_000).optional(),
  /** As the setting of the same name; an index is not built for it. */
  embedder: z.string().min(1).max(4_000).optional(),
});
export type ReplayChanges = z.infer<typeof ReplayChanges>;

/** What became of an item in a replay. */
export const Replayed = TraceItem.pick({ score: true, verdict: true, reason: true, tokens: true }).extend({
  /** Among what is given, from 1; null if it is not. */
  place: z.number().int().nullable(),
});
export type Replayed = z.infer<typeof Replayed>;

/** An item in two retrievals; null where it was not even a candidate. */
export const ReplayRow = TraceItem.pick({
  kind: true,
  itemId: true,
  title: true,
  path: true,
  heading: true,
}).extend({ before: Replayed.nullable(), after: Replayed.nullable() });
export type ReplayRow = z.infer<typeof ReplayRow>;

/** A retrieval made twice over what there is today: with the settings that it had, and with others. No model is called. */
export const Replay = z.object({
  before: RetrievalSettings,
  after: RetrievalSettings,
  tokens: z.object({ before: z.number().int(), after: z.number().int() }),
  /** What is given with the other settings first, in its order; then what no longer is, and the rest by score. */
  rows: z.array(ReplayRow),
  /** Items that were given then and are not given today with the same settings, or the other way round. */
  drifted: z.number().int(),
});
export type Replay = z.infer<typeof Replay>;

/** Of marked questions, each asked by itself; shares from 0 to 1, null if nothing was marked as useful. */
export const SelfTestFigures = z.object({
  /** Share of the useful items that are given. */
  recall: z.number().nullable(),
  /** Share of them among the ten most relevant, whatever the minimum. */
  recallAt10: z.number().nullable(),
  /** Mean of one over the rank of the first useful item. */
  mrr: z.number().nullable(),
  /** How many items are given that were marked as wrong. */
  wrongGiven: z.number().int(),
});
export type SelfTestFigures = z.infer<typeof SelfTestFigures>;

export const SelfTest = z.object({
  questions: z.number().int(),
  /** Marks of each kind. */
  useful: z.number().int(),
  wrong: z.number().int(),
  /** So few questions that a difference may be chance. */
  tooFew: z.boolean(),
  /** With the present settings. */
  before: SelfTestFigures,
  /** With others; null if none were given. */
  after: SelfTestFigures.nullable(),
  /** Questions of which more useful items are given with the others, and of which fewer are. */
  better: z.number().int(),
  worse: z.number().int(),
});
export type SelfTest = z.infer<typeof SelfTest>;

/** Settings that a self-test tells the effect of. */
export const TESTED_SETTINGS = Object.keys(ReplayChanges.shape) as readonly (keyof ReplayChanges)[];

/** An embedder that a replay can be made with, as the setting of that name says it. */
export const KnownEmbedder = z.object({
  setting: z.string(),
  /** False if its folder is not on this computer now. */
  isHere: z.boolean(),
});
export type KnownEmbedder = z.infer<typeof KnownEmbedder>;

export const traces = {
  /** Newest first. */
  list: base
    .input(z.object({ limit: z.number().int().min(1).max(500).default(100) }))
    .output(z.object({ traces: z.array(TraceRow) })),
  get: base.input(z.object({ id: z.string() })).output(Trace),
  /** The latest retrieval of a turn; null if there was none. */
  ofTurn: base.input(z.object({ turnId: TurnId })).output(Trace.nullable()),
  /** The built-in embedder, the one of the settings, and those that were used before. */
  embedders: base.output(z.array(KnownEmbedder)),
  /** Questions with a mark. */
  marked: base.output(z.object({ questions: z.number().int() })),
  /** Measures retrieval on what the user marked, without what the marks themselves do. */
  selfTest: base.input(ReplayChanges).output(SelfTest),
  /** @throws NOT_FOUND, EMBEDDER_UNUSABLE */
  replay: base.input(ReplayChanges.extend({ id: z.string() })).output(Replay),
  /**
   * Says of an item that it is useful for what a turn asks, or wrong there; null takes the mark back. What is wrong is given less readily
   * for similar questions.
   */
  mark: base
    .input(
      z.object({
        turnId: TurnId,
        kind: ItemKind,
        itemId: z.string().min(1).max(200),
        mark: ItemMark.nullable(),
      }),
    )
    .output(z.object({ before: ItemMark.nullable() })),
};
