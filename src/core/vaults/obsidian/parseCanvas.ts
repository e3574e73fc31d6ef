import { baseName } from '../../support/paths.ts';
import type { ParsedNote, Section } from './parseNote.ts';
import { parseNote } from './parseNote.ts';

/**
 * Reads an Obsidian canvas (JSON Canvas 1.0) as one note: each text card gives its sections and each label one section, in the order
 * of the file.
 * @throws SyntaxError if the file is not JSON
 */
export function parseCanvas(path: string, content: string): ParsedNote {
  const canvas: unknown = content.trim() === '' ? {} : JSON.parse(content);
  const nodes = (canvas as { nodes?: unknown } | null)?.nodes;
  const note: ParsedNote = {
    title: baseName(path),
    tags: [],
    aliases: [],
    properties: [],
    sections: [],
    links: [],
    problem: null,
  };
  for (const node of Array.isArray(nodes) ? (nodes as Record<string, unknown>[]) : []) {
    if (typeof node?.text === 'string') {
      const card = parseNote(path, node.text);
      // One by one: a card may have more of them than a call takes arguments.
      for (const tag of card.tags) note.tags.push(tag);
      for (const link of card.links) note.links.push(link);
      for (const section of card.sections) note.sections.push(section);
    } else if (typeof node?.label === 'string' && node.label.trim() !== '') {
      note.sections.push(labelSection(node.label));
    }
  }
  return note;
}

function labelSection(label: string): Section {
  return {
    heading: [],
    headingLine: '',
    startLine: 1,
    blocks: [{ startLine: 1, endLine: 1, text: label, cuts: [] }],
  };
}
