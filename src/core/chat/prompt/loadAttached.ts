import type { Source } from '../../../shared/contract/prompt.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { AttachmentRecord, AttachmentStore } from '../../storage/attachments.ts';
import type { NoteStore } from '../../storage/notes/noteStore.ts';
import { sha256 } from '../../support/ids.ts';
import { toPlainText } from '../../support/text/plainText.ts';
import { countTerms, termStream } from '../../support/text/tokenise.ts';
import type { AttachedFile, AttachedSection } from './attached.ts';

interface Stores {
  attachments: AttachmentStore;
  notes: NoteStore;
}

/** What is attached to a turn, as it is now: a note is that of the vault. What may not be sent to the model is left out. */
export function loadAttached(
  turnId: TurnId,
  stores: Stores,
  { maySend, now }: { maySend: ReadonlySet<Source>; now: number },
): AttachedFile[] {
  return stores.attachments.ofTurns([turnId]).flatMap((attachment): AttachedFile[] => {
    if (attachment.kind === 'note' && !maySend.has('notes')) return [];
    const sections =
      attachment.kind === 'note' ? ofNote(attachment, stores) : ofFile(attachment, stores, now);
    return sections.length === 0 ? [] : [{ ordinal: attachment.ordinal, sections }];
  });
}

function ofNote({ noteId }: AttachmentRecord, { notes }: Stores): AttachedSection[] {
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

function ofFile(
  { id: fileId, name }: AttachmentRecord,
  { attachments }: Stores,
  now: number,
): AttachedSection[] {
  return attachments.sections([fileId]).map(({ id, heading, text, titleTerms, bodyTerms, termCount }) => {
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
