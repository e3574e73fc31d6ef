import { z } from 'zod';
import { TurnId } from '../ids.ts';

/** Why a prompt does not begin with the whole prompt before it. In brackets: the figures of its reason. */
export const StepCode = z.enum([
  /** More messages than the window holds: old turns left [messages, limit]. */
  'window',
  /** The messages took more tokens than they may: old turns left [tokens, limit]. */
  'tokens',
  /** Long messages of the last turns were shortened [messages, limit]. */
  'shortened',
  /** What was attached to earlier messages left, so that the rest fits [messages, limit]. */
  'attached-left',
  /** The blocks took more tokens than they may: old blocks left [tokens, limit]. */
  'block-share',
  /** Blocks were older than the depth of the context: they left [turns, limit]. */
  'block-depth',
  /** The blocks held more items than they may: old blocks left [items, limit]. */
  'block-items',
  /** An item of a block was edited, forgotten, deleted or excluded, or has expired [turn]. */
  'block-changed',
  /** What may be sent to the model has changed, or another version of a reply is shown [turn]. */
  'message-changed',
  /** Summaries of earlier turns were corrected, removed or forgotten, or came late. */
  'summaries-changed',
  /** The instructions are others than before. */
  'system-changed',
]);
export type StepCode = z.infer<typeof StepCode>;

export const Step = z.object({ code: StepCode, figures: z.record(z.string(), z.number()) });
export type Step = z.infer<typeof Step>;

/** What a reply may have been made from beside the conversation itself. */
export const Source = z.enum(['notes', 'memory']);
export type Source = z.infer<typeof Source>;

/** One message of a prompt. */
export const LayoutEntry = z.object({
  kind: z.enum(['system', 'summaries', 'message', 'block', 'attached']),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  turnId: TurnId.nullable(),
  /** Number of its turn in the conversation, from 1. */
  turn: z.number().int().nullable(),
  tokens: z.number().int(),
  /** Items of a block, summaries, or sections of what was attached. */
  items: z.array(z.object({ number: z.number().int(), id: z.string() })),
  /** Of what was attached: how many sections it has in all. */
  sections: z.number().int().optional(),
  /** Cut to fit; the text says so. */
  shortened: z.boolean(),
  /** Replaced by a line that says that it stays on this computer. */
  withheld: z.boolean(),
});
export type LayoutEntry = z.infer<typeof LayoutEntry>;

/** What one model call contained, as it was sent. Tokens are the model's own count where it has one, else estimates. */
export const PromptRecord = z.object({
  turnId: TurnId,
  version: z.number().int(),
  layout: z.array(LayoutEntry),
  steps: z.array(Step),
  tokens: z.number().int(),
  /** Tokens that prompt and reply may have together. */
  contextTokens: z.number().int(),
});
export type PromptRecord = z.infer<typeof PromptRecord>;

/** Tokens of a prompt as estimated when it was sent, and the far smaller number that the server counted: it cut the prompt. */
export const PromptCut = z.object({ sent: z.number().int(), reported: z.number().int() });
export type PromptCut = z.infer<typeof PromptCut>;
