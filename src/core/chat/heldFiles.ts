import type { AttachmentId, SectionId } from '../../shared/ids.ts';
import {
  type AttachmentRecord,
  type HeldSection,
  type NewAttachment,
  termsOfSection,
} from '../storage/attachments.ts';
import { newId } from '../support/ids.ts';

/** What is attached to a message and is in memory alone. */
export interface HeldFile extends Omit<AttachmentRecord, 'turnId'> {
  /** Of a file; a note is read in its vault. */
  parts: HeldSection[];
}

/**
 * What is ready to be attached, as prompts read it.
 * @param after the place of the last one that is attached to the message already
 */
export function heldFiles(attachments: readonly NewAttachment[], after = 0): HeldFile[] {
  return attachments.map(({ id = newId('file') as AttachmentId, parts, ...file }, place) => ({
    ...file,
    id,
    ordinal: after + place + 1,
    parts: parts.map(({ id: sectionId = newId('section') as SectionId, heading, text }) => ({
      id: sectionId,
      heading: [...heading],
      text,
      ...termsOfSection(file, { heading, text }),
    })),
  }));
}
