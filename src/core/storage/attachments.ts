import type { Attachment, AttachmentKind } from '../../shared/contract/attachments.ts';
import type { AttachmentId, ConversationId, NoteId, SectionId, TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import { newId, sha256 } from '../support/ids.ts';
import { toPlainText } from '../support/text/plainText.ts';
import { countTerms, termStream } from '../support/text/tokenise.ts';
import type { Db } from './database.ts';

/** A part of a file's text. */
export interface NewSection {
  /** That it is known by already; it is given one, if left out. */
  id?: SectionId;
  /** Headings above it; of a PDF, its page. */
  heading: readonly string[];
  text: string;
}

/** What is to be attached. A note has no sections of its own: they are in its vault. */
export interface NewAttachment {
  /** As of a section. */
  id?: AttachmentId;
  kind: AttachmentKind;
  name: string;
  bytes: number;
  pages: number | null;
  /** SHA-256 of the file's bytes, or of the note's text. */
  hash: string;
  noteId: NoteId | null;
  /** How many there are; of a file, the length of `parts`. */
  sections: number;
  parts: readonly NewSection[];
}

/** What is attached to a turn. */
export interface AttachmentRecord extends Omit<NewAttachment, 'id' | 'parts'> {
  id: AttachmentId;
  turnId: TurnId;
  /** In its turn, from 1. */
  ordinal: number;
}

/** A section of a file that is attached to a turn. */
export interface SectionRecord {
  id: SectionId;
  attachmentId: AttachmentId;
  heading: string[];
  text: string;
  /** The terms by which it is found. */
  titleTerms: string;
  bodyTerms: string;
  termCount: number;
}

/** The same, wherever it is. */
export type HeldSection = Omit<SectionRecord, 'attachmentId'>;

export interface PlacedSection {
  /** The file's. */
  name: string;
  kind: AttachmentKind;
  text: string;
  /** Null: it is in no stored conversation. */
  conversationId: ConversationId | null;
  /** When it was attached, milliseconds since 1970. */
  createdAt: number;
}

interface AttachmentColumns {
  id: string;
  turn_id: string;
  ordinal: number;
  kind: AttachmentKind;
  name: string;
  bytes: number;
  pages: number | null;
  hash: string;
  sections: number;
  note_id: string | null;
}

const toRecord = (row: AttachmentColumns): AttachmentRecord => ({
  id: row.id as AttachmentId,
  turnId: row.turn_id as TurnId,
  ordinal: row.ordinal,
  kind: row.kind,
  name: row.name,
  bytes: row.bytes,
  pages: row.pages,
  hash: row.hash,
  sections: row.sections,
  noteId: row.note_id as NoteId | null,
});

/** What was attached to turns. */
export class AttachmentStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Adds to what is attached to a turn. In the caller's transaction. */
  add(turnId: TurnId, attachments: readonly NewAttachment[]): void {
    let ordinal =
      this.#db.get<{ n: number }>(
        'SELECT coalesce(max(ordinal), 0) AS n FROM attachments WHERE turn_id = ?',
        turnId,
      )?.n ?? 0;
    for (const { parts, id = newId('file'), ...one } of attachments) {
      ordinal += 1;
      this.#db.run(
        `INSERT INTO attachments (id, turn_id, ordinal, kind, name, bytes, pages, hash, sections, note_id)
         VALUES (@id, @turnId, @ordinal, @kind, @name, @bytes, @pages, @hash, @sections, @noteId)`,
        { id, turnId, ordinal, ...one },
      );
      for (const [place, { id: sectionId = newId('section'), heading, text }] of parts.entries()) {
        this.#db.run(
          'INSERT INTO attachment_sections (id, attachment_id, ordinal, heading, text) VALUES (?, ?, ?, ?, ?)',
          sectionId,
          id,
          place + 1,
          JSON.stringify(heading),
          text,
        );
        writeSectionTerms(this.#db, sectionId);
      }
    }
  }

  /** What is attached to some turns, in order. */
  ofTurns(ids: readonly TurnId[]): AttachmentRecord[] {
    return this.#db
      .all<AttachmentColumns>(
        `SELECT * FROM attachments WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY turn_id, ordinal`,
        JSON.stringify(ids),
      )
      .map(toRecord);
  }

  /** The same as it is shown, with how much of it the shown reply was given. */
  shownOf(ids: readonly TurnId[]): ReadonlyMap<TurnId, Attachment[]> {
    const records = this.ofTurns(ids);
    if (records.length === 0) return new Map();
    const given = new Map(
      this.#db
        .all<{ key: string; n: number }>(
          `SELECT i.turn_id || ' ' || i.attached AS key, count(*) AS n FROM context_items i
           JOIN turns t ON t.id = i.turn_id AND t.active_version = i.version
           WHERE i.attached > 0 AND i.turn_id IN (SELECT value FROM json_each(?)) GROUP BY 1`,
          JSON.stringify(ids),
        )
        .map(({ key, n }) => [key, n]),
    );
    const read = new Set(
      this.#db
        .all<{ id: string }>(
          `SELECT t.id FROM turns t JOIN prompts p ON p.turn_id = t.id AND p.version = t.active_version
           WHERE t.id IN (SELECT value FROM json_each(?))`,
          JSON.stringify(ids),
        )
        .map(({ id }) => id),
    );
    const shown = records.map(({ hash: _hash, turnId, ordinal, ...one }) => ({
      turnId,
      attachment: { ...one, given: read.has(turnId) ? (given.get(`${turnId} ${ordinal}`) ?? 0) : null },
    }));
    return new Map(
      [...Map.groupBy(shown, ({ turnId }) => turnId)].map(([id, some]) => [
        id,
        some.map(({ attachment }) => attachment),
      ]),
    );
  }

  /** What is attached to a turn, to be attached to another as it is; only what `ids` names. */
  copiesOf(turnId: TurnId, ids: ReadonlySet<string>): Map<string, NewAttachment> {
    const wanted = this.ofTurns([turnId]).filter(({ id }) => ids.has(id));
    return new Map(
      wanted.map(({ turnId: _turn, ordinal: _ordinal, id, ...one }) => [
        id,
        { ...one, parts: this.sections([id]).map(({ heading, text }) => ({ heading, text })) },
      ]),
    );
  }

  /** Sections of some files, in order. */
  sections(ids: readonly AttachmentId[]): SectionRecord[] {
    return this.#db
      .all<Omit<SectionRecord, 'heading'> & { heading: string }>(
        `SELECT s.id, s.attachment_id AS attachmentId, s.heading, s.text, s.title_terms AS titleTerms,
           s.body_terms AS bodyTerms, s.term_count AS termCount
         FROM json_each(?) j JOIN attachment_sections s ON s.attachment_id = j.value ORDER BY j.key, s.ordinal`,
        JSON.stringify(ids),
      )
      .map(({ heading, ...row }) => ({ ...row, heading: parseTexts(heading) }));
  }

  /** A section in use, with where it was attached. */
  placed(id: string): PlacedSection | undefined {
    return this.#db.get<PlacedSection>(
      `SELECT a.name, a.kind, s.text, t.conversation_id AS conversationId, t.created_at AS createdAt
       FROM attachment_sections s JOIN attachments a ON a.id = s.attachment_id
       JOIN turns t ON t.id = a.turn_id JOIN conversations v ON v.id = t.conversation_id
       WHERE s.id = ? AND t.active = 1 AND v.removed_at IS NULL`,
      id,
    );
  }
}

