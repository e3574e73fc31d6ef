import { z } from 'zod';
import { AttachmentId, ConversationId, NoteId } from '../ids.ts';
import { base } from './base.ts';

/** What can be attached to a message: a note of a vault, or a file, of which the text is kept. */
export const AttachmentKind = z.enum(['note', 'markdown', 'text', 'pdf']);
export type AttachmentKind = z.infer<typeof AttachmentKind>;

/** Of one message. */
export const MOST_ATTACHMENTS = 10;
/** Bytes of a file: a scanned book has some 15 MB. */
export const MOST_FILE_BYTES = 20_000_000;
/** UTF-16 code units of a file's text: three long novels. */
export const MOST_FILE_TEXT = 2_000_000;
/** Pages of a PDF. */
export const MOST_PAGES = 2_000;

const shape = {
  id: AttachmentId,
  kind: AttachmentKind,
  /** The file's name, or the note's title. */
  name: z.string(),
  /** Of the file, or of the note's text. */
  bytes: z.number().int(),
  /** Of a PDF. */
  pages: z.number().int().nullable(),
  /** Parts in which it is read. */
  sections: z.number().int(),
  noteId: NoteId.nullable(),
};

/** What is ready to be sent with a message. */
export const ReadyAttachment = z.object(shape);
export type ReadyAttachment = z.infer<typeof ReadyAttachment>;

export const Attachment = z.object({
  ...shape,
  /** How many of its sections the shown reply was given; null if no model has read it. */
  given: z.number().int().nullable(),
});
export type Attachment = z.infer<typeof Attachment>;

export const attachments = {
  /**
   * Reads the text of a file, to be sent with a message. Nothing is stored before it is sent; what is not sent is dropped after a
   * while, and when Souvenir closes.
   */
  read: base
    .input(
      z.object({
        name: z.string().trim().min(1).max(255),
        /** The file's bytes in base64. */
        data: z.string().max(Math.ceil(MOST_FILE_BYTES / 3) * 4),
      }),
    )
    .output(ReadyAttachment),
  /** Takes a note of a vault, to be sent with a message. Its text stays in the vault. */
  note: base.input(z.object({ noteId: NoteId })).output(ReadyAttachment),
  /**
   * How many sections of each the model would be given, were the message sent now: those that fit beside it, as it stands. Null if it
   * is not known before: Passages reads no prompt, or the model's server does not answer.
   */
  fit: base
    .input(
      z.object({
        ids: z.array(AttachmentId).min(1).max(MOST_ATTACHMENTS),
        text: z.string().max(100_000),
        conversationId: ConversationId.optional(),
      }),
    )
    .output(z.object({ given: z.array(z.object({ id: AttachmentId, given: z.number().int().nullable() })) })),
  /** Drops what is not to be sent after all. */
  drop: base.input(z.object({ id: AttachmentId })),
};
