import { z } from 'zod';
import { ConversationId, TurnId } from '../ids.ts';
import { base, Timestamp } from './base.ts';
import { PromptCut, PromptRecord } from './prompt.ts';
import { SkippedSource, VerdictReason } from './reasons.ts';
import { ItemKind, Verdict } from './retrieval.ts';

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
});
export type TraceItem = z.infer<typeof TraceItem>;

export const Trace = TraceRow.extend({
  items: z.array(TraceItem),
  timingsMs: z.record(z.string(), z.number()),
  skipped: z.array(SkippedSource),
  /** The prompt sent to the model; null if no model was called. */
  prompt: PromptRecord.nullable(),
  /** Tokens of the prompt, estimated and counted by the server; set if the server cut the prompt silently. */
  promptCut: PromptCut.nullable(),
});
export type Trace = z.infer<typeof Trace>;

export const traces = {
  /** Newest first. */
  list: base
    .input(z.object({ limit: z.number().int().min(1).max(500).default(100) }))
    .output(z.object({ traces: z.array(TraceRow) })),
  get: base.input(z.object({ id: z.string() })).output(Trace),
  /** The latest retrieval of a turn; null if there was none. */
  ofTurn: base.input(z.object({ turnId: TurnId })).output(Trace.nullable()),
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
