import { z } from 'zod';
import { ChunkId, ConversationId, FactId, NoteId, TurnId, VaultId } from '../ids.ts';
import { base, Timestamp } from './base.ts';

export const FactKind = z.enum([
  'identity',
  'preference',
  'relation',
  'event',
  'decision',
  'goal',
  'task',
  'fact',
]);
export type FactKind = z.infer<typeof FactKind>;

/**
 * `pending`: suggested by a note or a tool, and not confirmed by the user. `unsaid`: only a message said it that was edited since; it is
 * back when that message is shown again. Only `current` facts are in use.
 */
export const FactStatus = z.enum(['current', 'pending', 'superseded', 'unsaid', 'expired', 'forgotten']);
export type FactStatus = z.infer<typeof FactStatus>;

export const FactSource = z.enum(['conversation', 'chat', 'note', 'manual', 'import']);

export const Fact = z.object({
  id: FactId,
  content: z.string(),
  kind: FactKind,
  /** What has one value at a time, whatever the language: `user.home`, `person:david.home`. */
  key: z.string().nullable(),
  subjects: z.array(z.string()),
  importance: z.number(),
  /**
   * From 0 to 1: 1 for what the user added, confirmed or asked to be remembered. What a rule found plainly has the share of what rules
   * find that is right; what was suggested has what the suggestion said.
   */
  confidence: z.number(),
  source: FactSource,
  channel: z.string().nullable(),
  status: FactStatus,
  pinned: z.boolean(),
  turnId: TurnId.nullable(),
  conversationId: ConversationId.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  useCount: z.number().int(),
  lastUsedAt: Timestamp.nullable(),
  /** The place in a note that it was learnt from. */
  anchor: z.object({ vaultId: VaultId, path: z.string(), heading: z.array(z.string()) }).nullable(),
  /** When the note was found to say something else at that place; null while it says what it said. The fact stays in use. */
  staleSince: Timestamp.nullable(),
  /** The newer fact that took its place; it may have been erased since. */
  supersededBy: FactId.nullable(),
  /** Facts in use that say otherwise, for the user to review. */
  contradicts: z.array(FactId),
  /** Earlier wordings, oldest first. */
  revisions: z.array(z.object({ content: z.string(), until: Timestamp })),
});
export type Fact = z.infer<typeof Fact>;

/** A fact as it was when the turn taught it. */
export const Learnt = z.object({
  id: FactId,
  kind: FactKind,
  /** The wording that the turn taught, whatever the fact says now. */
  content: z.string(),
  /** `changed`: the fact has a new wording, or is no longer current. Only a `current` one can be undone. */
  state: z.enum(['current', 'changed', 'expired']),
  /** What the turn did: added a fact, reworded one, added one in place of another, or learnt another name of somebody. */
  act: z.enum(['learnt', 'changed', 'superseded', 'alias']),
  /** What the reworded or superseded fact said before; null if there was none, or it is forgotten. */
  former: z.string().nullable(),
});
export type Learnt = z.infer<typeof Learnt>;

/** null, or any number of hours, days or weeks: "1h", "7d", "2w". */
export const Ttl = z
  .string()
  .regex(/^[1-9]\d{0,3}[hdw]$/, 'a time to live is a number of hours, days or weeks: 1h, 36h, 7d, 2w')
  .nullable();

/** A fact whose note has changed since. */
export const StaleFact = z.object({
  fact: Fact,
  /** The block that says what comes closest now; null if the note is gone, or nothing in it is close. */
  now: z
    .object({ noteId: NoteId, chunkId: ChunkId, heading: z.array(z.string()), markdown: z.string() })
    .nullable(),
});
export type StaleFact = z.infer<typeof StaleFact>;

const content = z.string().trim().min(1).max(2_000);
const subjects = z.array(z.string().trim().min(1).max(100)).max(20);
const importance = z.number().min(0).max(1);
const byId = z.object({ id: FactId });
const byIds = z.object({ ids: z.array(FactId).min(1).max(100_000) });

const merged = z.object({ ids: z.array(FactId).min(2).max(100) });

/** Somebody as facts know them. */
export const Person = z.object({
  /** As in keys: `david` of `person:david.home`. */
  person: z.string(),
  /** Names, then aliases, as written. */
  names: z.array(z.string()),
  /** In English: `brother`. */
  kinships: z.array(z.string()),
});

