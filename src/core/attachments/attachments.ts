import type { ReadyAttachment } from '../../shared/contract/attachments.ts';
import { AppError } from '../../shared/errors.ts';
import type { AttachmentId, NoteId } from '../../shared/ids.ts';
import type { NewAttachment } from '../storage/attachments.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import { newId, sha256 } from '../support/ids.ts';
import type { FileBytes } from './attachmentContract.ts';
import type { AttachmentReader } from './attachmentReader.ts';

export interface AttachmentsPorts {
  reader: Pick<AttachmentReader, 'read'>;
  notes: NoteStore;
}

/** What is kept ready at a time, in all windows: what is older is dropped. */
const MOST_READY = 100;
/** Of the texts of all of it, in UTF-16 units: some 40 MB. */
const MOST_TEXT = 20_000_000;

/** What was chosen to be sent and is not sent yet. It is kept in memory alone: nothing is stored before the message is. */
export class Attachments {
  readonly #ports: AttachmentsPorts;
  readonly #ready = new Map<string, NewAttachment>();

  constructor(ports: AttachmentsPorts) {
    this.#ports = ports;
  }

  /** @throws AppError: a code that begins with ATTACHMENT; the signal's reason */
  async read(file: FileBytes, signal?: AbortSignal): Promise<ReadyAttachment> {
    const { bytes } = file;
    const [length, hash] = [bytes.length, sha256(bytes)];
    const { kind, pages, sections } = await this.#ports.reader.read(file, signal);
    return this.#keep({
      kind,
      name: file.name,
      bytes: length,
      pages,
      hash,
      noteId: null,
      sections: sections.length,
      parts: sections,
    });
  }

  /** @throws AppError NOT_FOUND, ATTACHMENT_NO_TEXT */
  note(noteId: NoteId): ReadyAttachment {
    const { notes } = this.#ports;
    const note = notes.row(noteId);
    if (!note) throw new AppError('NOT_FOUND', { what: 'note' });
    const chunks = notes.chunks.ofNote(noteId).filter(({ markdown }) => markdown.trim() !== '');
    if (chunks.length === 0) throw new AppError('ATTACHMENT_NO_TEXT', { name: note.title });
    const text = chunks.map(({ markdown }) => markdown).join('\n\n');
    return this.#keep({
      kind: 'note',
      name: note.title,
      bytes: Buffer.byteLength(text),
      pages: null,
      hash: sha256(text),
      noteId,
      sections: chunks.length,
      parts: [],
    });
  }

  /** What is ready under these ids; those that are not are left out. */
  ready(ids: readonly string[]): Map<string, NewAttachment> {
    return new Map(
      ids.flatMap((id) => {
        const found = this.#ready.get(id);
        return found ? [[id, found] as const] : [];
      }),
    );
  }

  drop(ids: readonly string[]): void {
    for (const id of ids) this.#ready.delete(id);
  }

  #keep(attachment: NewAttachment): ReadyAttachment {
    const id = newId('file') as AttachmentId;
    this.#ready.set(id, attachment);
    let text = [...this.#ready.values()].reduce((sum, one) => sum + lengthOf(one), 0);
    for (const [other, one] of this.#ready) {
      if (other === id || (this.#ready.size <= MOST_READY && text <= MOST_TEXT)) break;
      this.#ready.delete(other);
      text -= lengthOf(one);
    }
    const { parts: _parts, hash: _hash, ...shown } = attachment;
    return { id, ...shown };
  }
}

const lengthOf = ({ parts }: NewAttachment): number => parts.reduce((sum, { text }) => sum + text.length, 0);
