import type { ChunkId } from '../../shared/ids.ts';
import type { NewChunk } from '../storage/notes/chunks.ts';
import type { NewLink } from '../storage/notes/links.ts';
import { derivedId, sha256 } from '../support/ids.ts';
import { baseName } from '../support/paths.ts';
import { toPlainText } from '../support/text/plainText.ts';
import { termStream } from '../support/text/tokenise.ts';
import { estimateTokens } from '../support/text/tokens.ts';
import type { Block, ParsedNote, Section } from './obsidian/parseNote.ts';

/** Blocks of one section are joined up to this length, so that a chunk stays about one thing. */
const TARGET_CHARACTERS = 1_200;
/** No chunk is longer: about 460 tokens, fewer than the 512 that common embedding models read. */
export const MAX_CHARACTERS = 1_600;

/** A note cut into chunks, with the terms of every field for the full text. */
export interface ChunkedNote {
  title: string;
  tags: string[];
  aliases: string[];
  titleTerms: string;
  aliasTerms: string;
  tagTerms: string;
  chunks: NewChunk[];
  links: NewLink[];
}

interface Piece {
  heading: string[];
  markdown: string;
  startLine: number;
  endLine: number;
}

/**
 * Cuts a note at its headings, and long sections at their blocks. The id of a chunk derives from the note's id, the headings and the
 * text, so that an unchanged chunk keeps its id wherever it moves in the note. Every note has at least one chunk, so that a note that
 * is only a title is found by it.
 */
export function chunkNote(noteId: string, path: string, note: ParsedNote): ChunkedNote {
  const pieces = note.sections.flatMap((section, index) => cutSection(section, note.sections[index + 1]));
  if (pieces.length === 0) pieces.push({ heading: [], markdown: '', startLine: 1, endLine: 1 });
  const seen = new Map<string, number>();
  return {
    title: note.title,
    tags: note.tags,
    aliases: note.aliases,
    titleTerms: titleTerms(path, note.title),
    aliasTerms: termStream(note.aliases.join('\n')),
    tagTerms: termStream([...note.tags, ...note.properties].join('\n')),
    chunks: pieces.map((piece) => {
      const heading = piece.heading.join('\n');
      const key = `${heading}\0${piece.markdown}`;
      const occurrence = seen.get(key) ?? 0;
      seen.set(key, occurrence + 1);
      const textHash = sha256(piece.markdown);
      return {
        id: derivedId('chunk', noteId, heading, textHash, String(occurrence)) as ChunkId,
        heading: piece.heading,
        markdown: piece.markdown,
        textHash,
        startLine: piece.startLine,
        endLine: piece.endLine,
        tokens: estimateTokens(piece.markdown),
        headingTerms: termStream(ownHeadings(piece.heading, note.title)),
        bodyTerms: termStream(toPlainText(piece.markdown)),
      };
    }),
    links: note.links.map(({ kind, target, targetKey, heading, display, line }) => ({
      kind,
      target,
      targetKey,
      heading,
      display,
      line,
    })),
  };
}

/** The headings to search by, without the first one if it is the title, which has a field of its own. */
function ownHeadings(heading: readonly string[], title: string): string {
  return (heading[0] === title ? heading.slice(1) : heading).join('\n');
}

/** The terms of a note's title, and of its file name if that differs. */
export function titleTerms(path: string, title: string): string {
  const name = baseName(path);
  return termStream(
    name.normalize('NFC').toLowerCase() === title.toLowerCase() ? title : `${title}\n${name}`,
  );
}

function cutSection(section: Section, next: Section | undefined): Piece[] {
  if (section.blocks.length === 0) {
    // A heading that only introduces subsections is part of their heading paths; one that stands alone is a chunk.
    const introduces = next !== undefined && next.heading.length > section.heading.length;
    if (introduces) return [];
    const { heading, headingLine, startLine } = section;
    const endLine = startLine + headingLine.split('\n').length - 1;
    return cutBlock({ startLine, endLine, text: headingLine, cuts: [] }).map((part) => ({
      heading,
      markdown: part.text,
      startLine: part.startLine,
      endLine: part.endLine,
    }));
  }
  const pieces: Piece[] = [];
  let open: Piece | null = null;
  for (const block of section.blocks.flatMap(cutBlock)) {
    const gap: string = open === null ? '' : '\n'.repeat(Math.min(3, block.startLine - open.endLine));
    if (open !== null && open.markdown.length + gap.length + block.text.length <= TARGET_CHARACTERS) {
      open.markdown += gap + block.text;
      open.endLine = block.endLine;
    } else {
      open = {
        heading: section.heading,
        markdown: block.text,
        startLine: block.startLine,
        endLine: block.endLine,
      };
      pieces.push(open);
    }
  }
  return pieces;
}

/** Cuts a block that is longer than MAX_CHARACTERS: at a list item or a paragraph, else at a line, else inside a line. */
function cutBlock(block: Block): Block[] {
  if (block.text.length <= MAX_CHARACTERS) return [block];
  const lines = block.text.split('\n');
  const preferred = new Set(block.cuts);
  const parts: Block[] = [];
  let start = 0;
  while (start < lines.length) {
    let end = start;
    let length = -1;
    let cut = 0;
    while (end < lines.length && length + 1 + (lines[end] as string).length <= TARGET_CHARACTERS) {
      length += 1 + (lines[end] as string).length;
      end += 1;
      if (preferred.has(block.startLine + end)) cut = end;
    }
    const startLine = block.startLine + start;
    if (end === start) {
      for (const text of cutLine(lines[start] as string))
        parts.push({ startLine, endLine: startLine, text, cuts: [] });
      start += 1;
      continue;
    }
    if (end < lines.length && cut > start) end = cut;
    const text = lines.slice(start, end).join('\n');
    if (text.trim() !== '') parts.push({ startLine, endLine: block.startLine + end - 1, text, cuts: [] });
    start = end;
  }
  return parts;
}

/** Cuts a line that is longer than MAX_CHARACTERS: after a sentence, else after a space, else between characters. */
function cutLine(line: string): string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > MAX_CHARACTERS) {
    const head = rest.slice(0, TARGET_CHARACTERS);
    const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('! '), head.lastIndexOf('? ')) + 1;
    const space = head.lastIndexOf(' ') + 1;
    let at = sentence > TARGET_CHARACTERS / 2 ? sentence : space > 0 ? space : TARGET_CHARACTERS;
    // Never between the two halves of a surrogate pair.
    if (/[\uD800-\uDBFF]/.test(rest[at - 1] ?? '')) at -= 1;
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...parts, rest];
}
