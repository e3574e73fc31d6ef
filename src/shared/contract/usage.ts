import { z } from 'zod';
import { ConversationId } from '../ids.ts';
import { base } from './base.ts';
import { ItemKind } from './retrieval.ts';

/** Of how many measurements, the median and what 95 in 100 do not exceed, in milliseconds; null if there is none. */
const Times = z.object({ count: z.number().int(), p50: z.number(), p95: z.number() }).nullable();

/** What replies took. Tokens that a server did not report count as none. */
const Spent = z.object({
  replies: z.number().int(),
  promptTokens: z.number().int(),
  completionTokens: z.number().int(),
  /** Of the prompt's tokens, those that retrieval added. */
  retrievalTokens: z.number().int(),
  /** From the question to the reply's end. */
  replyMs: z.number(),
  toolCalls: z.number().int(),
});
export type Spent = z.infer<typeof Spent>;

/** How large, how fast and how useful it is. */
export const Figures = z.object({
  /** In how many summaries of each level. */
  summaries: z.array(z.object({ level: z.number().int(), summaries: z.number().int() })),
  timesMs: z.object({
    /** A turn is stored. */
    store: Times,
    /** Everything is searched for a turn. */
    search: Times,
    /** A turn is summarised: by rules, or by the model where it wrote the summary. */
    summarise: Times,
    /** A reply is written. */
    reply: Times,
  }),
  /** Turns for which something was searched, and those of them for which something that answers was found. */
  searches: z.object({ made: z.number().int(), found: z.number().int() }),
  bytes: z.object({ database: z.number(), vectors: z.number(), backups: z.number() }),
  /** What the scores of the index that answers were measured on; null while the built-in scales hold. */
  calibration: z
    .object({
      /** Questions made of passages and turns, and marks. */
      pairs: z.number().int(),
      marks: z.number().int(),
      /** The share of the fused score that the cosines of a contextual embedder have; null for any other. */
      contextualShare: z.number().nullable(),
      at: z.number(),
    })
    .nullable(),
  /** When a note was indexed last; null if none was. */
  lastIndexedAt: z.number().nullable(),
});
export type Figures = z.infer<typeof Figures>;

export const Usage = Figures.extend({
  total: Spent,
  /** The latest day first; `day` is YYYY-MM-DD, in the user's time zone. */
  byDay: z.array(Spent.extend({ day: z.string() })),
  /** Those that took most tokens first, as are the next two. */
  byConversation: z.array(Spent.extend({ conversationId: ConversationId, title: z.string() })),
  byModel: z.array(Spent.extend({ model: z.string() })),
  /** Tokens that each item took in prompts, how often it was given, and how often a reply cited it. */
  byMemory: z.array(
    z.object({
      kind: ItemKind,
      id: z.string(),
      title: z.string(),
      /** Of a passage: the headings that it stands under. */
      heading: z.array(z.string()),
      tokens: z.number().int(),
      given: z.number().int(),
      cited: z.number().int(),
    }),
  ),
});
export type Usage = z.infer<typeof Usage>;

export const usage = {
  /** Of the last `days` days, today among them. */
  read: base.input(z.object({ days: z.number().int().min(1).max(3_660).default(30) })).output(Usage),
};
