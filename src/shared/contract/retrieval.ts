import { z } from 'zod';
import { Scope } from '../choices.ts';
import {
  ChunkId,
  ConversationId,
  FactId,
  MessageId,
  NoteId,
  SectionId,
  SummaryId,
  TurnId,
  VaultId,
} from '../ids.ts';
import { base, Timestamp } from './base.ts';
import { SkippedSource, VerdictReason } from './reasons.ts';

export const ItemKind = z.enum(['note', 'fact', 'turn', 'summary', 'attachment']);
export type ItemKind = z.infer<typeof ItemKind>;
export const SearchMode = z.enum(['semantic', 'text', 'hybrid']);
export type SearchMode = z.infer<typeof SearchMode>;

/** A span of an excerpt, in UTF-16 code units, end excluded. */
export const Mark = z.object({ start: z.number().int(), end: z.number().int() });
export type Mark = z.infer<typeof Mark>;

/** What a relevance is made of, by stage: what each adds to the fused score, before it is calibrated. */
export const ScoreParts = z.record(z.string(), z.number());
export type ScoreParts = z.infer<typeof ScoreParts>;

const itemShape = {
  /** The id of a note's chunk, of a turn, of a summary, of a fact or of a section of an attached file. */
  id: z.union([ChunkId, TurnId, SummaryId, FactId, SectionId]),
  kind: ItemKind,
  /** Relevance, 0 to 1; 0.5 is "about this". */
  score: z.number(),
  vaultId: VaultId.optional(),
  noteId: NoteId.optional(),
  title: z.string().optional(),
  path: z.string().optional(),
  /** Headings from the first level of a note or an attached file down to the chunk; of a PDF, the page. */
  heading: z.array(z.string()).optional(),
  conversationId: ConversationId.optional(),
  /** The conversation of the turn, or of the turn that taught the fact. */
  channel: z.string().optional(),
  /** The place of a turn in its conversation, from 1. */
  ordinal: z.number().int().optional(),
  messageIds: z.array(MessageId).optional(),
  /** Of a summary: 1 for one turn, more for summaries of summaries. */
  level: z.number().int().optional(),
  /** Of a summary: the turns behind it. Of a section: the turn that its file was attached to. */
  turnIds: z.array(TurnId).optional(),
  createdAt: Timestamp.optional(),
  excerpt: z.string(),
  marks: z.array(Mark),
  /** Left out where the score is no fused one. */
  parts: ScoreParts.optional(),
  /** It was marked as wrong for a question of this similarity, 0 to 1, and has less than the score that it had. */
  lowered: z.object({ was: z.number(), similarity: z.number() }).optional(),
  /** It was found by a word that is spelled nearly as one of the question, which nothing holds. */
  respelled: z.object({ word: z.string(), as: z.string() }).optional(),
};

export const SearchResult = z.object(itemShape);
export type SearchResult = z.infer<typeof SearchResult>;

export const Verdict = z.enum([
  'injected',
  'in-window',
  'similar',
  'below-minimum',
  'over-limit',
  'over-budget',
  'expired',
  'failed',
]);
export type Verdict = z.infer<typeof Verdict>;

export const Candidate = z.object({
  ...itemShape,
  verdict: Verdict,
  reason: VerdictReason,
  tokens: z.number().int(),
});
export type Candidate = z.infer<typeof Candidate>;

/** The sources of candidates, in the order in which they are asked. */
export const SearchedSource = z.enum(['facts', 'notes', 'turns', 'summaries', 'attachments']);
export type SearchedSource = z.infer<typeof SearchedSource>;

/** What was searched, so that a reply can say so when it finds nothing. */
export const SearchScope = z.object({
  notesIndexed: z.number().int(),
  notesTotal: z.number().int(),
  turns: z.number().int(),
  /** True while a vault is still being scanned: there may be more notes than `notesTotal`. */
  indexing: z.boolean(),
  /** The sources that were late or failed, and so were not searched; absent if there are none. */
  unsearched: z.array(SearchedSource).optional(),
});
export type SearchScope = z.infer<typeof SearchScope>;

