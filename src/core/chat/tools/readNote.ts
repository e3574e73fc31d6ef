import { z } from 'zod';
import type { NoteId } from '../../../shared/ids.ts';
import type { NoteNames } from '../../search/lexical/names.ts';
import type { ChunkRecord } from '../../storage/notes/chunks.ts';
import type { NoteStore } from '../../storage/notes/noteStore.ts';
import { sha256 } from '../../support/ids.ts';
import { toPlainText } from '../../support/text/plainText.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import { defineTool, type FoundItem, type Tool } from './tool.ts';

export interface ReadNotePorts {
  notes: NoteStore;
  names: NoteNames;
}

/** Of one call: some twenty pages. What the prompt has room for is less. */
const MOST_PASSAGES = 60;

/**
 * Reads a note, or what stands under one of its headings, from the index: so it never leaves the vaults, and what they leave out is not
 * there.
 */
export function readNoteTool({ notes, names }: ReadNotePorts): Tool {
  return defineTool({
    name: 'read_note',
    description: 'Read one note, or the part under a heading of it.',
    input: z.object({
      path: z
        .string()
        .trim()
        .min(1)
        .max(1_000)
        .describe('Path or title of the note, as search_notes gives it.'),
      heading: z.string().trim().min(1).max(500).optional().describe('Only what stands under this heading.'),
    }),
    reads: ['notes'],
    run: async ({ path, heading: wanted }) => {
      const [named, anchor] = splitLink(path);
      const heading = wanted ?? anchor;
      const noteId = findNote(names, named);
      const note = noteId && notes.row(noteId);
      if (!note) return { outcome: 'no-note' };
      const all = notes.chunks.ofNote(noteId).filter(({ markdown }) => markdown.trim() !== '');
      const under = heading === undefined ? all : all.filter((chunk) => isUnder(chunk, heading));
      const passages = under.length > 0 ? under : all;
      if (passages.length === 0) return { outcome: 'nothing' };
      return {
        outcome: under.length > 0 ? 'note' : 'no-heading',
        params: { of: passages.length },
        items: passages.slice(0, MOST_PASSAGES).map((chunk) => toItem(chunk, note)),
        mayCut: true,
      };
    },
  });
}

/** `[[note#heading]]`, or a path with a heading behind it. */
function splitLink(path: string): [string, string | undefined] {
  const bare = path.replace(/^\[\[|\]\]$/g, '').split('|')[0] ?? '';
  const [named = '', ...headings] = bare.split('#');
  return [named.trim(), headings.at(-1)?.trim() || undefined];
}

function findNote(names: NoteNames, named: string): NoteId | undefined {
  const path = named.normalize('NFC').replace(/^\.?\//, '');
  const [byPath] = names.atPaths([named, path, `${path}.md`]);
  if (byPath !== undefined) return byPath;
  const title = foldedWords(path.split('/').at(-1)?.replace(/\.md$/i, '') ?? '');
  return names.named([title])[0]?.noteId;
}

function isUnder({ heading }: ChunkRecord, wanted: string): boolean {
  const key = foldedWords(wanted.replace(/^#+\s*/, ''));
  return heading.some((part) => foldedWords(part) === key);
}

function toItem(
  { id, heading, markdown }: ChunkRecord,
  { title, path, modifiedAt }: { title: string; path: string; modifiedAt: number },
): FoundItem {
  const text = toPlainText(markdown);
  return {
    kind: 'note',
    id,
    title,
    heading,
    origin: path,
    place: null,
    at: modifiedAt,
    excerpt: text,
    span: { start: 0, end: text.length },
    textKey: sha256(text),
    score: 1,
  };
}
