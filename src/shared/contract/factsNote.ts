import { z } from 'zod';
import { FactId } from '../ids.ts';
import { base, Timestamp } from './base.ts';
import { Fact } from './facts.ts';

export const FactsNoteStatus = z.object({
  /** Why the note is not as it should be. */
  problem: z
    .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
    .nullable(),
  /** So many lines are gone at once that nothing is removed before the user has answered. */
  asked: z.object({ missing: z.number().int(), of: z.number().int() }).nullable(),
  /** Lines, counted from 1, that cannot be facts and stay as they are; the first of them. */
  refused: z.array(
    z.object({ line: z.number().int(), reason: z.enum(['too-long', 'control-characters', 'too-many']) }),
  ),
  /** When note and facts were last found or made equal. */
  writtenAt: Timestamp.nullable(),
});
export type FactsNoteStatus = z.infer<typeof FactsNoteStatus>;

/** A fact that the note and the window changed at once. */
export const FactConflict = z.object({ fact: Fact, note: z.string() });
export type FactConflict = z.infer<typeof FactConflict>;

/** The note of a vault that Souvenir writes, if the setting `factsNote` names one. */
export const factsNote = {
  status: base.output(FactsNoteStatus),
  /** Compares note and facts now, and makes them equal. */
  sync: base.output(FactsNoteStatus),
  /** Answers what is to become of facts whose lines are gone: they are written again, or go, and can be restored. */
  answer: base.input(z.object({ act: z.enum(['restore', 'forget']) })).output(FactsNoteStatus),
  /** The latest first. */
  conflicts: base.output(z.object({ conflicts: z.array(FactConflict) })),
  /** Keeps the wording of the fact or of the note, the other as an earlier wording, or both as two facts. Returns the fact. */
  settleConflict: base.input(z.object({ id: FactId, keep: z.enum(['fact', 'note', 'both']) })).output(Fact),
};
