import { oc, type } from '@orpc/contract';
import type { NoteReason } from '../../shared/contract/notes.ts';
import type { ChunkedNote } from './chunkNote.ts';

export interface ParseRequest {
  noteId: string;
  path: string;
  content: string;
}

/** Beside a note, `problem` is a warning; without one, it says why the note could not be parsed. */
export type ParseReply =
  | { note: ChunkedNote; problem: { reason: NoteReason; detail: string } | null }
  | { note: null; problem: { reason: NoteReason; detail: string } };

/** The procedure of the parse worker. Inputs and outputs are typed without checks, because both ends run in this process. */
export const parseContract = { parse: oc.input(type<ParseRequest>()).output(type<ParseReply>()) };
