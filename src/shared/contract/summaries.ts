import { z } from 'zod';
import { ConversationId, SummaryId, TurnId } from '../ids.ts';
import { base, Timestamp } from './base.ts';
import { Source } from './prompt.ts';

/** `rules` pick sentences of what was said; `model` and `user` wrote it. */
export const SummaryMaker = z.enum(['rules', 'model', 'user']);
export type SummaryMaker = z.infer<typeof SummaryMaker>;

export const Summary = z.object({
  id: SummaryId,
  conversationId: ConversationId,
  channel: z.string(),
  /** Of the conversation. */
  title: z.string(),
  /** 1 for one turn; more for summaries of summaries. */
  level: z.number().int(),
  text: z.string(),
  /** What was decided, is to be done, or was told. */
  findings: z.array(z.string()),
  /** Files and notes, as they were named. */
  files: z.array(z.string()),
  tools: z.array(z.string()),
  topics: z.array(z.string()),
  /** Of the turns behind it. */
  characters: z.number().int(),
  /** The turns behind it, in order, with their number in the conversation and their date. */
  turns: z.array(z.object({ id: TurnId, number: z.number().int(), at: Timestamp })),
  /** The summary that this one was rolled up into. */
  parentId: SummaryId.nullable(),
  /** The summaries that were rolled up into this one, in order. */
  childIds: z.array(SummaryId),
  madeBy: SummaryMaker,
  /** What the replies behind it may have been made from. */
  madeFrom: z.array(Source),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Summary = z.infer<typeof Summary>;

const Id = z.object({ id: SummaryId });

export const summaries = {
  /** Of a conversation, the highest level first and in the order of their turns; with `level`, only those of that level. */
  list: base
    .input(z.object({ conversationId: ConversationId, level: z.number().int().min(1).optional() }))
    .output(z.array(Summary)),
  get: base.input(Id).output(Summary),
  /** The user's own wording, which stays until a turn behind it changes. */
  correct: base.input(z.object({ id: SummaryId, text: z.string().trim().min(1).max(5_000) })).output(Summary),
  /** Makes it anew: by rules at once, and by the model as soon as it is free, if one answers. */
  regenerate: base.input(Id).output(Summary),
  /** It is neither found nor sent any more, and not made again. Its turns stay. */
  remove: base.input(Id),
  /** Has a summary made again that was removed. */
  restore: base.input(Id),
};
