import { MOST_FILE_TEXT } from '../../shared/contract/attachments.ts';
import type { NewSection } from '../storage/attachments.ts';
import { chunkNote } from '../vaults/chunkNote.ts';
import { type ParsedNote, parseNote, type Section } from '../vaults/obsidian/parseNote.ts';
import type { FileBytes, FileText } from './attachmentContract.ts';
import { FileRefused } from './fileRefused.ts';

/** Readers of PDFs look for it at the beginning, and most allow for something before it. */
const PDF_MARK = /^[\s\S]{0,1000}?%PDF-/;
const MARKDOWN = /\.(md|markdown|mdown|mkd)$/i;
/** A line of a paragraph, of a list or of a table stays with those beside it. */
const BETWEEN_PARAGRAPHS = /\n(?:[ \t]*\n)+/;

/**
 * The text of a file, cut into sections as notes are: Markdown at its headings, a PDF at its pages, and what is long at its paragraphs.
 * @throws FileRefused
 */
export async function readFileText({ name, bytes }: FileBytes): Promise<FileText> {
  if (isPdf(bytes)) {
    const { pagesOf } = await import('./pdfText.ts');
    const pages = await pagesOf(bytes);
    const sections = pages.map((text, place) => paragraphs(text, [`p. ${place + 1}`]));
    return { kind: 'pdf', pages: pages.length, sections: cut(name, sections) };
  }
  const text = decode(bytes);
  if (text.length > MOST_FILE_TEXT) throw new FileRefused('ATTACHMENT_TOO_LONG');
  if (MARKDOWN.test(name)) return { kind: 'markdown', pages: null, sections: cutMarkdown(name, text) };
  return { kind: 'text', pages: null, sections: cut(name, [paragraphs(text, [])]) };
}

function isPdf(bytes: Uint8Array): boolean {
  return PDF_MARK.test(
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1_100)).toString('latin1'),
  );
}

/** @throws FileRefused for what is no text */
function decode(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) return new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  if (bytes.includes(0)) throw new FileRefused('ATTACHMENT_KIND');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // What is no UTF-8 and holds no zero was written by an older program, in Western Europe most often.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function cutMarkdown(name: string, text: string): NewSection[] {
  const note = parseNote(name, text);
  const sections = chunked(name, note);
  // Properties are no part of a note's text, and all that some files have.
  return sections.length > 0 ? sections : cut(name, [paragraphs(text, [])]);
}

/** @throws FileRefused if there is no text */
function cut(name: string, sections: readonly Section[]): NewSection[] {
  const parts = chunked(name, {
    title: name,
    tags: [],
    aliases: [],
    properties: [],
    links: [],
    problem: null,
    sections: sections.filter(({ blocks }) => blocks.length > 0),
  });
  if (parts.length === 0) throw new FileRefused('ATTACHMENT_NO_TEXT');
  return parts;
}

const chunked = (name: string, note: ParsedNote): NewSection[] =>
  chunkNote('file', name, note)
    .chunks.filter(({ markdown }) => markdown.trim() !== '')
    .map(({ heading, markdown }) => ({ heading, text: markdown }));

/** A text as a section, of which each paragraph is a block. */
function paragraphs(text: string, heading: string[]): Section {
  const blocks: Section['blocks'] = [];
  let line = 1;
  for (const part of text.replace(/\r\n?/g, '\n').split(BETWEEN_PARAGRAPHS)) {
    const lines = part.split('\n').length;
    const trimmed = part.replace(/^\n+|\s+$/g, '');
    if (trimmed !== '') blocks.push({ startLine: line, endLine: line + lines - 1, text: trimmed, cuts: [] });
    line += lines + 1;
  }
  return { heading, headingLine: '', startLine: 1, blocks };
}
