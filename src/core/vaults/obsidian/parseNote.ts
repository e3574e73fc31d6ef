import type { NoteReason } from '../../../shared/contract/notes.ts';
import { baseName, nameKey } from '../../support/paths.ts';
import { toPlainText } from '../../support/text/plainText.ts';
import { blockTokens, type Token } from './blockTokens.ts';
import { listOf, readFrontMatter } from './frontMatter.ts';

/** The part of a note between two headings. Line numbers start at 1 and count the front matter. */
export interface Section {
  /** The headings above this section, from the first level down to its own, as plain text. */
  heading: string[];
  /** The line of its heading as written; empty before the first heading. */
  headingLine: string;
  startLine: number;
  blocks: Block[];
}

export interface Block {
  startLine: number;
  endLine: number;
  text: string;
  /** Where it is best cut if it is too long: lines after its first that begin a list item or a paragraph. */
  cuts: number[];
}

export interface ParsedLink {
  kind: 'wikilink' | 'embed' | 'markdown';
  /** A name or a path as written, without its heading; empty for a link within the note. */
  target: string;
  /** `nameKey` of `target`. */
  targetKey: string;
  heading: string | null;
  display: string | null;
  line: number;
}

export interface ParsedNote {
  title: string;
  tags: string[];
  aliases: string[];
  /** The texts of the other properties, for searching. */
  properties: string[];
  sections: Section[];
  links: ParsedLink[];
  problem: { reason: NoteReason; detail: string } | null;
}

/**
 * Reads a Markdown note as Obsidian does: properties, tags, aliases, headings, links. It is pure and throws on no text.
 * @param path gives the title of a note that has none of its own
 */