/** The terms by which a section of a file is found. */
export function termsOfSection(
  { name, kind }: Pick<NewAttachment, 'name' | 'kind'>,
  { heading, text }: NewSection,
): Pick<SectionRecord, 'titleTerms' | 'bodyTerms' | 'termCount'> {
  // The page of a PDF is no word of it.
  const headings = kind === 'markdown' ? heading : [];
  const titleTerms = termStream([name, ...headings].join('\n'));
  const bodyTerms = termStream(kind === 'markdown' ? toPlainText(text) : text);
  return { titleTerms, bodyTerms, termCount: countTerms(titleTerms) + countTerms(bodyTerms) };
}

/** Terms and full text of every section of a file. In the caller's transaction. */
export function writeAttachmentTerms(db: Db, id: string): void {
  const rows = db.all<{ id: string }>('SELECT id FROM attachment_sections WHERE attachment_id = ?', id);
  for (const section of rows) writeSectionTerms(db, section.id);
}

/** Terms and full text of a section, from its words. In the caller's transaction. */
export function writeSectionTerms(db: Db, id: string): void {
  const row = db.get<{ rowid: number; heading: string; text: string; name: string; kind: AttachmentKind }>(
    `SELECT s.rowid, s.heading, s.text, a.name, a.kind FROM attachment_sections s JOIN attachments a ON a.id = s.attachment_id
     WHERE s.id = ?`,
    id,
  );
  if (!row) return;
  const { rowid, text } = row;
  const { titleTerms, bodyTerms, termCount } = termsOfSection(row, {
    heading: parseTexts(row.heading),
    text,
  });
  db.run(
    'UPDATE attachment_sections SET title_terms = ?, body_terms = ?, term_count = ?, text_hash = ? WHERE id = ?',
    titleTerms,
    bodyTerms,
    termCount,
    sha256(text),
    id,
  );
  db.run('DELETE FROM attachment_fts WHERE rowid = ?', rowid);
  db.run('INSERT INTO attachment_fts (rowid, title, body) VALUES (?, ?, ?)', rowid, titleTerms, bodyTerms);
}