export const facts = {
  list: base
    .input(
      z.object({
        query: z.string().max(500).default(''),
        all: z.boolean().default(false),
        /** What or whom a fact is about: a subject, or somebody by name, alias or kinship. */
        subject: z.string().trim().max(100).optional(),
        /** Only facts in one of these states, whatever `all` says. */
        statuses: z.array(FactStatus).max(FactStatus.options.length).optional(),
      }),
    )
    .output(z.object({ facts: z.array(Fact) })),
  add: base
    .input(
      z.object({
        content,
        kind: FactKind.default('fact'),
        subjects: subjects.default([]),
        importance: importance.default(0.5),
        ttl: Ttl.default(null),
        /** The passage of a note that says so: the fact is compared with it whenever the note changes. */
        anchor: z.object({ noteId: NoteId, chunkId: ChunkId }).optional(),
      }),
    )
    .output(Fact),
  /** Facts in use whose note says something else than when they were learnt, the latest first. */
  stale: base.output(z.object({ facts: z.array(StaleFact) })),
  /**
   * Settles a stale fact: it is right as it is, or `content` says what is right now; from now on it is compared with the block that comes
   * closest. Or it goes, and can be restored. Returns the fact as it is afterwards.
   */
  settleStale: base
    .input(
      z.discriminatedUnion('act', [
        byId.extend({ act: z.literal('confirm') }),
        byId.extend({ act: z.literal('change'), content }),
        byId.extend({ act: z.literal('drop') }),
      ]),
    )
    .output(Fact),
  edit: base
    .input(
      byId.extend({
        content: content.optional(),
        kind: FactKind.optional(),
        subjects: subjects.optional(),
        importance: importance.optional(),
        pinned: z.boolean().optional(),
      }),
    )
    .output(Fact),
  /**
   * A fact with those that it superseded and those that superseded it, oldest first; and when something was last merged into it, if
   * that can be undone.
   */
  history: base.input(byId).output(z.object({ facts: z.array(Fact), mergedAt: Timestamp.nullable() })),
  /** What merging facts would make of them; nothing is changed. */
  proposeMerge: base.input(merged).output(z.object({ into: FactId, content: z.string() })),
  /**
   * Makes one fact of several that are in use, all or nothing. The others are superseded by the one that is kept (`into`), which says
   * `content`, by default the fullest of their wordings.
   */
  merge: base.input(merged.extend({ into: FactId.optional(), content: content.optional() })).output(Fact),
  /**
   * Undoes the last merge into a fact. Refused if the fact was changed since. Returns the facts as they are afterwards, the one that was
   * kept first.
   */
  unmerge: base.input(byId).output(z.object({ facts: z.array(Fact) })),
  /** Everybody whom facts name, by slug. */
  aliases: base.output(z.object({ people: z.array(Person) })),
  /**
   * Makes pending facts current, all or none, as if the user had said them now: one may replace a fact, or be said by one already.
   * Returns what says each of them afterwards, in the order of `ids`, and what `undoConfirm` takes. A fact that is not pending stays as it
   * is.
   */
  confirm: base.input(byIds).output(z.object({ facts: z.array(Fact), undo: z.string() })),
  /**
   * Has confirmed facts wait for the user's word again, and whatever they reworded, replaced or allowed to be learnt as it was. Refused if
   * one of those facts has changed since, or Souvenir was restarted. Returns the facts as they are afterwards.
   */
  undoConfirm: base.input(z.object({ undo: z.string().max(100) })).output(z.object({ facts: z.array(Fact) })),
  /**
   * Takes facts out of use at once, all or none; they are erased when the undo period ends. What a pending one says is not suggested
   * again.
   */
  remove: base.input(byIds).output(z.object({ facts: z.array(Fact) })),
  /**
   * Undoes what a turn taught: removes a fact that it added, or restores the earlier wording of one that it changed. Refused if
   * the fact was changed since. Returns the fact as it is afterwards.
   */
  undoLearnt: base.input(z.object({ id: FactId, turnId: TurnId })).output(Fact),
  restore: base.input(byIds).output(z.object({ facts: z.array(Fact) })),
};