export function parseNote(path: string, content: string): ParsedNote {
  const text = content.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const frontMatter = readFrontMatter(text);
  const lines = text.split('\n');
  const body = lines.slice(frontMatter.lines);
  const blocks = blockTokens(body.join('\n'));
  const code = codeLines(blocks);
  const sections = splitSections(body, blocks, frontMatter.lines);
  if (frontMatter.problem) sections.unshift(rawSection(frontMatter.source, 2));

  const firstHeading = sections.find((section) => section.heading.length === 1)?.heading[0];
  const { values } = frontMatter;
  const ownTitle = typeof values.title === 'string' ? values.title.trim() : '';
  return {
    title: ownTitle || firstHeading || baseName(path),
    tags: unique([
      ...listOf(values.tags ?? values.tag ?? [], /[,\s]+/).map((tag) => tag.replace(/^#/, '')),
      ...inlineTags(body, code),
    ]),
    aliases: unique(listOf(values.aliases ?? values.alias ?? [], /,/)),
    properties: propertyTexts(values),
    sections,
    links: findLinks(body, code, frontMatter.lines),
    problem: frontMatter.problem,
  };
}

function codeLines(tokens: readonly Token[]): Set<number> {
  const lines = new Set<number>();
  for (const token of tokens) {
    if ((token.type !== 'fence' && token.type !== 'code_block') || !token.map) continue;
    for (let line = token.map[0]; line < token.map[1]; line += 1) lines.add(line);
  }
  return lines;
}

/** As much of a heading as a link can name. Every passage below a heading carries it. */
const MAX_HEADING_CHARACTERS = 500;

function splitSections(body: readonly string[], tokens: readonly Token[], offset: number): Section[] {
  const sections: Section[] = [{ heading: [], headingLine: '', startLine: offset + 1, blocks: [] }];
  const path: { level: number; text: string }[] = [];
  let current = sections[0] as Section;
  for (const [index, token] of tokens.entries()) {
    if (!token.map) continue;
    const [from, to] = token.map;
    if (token.level === 0 && token.type === 'heading_open') {
      const level = Number(token.tag.slice(1));
      while ((path.at(-1)?.level ?? 0) >= level) path.pop();
      const text = toPlainText(tokens[index + 1]?.content ?? '');
      const headingLine = body.slice(from, to).join('\n');
      const startLine = offset + from + 1;
      path.push({ level, text: text.slice(0, MAX_HEADING_CHARACTERS) });
      current = {
        heading: path.map((part) => part.text).filter((part) => part !== ''),
        headingLine,
        startLine,
        // What a heading leaves out is text.
        blocks:
          text.length > MAX_HEADING_CHARACTERS
            ? [{ startLine, endLine: offset + to, text: headingLine, cuts: [] }]
            : [],
      };
      sections.push(current);
    } else if (token.level === 0) {
      const text = body.slice(from, to).join('\n').trimEnd();
      if (text.trim() === '') continue;
      current.blocks.push({
        startLine: offset + from + 1,
        endLine: offset + from + text.split('\n').length,
        text,
        cuts: [],
      });
    } else {
      const block = current.blocks.at(-1);
      const line = offset + from + 1;
      if (block && line > block.startLine && line <= block.endLine && (block.cuts.at(-1) ?? 0) < line) {
        block.cuts.push(line);
      }
    }
  }
  addUncovered(sections, body, offset);
  return sections.filter((section) => section.blocks.length > 0 || section.headingLine !== '');
}

/** Adds the lines that no block token covers (link reference definitions) to the section that they are in. */
function addUncovered(sections: readonly Section[], body: readonly string[], offset: number): void {
  const covered = new Set<number>();
  for (const section of sections) {
    const headingLines = section.headingLine === '' ? 0 : section.headingLine.split('\n').length;
    for (let line = 0; line < headingLines; line += 1) covered.add(section.startLine + line);
    for (const block of section.blocks) {
      for (let line = block.startLine; line <= block.endLine; line += 1) covered.add(line);
    }
  }
  let index = 0;
  for (const [at, text] of body.entries()) {
    const line = offset + at + 1;
    while ((sections[index + 1]?.startLine ?? Number.POSITIVE_INFINITY) <= line) index += 1;
    if (covered.has(line) || text.trim() === '') continue;
    const section = sections[index] as Section;
    section.blocks.push({ startLine: line, endLine: line, text, cuts: [] });
  }
  for (const section of sections) section.blocks.sort((one, other) => one.startLine - other.startLine);
}

function rawSection(source: string, startLine: number): Section {
  const text = source.trimEnd();
  const block = { startLine, endLine: startLine + text.split('\n').length - 1, text, cuts: [] };
  return { heading: [], headingLine: '', startLine, blocks: [block] };
}

const INLINE_CODE = /`[^`\n]{0,2000}`/g;
/** Replaces inline code by spaces, so that nothing in it is read and columns stay. */
const blank = (line: string) => line.replace(INLINE_CODE, (code) => ' '.repeat(code.length));
/** As in Obsidian, a tag follows a space or begins the line; `(#section)` is the address of a link. */
const TAG = /(?:^|\s)#([\p{L}\p{N}_/-]{1,200})/gu;

function inlineTags(body: readonly string[], code: ReadonlySet<number>): string[] {
  const tags: string[] = [];
  for (const [index, line] of body.entries()) {
    if (code.has(index) || !line.includes('#')) continue;
    for (const match of blank(line).matchAll(TAG)) {
      // As in Obsidian, a tag has at least one character that is not a digit.
      if (match[1] && /[^\d/]/.test(match[1])) tags.push(match[1].replace(/\/+$/, ''));
    }
  }
  return tags;
}

const WIKILINK = /(!?)\[\[([^[\]|#^\n]{0,500})(?:[#^]([^[\]|\n]{0,500}))?(?:\|([^[\]\n]{0,500}))?\]\]/g;
const MARKDOWN_LINK =
  /(!?)\[([^[\]\n]{0,1000})\]\(<?([^()<>\s]{1,2000}(?:\([^()<>\s]{0,500}\)[^()<>\s]{0,500})?)>?(?:\s+"[^"\n]{0,300}")?\)/g;

function findLinks(body: readonly string[], code: ReadonlySet<number>, offset: number): ParsedLink[] {
  const links: ParsedLink[] = [];
  for (const [index, raw] of body.entries()) {
    if (code.has(index) || !raw.includes('[')) continue;
    const text = blank(raw);
    const line = offset + index + 1;
    for (const [, bang, target = '', heading, display] of text.matchAll(WIKILINK)) {
      links.push({
        kind: bang ? 'embed' : 'wikilink',
        ...readTarget(target),
        ...label(heading, display),
        line,
      });
    }
    for (const [, bang, display, address = ''] of text.matchAll(MARKDOWN_LINK)) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith('//')) continue;
      const [target = '', heading] = decode(address).split('#', 2);
      links.push({
        kind: bang ? 'embed' : 'markdown',
        ...readTarget(target),
        ...label(heading, display),
        line,
      });
    }
  }
  return links;
}

function readTarget(written: string): Pick<ParsedLink, 'target' | 'targetKey'> {
  const target = written.trim();
  return { target, targetKey: nameKey(target) };
}

function label(heading?: string, display?: string): Pick<ParsedLink, 'heading' | 'display'> {
  return { heading: heading?.trim() || null, display: display?.trim() || null };
}

/** An address with its percent escapes decoded, or as it is if they are malformed. */
function decode(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch (error) {
    if (error instanceof URIError) return address;
    throw error;
  }
}

const MAX_PROPERTY_CHARACTERS = 2_000;

function propertyTexts(values: Record<string, unknown>): string[] {
  const known = new Set(['title', 'tags', 'tag', 'aliases', 'alias', 'cssclass', 'cssclasses']);
  const texts: string[] = [];
  let left = MAX_PROPERTY_CHARACTERS;
  for (const [key, value] of Object.entries(values)) {
    if (known.has(key)) continue;
    for (const text of listOf(value, /\n/)) {
      if (text.length > left) return texts;
      left -= text.length;
      texts.push(text);
    }
  }
  return texts;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.normalize('NFC')))];
}
