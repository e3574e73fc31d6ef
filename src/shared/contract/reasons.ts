import { z } from 'zod';

/** A reason as data: a code of a closed set, and the figures and ids that decided. Each language renders it. */
const reasonOf = <const Codes extends readonly [string, ...string[]]>(codes: Codes) =>
  z.object({ code: z.enum(codes), figures: z.record(z.string(), z.union([z.number(), z.string()])) });

/**
 * Why a candidate got its verdict. In brackets: its figures. Whatever the reason, a candidate that was marked as wrong for a similar
 * question has `was`, the score before that, and `alike`, how similar the question is.
 */
export const VerdictReason = reasonOf([
  /** Answers the question [score]. */
  'relevant',
  /** Says who the user is, and is always given [score]. */
  'identity',
  /** A pinned fact or note [score]. */
  'pinned',
  /** One of the most important facts, which are always given [score]. */
  'important',
  /** A note that carries the context tag, which is always given [score]. */
  'tagged',
  /** A note that the message names [score]. */
  'named',
  /** A note that the message names inexactly [score, words, title]. */
  'nearly-named',
  /** A turn of a question about the talk itself: of its time, and about its matter [score]. */
  'said',
  /** A fact that answers what is known about the user [score]. */
  'about-user',
  /** Answers, and lies in a folder that the conversation is about: it is placed as if it had the score `placed` [score, folder, placed]. */
  'in-folder',
  /** A turn that answers, beside another that does: it is placed as if it had the score `placed` [score, item, placed]. */
  'beside',
  /** A turn that answers, but taught what is no longer true; it stands after what is true instead [score, item]. */
  'outdated',
  /** A fact that is true in place of what a turn says which answers [score, item]. */
  'replaces',
  /** [score, minimum] */
  'below-minimum',
  /** Below the minimum since it was marked as wrong for a similar question [score, minimum, was, alike]. */
  'marked-wrong',
  /** The same stretch of the same item is in the prompt [turn]. */
  'in-prompt',
  /** Says the same as something in the prompt [similarity, turn, item]. */
  'like-prompt',
  /** Says the same as an item that was just selected [similarity, item]. */
  'like-selected',
  /** A turn that only asks, and tells nothing. */
  'only-asks',
  /** A turn that taught a fact which answers as well [item]. */
  'taught-fact',
  /** [limit] */
  'over-limit',
  /** So many passages of its note are given, and something else answers too [limit]. */
  'note-limit',
  /** [tokens, left, budget] */
  'over-budget',
  /** Does not answer, and what is given whatever is asked has its share of the budget [tokens, left, budget]. */
  'over-share',
  'expired',
  /** The item was edited or deleted while it was searched. */
  'changed',
  /** Written by an earlier version; nothing more is known. */
  'unknown',
]);
export type VerdictReason = z.infer<typeof VerdictReason>;

/** Why a source of candidates was left out. */
export const SkipReason = reasonOf([
  /** [elapsedMs, limitMs] */
  'late',
  /** It is still being opened. */
  'not-ready',
  /** [error] */
  'failed',
  /** Nothing holds a phrase in quotation marks [phrase]. */
  'phrase-not-found',
  /** The user switched retrieval off. */
  'switched-off',
  /** The turn is a message of Souvenir's own. */
  'own-message',
  /** The model is not on this computer, and the user does not allow it to be sent there. */
  'not-allowed',
  'unknown',
]);
export type SkipReason = z.infer<typeof SkipReason>;

export const SkippedSource = z.object({ source: z.string(), reason: SkipReason });
export type SkippedSource = z.infer<typeof SkippedSource>;
