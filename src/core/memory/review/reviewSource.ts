import type { Fact } from '../../../shared/contract/facts.ts';
import type { ReviewGroup, ReviewReason } from '../../../shared/contract/review.ts';

/**
 * A kind of things to review. A new kind is a file of its own, registered in `core/parts/review.ts`, and a name in `shared/contract/review.ts`,
 * whose order is that in which they are shown.
 */
export interface ReviewSource {
  group: ReviewGroup;
  /**
   * SQL that selects, for every item, `id` and `other` (facts; '' for no other) and `at`, the moment by which items are ordered. It takes
   * `@now`, in milliseconds since 1970, and `params`. What the user settled is left out elsewhere.
   */
  items: string;
  params?(): Record<string, number>;
  /** Is a pair that `items` selects to be reviewed? It depends on the two wordings alone. */
  holds?(one: string, other: string): boolean;
  /** @param facts one, or a pair, the older one first */
  reason(facts: readonly Fact[], now: number): ReviewReason;
  /** What a pair would say as one; by default the fuller of both wordings. */
  proposed?(facts: readonly Fact[]): string;
}
