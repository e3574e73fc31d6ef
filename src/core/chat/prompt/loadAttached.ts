import type { Source } from '../../../shared/contract/prompt.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { AttachmentRecord, AttachmentStore, HeldSection } from '../../storage/attachments.ts';
import type { NoteStore } from '../../storage/notes/noteStore.ts';
import { sha256 } from '../../support/ids.ts';
import { toPlainText } from '../../support/text/plainText.ts';
import { countTerms, termStream } from '../../support/text/tokenise.ts';
import type { AttachedFile, AttachedSection } from './attached.ts';

/** A file as it is attached, with the sections that it is read in. */
export type ReadFile = Pick<AttachmentRecord, 'ordinal' | 'kind' | 'name' | 'noteId'>;

interface AttachedOptions {
  maySend: ReadonlySet<Source>;
  now: number;
}

/** What is attached to a turn, as it is now: a note is that of the vault. What may not be sent to the model is left out. */
export function loadAttached(
  turnId: TurnId,
  { attachments, notes }: { attachments: AttachmentStore; notes: NoteStore },
  options: AttachedOptions,
): AttachedFile[] {
  const sectionsOf = ({ id }: AttachmentRecord) => attachments.sections([id]);
  return readAttached(attachments.ofTurns([turnId]), { notes, sectionsOf }, options);
}

/** The same of files, wherever their sections are. */
export function readAttached<File extends ReadFile>(
  files: readonly File[],
  { notes, sectionsOf }: { notes: NoteStore; sectionsOf(file: File): readonly HeldSection[] },
  { maySend, now }: AttachedOptions,
): AttachedFile[] {
  return files.flatMap((file): AttachedFile[] => {
    if (file.kind === 'note' && !maySend.has('notes')) return [];
    const sections = file.kind === 'note' ? ofNote(file, notes) : ofFile(file, sectionsOf(file), now);
    return sections.length === 0 ? [] : [{ ordinal: file.ordinal, sections }];
  });
}

function ofNote({ noteId }: ReadFile, notes: NoteStore): AttachedSection[] {
  const note = noteId && notes.row(noteId);
  if (!note) return [];
  const { title, path, modifiedAt } = note;
  return notes.chunks
    .ofNote(noteId)
    .filter(({ markdown }) => markdown.trim() !== '')
    .map(({ id, heading, markdown }) => {
      const item = { kind: 'note' as const, id, title, heading, origin: path, place: null, at: modifiedAt };
      const text = toPlainText(markdown);
      const body = termStream(text);
      return {
        item: { ...item, ...whole(text) },
        fields: { title: termStream([title, ...heading].join('\n')), body },
        termCount: countTerms(body),
      };
    });
}

function ofFile({ name }: ReadFile, sections: readonly HeldSection[], now: number): AttachedSection[] {
  return sections.map(({ id, heading, text, titleTerms, bodyTerms, termCount }) => {
    const item = { kind: 'attachment' as const, id, title: name, heading, origin: '', place: null, at: now };
    return {
      item: { ...item, ...whole(text) },
      fields: { title: titleTerms, body: bodyTerms },
      termCount,
    };
  });
}

const whole = (text: string) => ({
  excerpt: text,
  span: { start: 0, end: text.length },
  textKey: sha256(text),
});