/** What a retrieval was made with. */
export const RetrievalSettings = z.object({
  minScore: z.number(),
  maxResults: z.number(),
  maxInjected: z.number(),
  tokenBudget: z.number(),
  dedupThreshold: z.number(),
  semanticBuffer: z.number(),
  contextWindowDepth: z.number(),
  scope: Scope,
  /** Fingerprint of the index whose vectors were searched; null if none answered. */
  embedder: z.string().nullable(),
  /** Was the question read with the words of the one before it? Absent where that is not known. */
  followsUp: z.boolean().optional(),
});
export type RetrievalSettings = z.infer<typeof RetrievalSettings>;

export const Retrieval = z.object({
  candidates: z.array(Candidate),
  /** The text of the context block; empty if nothing is injected. */
  block: z.string(),
  tokens: z.number().int(),
  timingsMs: z.object({
    /** Time spent on the question's vector and on those of the items in the prompt. */
    embed: z.number(),
    search: z.number(),
    excerpts: z.number(),
    select: z.number(),
    total: z.number(),
  }),
  /** Sources that did not take part. */
  skipped: z.array(SkippedSource),
  scope: SearchScope,
  settings: RetrievalSettings,
});
export type Retrieval = z.infer<typeof Retrieval>;

export const RetrieveInput = z.object({
  text: z.string().min(1).max(100_000),
  conversationId: ConversationId.optional(),
  limit: z.number().int().min(1).max(100).optional(),
  minScore: z.number().min(0).max(1).optional(),
  /** Without a deadline, retrieval waits for every source, so that two runs give the same result. */
  noDeadline: z.boolean().optional(),
});

/** Whose words: the user's, the reply's, or those of a tool: its name and what it was asked, and what an imported one gave. */
export const Speaker = z.enum(['user', 'reply', 'tool']);
export type Speaker = z.infer<typeof Speaker>;

/**
 * Which items are searched. An item has to pass every part; a kind that cannot have what a part asks for is left out, as notes are,
 * which have no channel.
 */
export const SearchFilter = z.object({
  /** Left out, everything but summaries of single turns, which the turns themselves stand for. */
  kinds: z.array(ItemKind).min(1).readonly().optional(),
  /** Turns and their summaries of these levels: 0 a turn, 1 its summary, 2 a summary of summaries of any level. */
  levels: z.array(z.number().int().min(0).max(2)).min(1).readonly().optional(),
  /** Turns, summaries and facts of this channel. */
  channel: z.string().max(100).optional(),
  /**
   * Passages of notes in this folder of a vault, or below it, and turns, summaries and facts of conversations that are tied to it. A path
   * on this computer finds the conversations that are tied to that folder.
   */
  folder: z.string().max(1_000).optional(),
  /** What was written or said from this moment on; of summaries, those of a turn since then. */
  from: Timestamp.optional(),
  /** Before this moment. */
  to: Timestamp.optional(),
  /** Turns in which somebody of this name speaks, and of them the words of that person. Case and accents do not matter. */
  author: z.string().max(500).optional(),
  /** Turns with words of one of these, and of them those words alone. */
  roles: z.array(Speaker).min(1).readonly().optional(),
});
export type SearchFilter = z.infer<typeof SearchFilter>;

export const retrieval = {
  /** What the next turn would be given. Changes nothing. */
  preview: base.input(RetrieveInput).output(Retrieval),
  search: base
    .input(
      SearchFilter.extend({
        text: z.string().min(1).max(100_000),
        mode: SearchMode.default('hybrid'),
        limit: z.number().int().min(1).max(200).default(20),
        /** The text is still being typed: its last word finds longer ones too, unless a space or a sign ends it. */
        typing: z.boolean().default(false),
      }),
    )
    .output(z.object({ results: z.array(SearchResult) })),
  /** What a search can be narrowed to, in alphabetical order; channels have a list of their own. */
  filters: base.output(
    z.object({
      /**
       * Folders of notes, those above them included, with `/` between their names; then, as paths on this computer, those that only
       * conversations are tied to.
       */
      folders: z.array(z.string()),
      /** Who speaks in conversations, by name. */
      authors: z.array(z.string()),
    }),
  ),
};
