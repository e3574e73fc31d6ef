import { oc, type } from '@orpc/contract';
import type { NoteReason } from '../../shared/contract/notes.ts';
import type { ChunkedNote } from './chunkNote.ts';

export interface ParseRequest {
  noteId: string;
  path: string;
  content: string;
}

/** `problem` beside a note is a warning; without a note, the reason why there is none. */
export type ParseReply =
  | { note: ChunkedNote; problem: { reason: NoteReason; detail: string } | null }
  | { note: null; problem: { reason: NoteReason; detail: string } };

/** What the indexer asks of its worker thread. Both ends are ours and in one process: types, without checks. */
export const parseContract = { parse: oc.input(type<ParseRequest>()).output(type<ParseReply>()) };
