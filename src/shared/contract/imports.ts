import { z } from 'zod';
import { base, Timestamp } from './base.ts';
import { ImportReport } from './chat.ts';

export const ImportId = z.string().min(1).max(100).brand('ImportId');
export type ImportId = z.infer<typeof ImportId>;

/** What wrote a history. `souvenir` is our own format of conversations. */
export const ImportSource = z.enum(['chatgpt', 'claude', 'markdown', 'souvenir']);
export type ImportSource = z.infer<typeof ImportSource>;

/**
 * What of a history cannot be imported as it is. Left out: `not-json`, `not-a-conversation`, `too-large` and `empty` conversations,
 * what follows where a file is `cut-off`, `unreadable-message`s, and `not-text` parts such as pictures. Imported, but changed: `duplicate-id`, messages that share an
 * id, once each if they differ; `missing-parent` and `cycle`, parts of a conversation
 * that hang together no longer and are put in the order of their dates; `bad-date`, a date that is missing or impossible and is that of
 * what stands before; `bad-text`, halves of characters that are replaced; `shortened`, a message of which the beginning is kept.
 */
export const ImportProblem = z.enum([
  'not-json',
  'cut-off',
  'not-a-conversation',
  'too-large',
  'empty',
  'unreadable-message',
  'duplicate-id',
  'missing-parent',
  'cycle',
  'bad-date',
  'bad-text',
  'shortened',
  'not-text',
]);
export type ImportProblem = z.infer<typeof ImportProblem>;

const problems = z.array(
  z.object({
    problem: ImportProblem,
    /** How often it occurs. */
    count: z.number().int(),
  }),
);

/** What an import has brought so far. */
export const ImportCounts = ImportReport.extend({
  /** Facts that wait for the user's word, if the user asked for facts. */
  facts: z.number().int(),
});
export type ImportCounts = z.infer<typeof ImportCounts>;

export const ImportPreview = z.object({
  /** How many conversations each program wrote. */
  sources: z.array(z.object({ source: ImportSource, conversations: z.number().int() })),
  conversations: z.number().int(),
  messages: z.number().int(),
  /** How many of them were not shown last: former versions of messages and replies, and what was said after these. */
  onOtherBranches: z.number().int(),
  /** Messages that are stored already. */
  known: z.number().int(),
  /** Conversations that were deleted and would come back. */
  deleted: z.number().int(),
  /** Turns that were forgotten and stay away. */
  forgotten: z.number().int(),
  /** Dates of the first and the last message; null if there is none. */
  period: z.object({ from: Timestamp, to: Timestamp }).nullable(),
  problems: z.array(
    problems.element.extend({
      /** Titles of some conversations in which it occurs. */
      examples: z.array(z.string()),
    }),
  ),
});
export type ImportPreview = z.infer<typeof ImportPreview>;

export const ImportProgress = z.object({
  id: ImportId,
  /** Names of its files. */
  names: z.array(z.string()),
  channel: z.string().nullable(),
  learn: z.boolean(),
  /** `cancelled`: what was imported before stays. */
  state: z.enum(['running', 'done', 'cancelled']),
  bytes: z.object({ done: z.number(), total: z.number() }),
  counts: ImportCounts,
  problems,
  /** Error code of the last attempt, if it failed; it is tried again. */
  failure: z.string().nullable(),
  startedAt: Timestamp,
});
export type ImportProgress = z.infer<typeof ImportProgress>;

/** Files of one import: as many as a folder of transcripts may hold. */
export const MOST_IMPORT_FILES = 10_000;
/** UTF-16 code units sent in one call. */
export const IMPORT_PIECE = 1 << 20;

const byId = z.object({ id: ImportId });

export const imports = {
  /** Announces files to import. Their text follows with `append`; nothing is imported before `start`. */
  begin: base
    .input(
      z.object({
        files: z
          .array(
            z.object({
              name: z.string().min(1).max(1_000),
              /** Date of messages that have none, in milliseconds since 1970. */
              modifiedAt: z.number(),
            }),
          )
          .min(1)
          .max(MOST_IMPORT_FILES),
      }),
    )
    .output(byId),
  /** Adds to the text of a file, by its place in the list; `from` is how many UTF-16 code units of it were sent before. */
  append: base.input(
    byId.extend({
      file: z.number().int().min(0),
      from: z.number().int().min(0),
      text: z.string().max(IMPORT_PIECE),
    }),
  ),
  /** Reads the files and says what an import would bring. */
  preview: base.input(byId).output(ImportPreview),
  /**
   * Imports in the background, in portions; a crash or the end of the program interrupts it until the next start. Without `channel`
   * conversations keep that of their file, or get `import`. With `learn`, facts that the user states plainly wait for their word.
   */
  start: base.input(
    byId.extend({ channel: z.string().trim().min(1).max(100).optional(), learn: z.boolean().default(false) }),
  ),
  /** Ends an import and removes its files; what is imported stays. One that has ended is no longer listed. */
  cancel: base.input(byId),
  /** Imports that were started, the latest first. */
  list: base.output(z.object({ imports: z.array(ImportProgress) })),
};
