import { z } from 'zod';

/** What a model can ask Souvenir to do while it answers, in the order in which it is told of them. */
export const ToolName = z.enum([
  'search_memories',
  'get_recent_memories',
  'search_text',
  'search_notes',
  'read_note',
  'remember',
  'forget',
]);
export type ToolName = z.infer<typeof ToolName>;

/** `cut`: the reply was stopped, or the program was, before the tool had answered. */
export const ToolCallState = z.enum(['running', 'done', 'failed', 'cut']);
export type ToolCallState = z.infer<typeof ToolCallState>;

/** What became of a call. In brackets: the parameters of its text. */
export const ToolOutcomeCode = z.enum([
  /** It has not answered yet. */
  'running',
  /** What was found follows [shown, of]. */
  'found',
  'nothing',
  /** What had been found was changed or deleted since. */
  'gone',
  /** Passages of a note follow [shown, of]. */
  'note',
  'no-note',
  /** The note has no such heading; its headings follow as items. */
  'no-heading',
  /** It is remembered. */
  'kept',
  /** It waits for the user's word. */
  'waits',
  /** It is no statement that could be remembered. */
  'not-kept',
  /** The user was shown what would be forgotten, and decides. */
  'plan',
  /** The arguments cannot be read [problem]. */
  'bad-arguments',
  /** There is no such tool [tools]. */
  'unknown-tool',
  /** The prompt has no room for what was found. */
  'no-room',
  'failed',
  'cut',
]);
export type ToolOutcomeCode = z.infer<typeof ToolOutcomeCode>;

export const ToolParams = z.record(z.string(), z.union([z.string(), z.number()]));
export type ToolParams = z.infer<typeof ToolParams>;

/** One call of a tool, as it is shown under its reply. */
export const ToolCall = z.object({
  /** Place among the calls of its reply, from 1. */
  ordinal: z.number().int(),
  /** As the model wrote it: there may be no such tool. */
  name: z.string(),
  /** JSON: an object. */
  arguments: z.string(),
  state: ToolCallState,
  outcome: ToolOutcomeCode,
  params: ToolParams,
  /** What the model was told; empty while it runs. */
  result: z.string(),
  /** Null while it runs, and if it was cut. */
  durationMs: z.number().nullable(),
});
export type ToolCall = z.infer<typeof ToolCall>;
