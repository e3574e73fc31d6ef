import { parseDocument } from 'yaml';
import type { NoteReason } from '../../../shared/contract/notes.ts';

export interface FrontMatter {
  /** How many lines it takes, with its fences; 0 if there is none. */
  lines: number;
  /** The text between the fences. */
  source: string;
  values: Record<string, unknown>;
  problem: { reason: NoteReason; detail: string } | null;
}

const NONE: FrontMatter = { lines: 0, source: '', values: {}, problem: null };

/** Longer front matter is read as text only, because the time to parse YAML grows faster than its length. */
const MAX_CHARACTERS = 64_000;
/** YAML aliases may refer to one another; more expansions than this are an attack on memory. */
const MAX_ALIASES = 100;

/**
 * Reads the YAML between `---` lines at the very start of a note, as plain data only (YAML's core schema): no other language, no custom
 * type. A problem is described by its code and line, never by the note's text.
 */
export function readFrontMatter(text: string): FrontMatter {
  const opening = /^---[ \t]*\n/.exec(text);
  if (!opening) return NONE;
  const closing = /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(opening[0].length));
  if (!closing) return NONE;
  const source = text.slice(opening[0].length, opening[0].length + closing.index);
  const lines = source.split('\n').length + 1;
  if (source.length > MAX_CHARACTERS) {
    return {
      lines,
      source,
      values: {},
      problem: { reason: 'front-matter-too-large', detail: `${source.length}` },
    };
  }
  const invalid = (detail: string): FrontMatter => ({
    lines,
    source,
    values: {},
    problem: { reason: 'front-matter-invalid', detail },
  });
  try {
    const document = parseDocument(source, {
      schema: 'core',
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: 'silent',
    });
    const error = document.errors[0];
    if (error) {
      const line = source.slice(0, error.pos[0]).split('\n').length + 1;
      return invalid(`${error.code}, ${line}`);
    }
    const values: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (values === null || values === undefined) return { lines, source, values: {}, problem: null };
    if (typeof values !== 'object' || Array.isArray(values)) return invalid('NOT_A_MAP, 2');
    return { lines, source, values: values as Record<string, unknown>, problem: null };
  } catch (error) {
    // The YAML reader throws on alias bombs and on keys that it cannot resolve: both are faults of the note.
    return invalid(error instanceof ReferenceError ? 'TOO_MANY_ALIASES, 2' : 'UNREADABLE, 2');
  }
}

/** A property as a list of texts: it may be a list, or one text whose parts `separator` separates. */
export function listOf(value: unknown, separator: RegExp): string[] {
  const parts = Array.isArray(value) ? value : typeof value === 'string' ? value.split(separator) : [value];
  return parts
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .map((part) => String(part).trim())
    .filter((part) => part !== '');
}
