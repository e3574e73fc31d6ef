import { oc, type } from '@orpc/contract';
import type { AttachmentKind } from '../../shared/contract/attachments.ts';
import type { NewSection } from '../storage/attachments.ts';

export interface FileBytes {
  name: string;
  bytes: Uint8Array;
}

/** The text of a file, in the parts in which it is given and found. */
export interface FileText {
  kind: Exclude<AttachmentKind, 'note'>;
  /** Of a PDF. */
  pages: number | null;
  sections: NewSection[];
}

/** Why a file has no text here. */
export type FileProblem =
  | 'ATTACHMENT_KIND'
  | 'ATTACHMENT_TOO_LONG'
  | 'ATTACHMENT_NO_TEXT'
  | 'ATTACHMENT_LOCKED'
  | 'ATTACHMENT_DAMAGED';

/** Errors do not cross threads. */
export type FileReply = { text: FileText } | { problem: FileProblem };

/** The procedure of the thread that reads a file. Both ends run in this process, so that nothing is checked. */
export const attachmentContract = { read: oc.input(type<FileBytes>()).output(type<FileReply>()) };
