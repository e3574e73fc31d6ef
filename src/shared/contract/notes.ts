import { z } from 'zod';
import { ChunkId, ConversationId, NoteId, VaultId } from '../ids.ts';
import { base, Timestamp } from './base.ts';

export const NoteStatus = z.enum(['pending', 'indexed', 'skipped', 'failed']);
export type NoteStatus = z.infer<typeof NoteStatus>;

/** Why a note was skipped, failed, or was indexed with a warning. */
export const NoteReason = z.enum([
  'too-large',
  'conflict-copy',
  /** A copy of the note that Souvenir writes. */
  'facts-note',
  'not-text',
  'symlink',
  'special-file',
  'unreadable',
  /** The row stands for a folder. */
  'folder-unreadable',
  /** A file or folder whose name is not UTF-8; the path shows such bytes as `\xE9`. */
  'name-invalid',
  'parse-timeout',
  'parse-memory',
  'parse-failed',
  'front-matter-invalid',
  'front-matter-too-large',
]);
export type NoteReason = z.infer<typeof NoteReason>;

export const NoteRow = z.object({
  id: NoteId,
  vaultId: VaultId,
  vaultName: z.string(),
  path: z.string(),
  title: z.string(),
  status: NoteStatus,
  reason: NoteReason.nullable(),
  /** The parser's or file system's error; never the note's text. */
  detail: z.string().nullable(),
  chunks: z.number().int(),
  bytes: z.number().int(),
  modifiedAt: Timestamp,
  indexedAt: Timestamp.nullable(),
});
export type NoteRow = z.infer<typeof NoteRow>;

export const Passage = z.object({
  id: ChunkId,
  heading: z.array(z.string()),
  startLine: z.number().int(),
  endLine: z.number().int(),
  markdown: z.string(),
  tokens: z.number().int(),
});
export type Passage = z.infer<typeof Passage>;

export const NoteLink = z.object({
  target: z.string(),
  kind: z.enum(['wikilink', 'embed', 'markdown']),
  note: z.object({ id: NoteId, title: z.string(), path: z.string() }).nullable(),
  line: z.number().int(),
});
export type NoteLink = z.infer<typeof NoteLink>;

export const NoteDetail = z.object({
  note: NoteRow,
  tags: z.array(z.string()),
  aliases: z.array(z.string()),
  obsidianUrl: z.string(),
  passages: z.array(Passage),
  links: z.array(NoteLink),
  backlinks: z.array(z.object({ id: NoteId, title: z.string(), path: z.string(), line: z.number().int() })),
  usedIn: z.array(z.object({ conversationId: ConversationId, title: z.string(), at: Timestamp })),
});
export type NoteDetail = z.infer<typeof NoteDetail>;

/** Notes that are candidates for every question. */
export const ContextNotes = z.object({
  /** The entries of the setting `pinnedNotes`, each with its note; null if no note has that path. */
  pinned: z.array(z.object({ entry: z.string(), note: NoteRow.nullable() })),
  /** Notes with the tag of the setting `contextTag`, most recently changed first, 200 at most. */
  tagged: z.array(NoteRow),
});
export type ContextNotes = z.infer<typeof ContextNotes>;

/** `problems` are notes that failed, were skipped, or were indexed with a warning. */
export const NoteFilter = z.enum(['all', 'indexed', 'pending', 'problems']);
export type NoteFilter = z.infer<typeof NoteFilter>;

export const notes = {
  list: base
    .input(
      z.object({
        vaultId: VaultId.optional(),
        filter: NoteFilter.default('all'),
        /** Text of the path or the title, or words of a title or an alias; the last may be the beginning of one. */
        query: z.string().max(500).default(''),
        /** Those whose names are most like the query come first. */
        bestFirst: z.boolean().default(false),
        offset: z.number().int().min(0).default(0),
        limit: z.number().int().min(1).max(500).default(200),
      }),
    )
    .output(
      z.object({
        notes: z.array(NoteRow),
        /** How many notes match, before `limit` applies. */
        matching: z.number().int(),
        counts: z.object({
          all: z.number().int(),
          indexed: z.number().int(),
          pending: z.number().int(),
          problems: z.number().int(),
        }),
      }),
    ),
  get: base.input(z.object({ id: NoteId })).output(NoteDetail),
  /** For each note, a text that changes when its content, path or vault changes; null if the note no longer exists. */
  stamps: base
    .input(z.object({ ids: z.array(NoteId).min(1).max(2_000) }))
    .output(z.object({ stamps: z.array(z.object({ id: NoteId, stamp: z.string().nullable() })) })),
  context: base.output(ContextNotes),
  retry: base.input(z.object({ ids: z.array(NoteId).min(1).max(1000) })),
};
