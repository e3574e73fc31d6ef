import { z } from 'zod';

/** What is decided once and kept from prompt to prompt, so that each begins with the one before. */
const PromptState = z.object({
  /** Of the instructions and blocks, fixed by the conversation's first message. */
  language: z.enum(['en', 'fr']),
  /** Number of the first turn in the window. */
  firstTurn: z.number().int(),
  /** Number of the first turn whose block is sent. */
  firstBlock: z.number().int(),
  /** Characters that are kept of long messages: by turn, then by place of the message in its turn. */
  shortened: z.record(z.string(), z.record(z.string(), z.number().int())),
  /** Summaries of the turns before `firstTurn`; null if there are none. Earlier versions had none. */
  cover: z
    .object({ marker: z.string(), firstTurn: z.number().int(), ids: z.array(z.string()) })
    .nullable()
    .default(null),
});
export type PromptState = z.infer<typeof PromptState>;

/** What a prompt leaves to the next one of its conversation. */
export const PromptTrail = z.object({
  state: PromptState,
  /** A digest of each message, in order. */
  digests: z.array(z.string()),
  /** Number of the turn whose message it is; null for the instructions. */
  turns: z.array(z.number().int().nullable()),
});
export type PromptTrail = z.infer<typeof PromptTrail>;
