import { z } from 'zod';
import { FactId } from '../ids.ts';
import { base, Timestamp } from './base.ts';
import { Fact, StaleFact } from './facts.ts';

/** What there is to review, the most pressing first. */
export const REVIEW_GROUPS = [
  'conflicts',
  'contradictions',
  'pending',
  'stale',
  'duplicates',
  'unused',
] as const;
export const ReviewGroup = z.enum(REVIEW_GROUPS);
export type ReviewGroup = z.infer<typeof ReviewGroup>;

/** In what two texts differ. */
export const Difference = z.enum(['number', 'date', 'name', 'negation']);
export type Difference = z.infer<typeof Difference>;

/** Why an item is to be reviewed. */
export const ReviewReason = z.discriminatedUnion('code', [
  /** Two facts say nearly the same. */
  z.object({ code: z.literal('alike') }),
  /** Two facts say otherwise; `in` is empty if only their words differ. */
  z.object({ code: z.literal('otherwise'), in: z.array(Difference) }),
  /** A note or a reply suggested it. */
  z.object({ code: z.literal('suggested'), by: z.enum(['note', 'reply']) }),
  /** The note that it was learnt from says something else there by now. */
  z.object({ code: z.literal('note-changed'), now: StaleFact.shape.now }),
  /** It was changed here and in the facts note at once, which says `note`. */
  z.object({ code: z.literal('edited-twice'), note: z.string() }),
  /** It was not given to any reply in so many days. */
  z.object({ code: z.literal('never-given'), days: z.number().int() }),
]);
export type ReviewReason = z.infer<typeof ReviewReason>;

export const ReviewItem = z.object({
  /** Stable while the item is there. */
  id: z.string(),
  group: ReviewGroup,
  /** One, or a pair, the older one first. */
  facts: z.array(Fact).min(1).max(2),
  reason: ReviewReason,
  /** What a pair would say as one; null for one fact. */
  proposed: z.string().nullable(),
  at: Timestamp,
});
export type ReviewItem = z.infer<typeof ReviewItem>;

/** An item as it is settled: the ids of its facts, in any order. */
export const ReviewKey = z.object({ group: ReviewGroup, ids: z.array(FactId).min(1).max(2) });
export type ReviewKey = z.infer<typeof ReviewKey>;

const keys = z.object({ items: z.array(ReviewKey).min(1).max(10_000) });

export const review = {
  /** How many items each group has; and items, of one group or of all in order, the newest of a group first. */
  list: base
    .input(
      z.object({
        group: ReviewGroup.optional(),
        limit: z.number().int().min(0).max(500).default(100),
        /** What the call before returned as `next`. */
        cursor: z.string().max(1_000).optional(),
      }),
    )
    .output(
      z.object({
        counts: z.array(z.object({ group: ReviewGroup, count: z.number().int() })),
        items: z.array(ReviewItem),
        /** Null after the last item. */
        next: z.string().nullable(),
      }),
    ),
  /** Leaves facts as they are: the items do not come back. */
  settle: base.input(keys.extend({ act: z.enum(['keep']) })).output(z.object({ settled: z.number().int() })),
  /** Undoes `settle`. */
  unsettle: base.input(keys).output(z.object({ unsettled: z.number().int() })),
};
