import type { FactKind } from '../../../shared/contract/facts.ts';
import { endOfFrontMatter, isFactsNote } from '../../support/factsNoteMarker.ts';
import { kindOfHeading, NOTE_WORDS } from './words.ts';

/** A line of the facts note that says, or may say, a fact. */
export interface NoteLine {
  /** Its place among the lines of the file, from 0. */
  at: number;
  /** `fact`: with the mark of a fact; `conflict`: with that of a conflict; `new`: without. */
  is: 'fact' | 'conflict' | 'new';
  /** What stands after `fact-` or `conflict-`; '' for a new line. */
  mark: string;
  /** What it says, without mark, in the form of `lineText`. */
  text: string;
  /** Spaces and the sign of a list before the text. */
  lead: string;
  /** What the heading above it stands for. */
  kind: FactKind | null;
}

export interface NoteFile {
  lines: string[];
  newline: '\n' | '\r\n';
  /** The front matter says that Souvenir writes this note. */
  hasMarker: boolean;
  facts: NoteLine[];
}

const MARK = /[ \t]\^(fact|conflict)-([A-Za-z0-9-]{1,120})[ \t]*$/;
/** The sign of a list item. */
const SIGN = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?/;
const CHECKBOX = /^\[.\][ \t]+/;
/** Lines that lay the note out, or belong to something else: indented, headings, quotations, tables, comments, rules, footnotes. */
const LAYOUT = /^(?:\s|#{1,6}\s|>|\||<|%%|\[\^|(?:[-*_=][ \t]*){3,}$)/;
const FENCE = /^[ \t]*(?:`{3,}|~{3,})/;

/** A content as one line: composed characters (NFC), single spaces. */
export const lineText = (content: string): string => content.normalize('NFC').replace(/\s+/g, ' ').trim();

/**
 * Reads the lines of a facts note. A line with a mark is that fact's wherever it stands. Without one, a list item or a line of plain text
 * is a new fact; whatever lays the note out belongs to the user and stays.
 */
export function readLines(text: string): NoteFile {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const body = endOfFrontMatter(lines);
  const facts: NoteLine[] = [];
  let kind: FactKind | null = null;
  let isCode = false;
  let isComment = false;
  for (const [index, line] of lines.slice(body).entries()) {
    const at = body + index;
    const marked = MARK.exec(line);
    const lead = SIGN.exec(line)?.[0] ?? '';
    if (marked) {
      const said = line.slice(lead.length, Math.max(lead.length, marked.index));
      const is = marked[1] as 'fact' | 'conflict';
      const text = is === 'conflict' ? withoutLabel(lineText(said)) : lineText(said);
      facts.push({ at, is, mark: marked[2] as string, text, lead, kind });
      continue;
    }
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line);
    if (heading && !isCode) kind = kindOfHeading(heading[1] as string) ?? null;
    const isEdge = FENCE.test(line) || (line.match(/%%/g)?.length ?? 0) % 2 === 1;
    const isInside = isCode || isComment;
    if (FENCE.test(line)) isCode = !isCode;
    else if (isEdge) isComment = !isComment;
    if (isInside || isEdge || LAYOUT.test(line)) continue;
    const said = lineText(line.slice(lead.length).replace(CHECKBOX, ''));
    if (said !== '') facts.push({ at, is: 'new', mark: '', text: said, lead: lead || '- ', kind });
  }
  return { lines, newline, hasMarker: isFactsNote(lines), facts };
}

/** The wording of a conflict's line, which begins with a label. */
function withoutLabel(text: string): string {
  const label = Object.values(NOTE_WORDS)
    .flatMap(({ conflict }) => [`${conflict} :`, `${conflict}:`])
    .find((one) => text.startsWith(one));
  return label === undefined ? text : text.slice(label.length).trim();
}
