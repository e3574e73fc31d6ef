import type { FactKind } from '../../../shared/contract/facts.ts';
import type { Language } from '../../../shared/errors.ts';
import { endOfFrontMatter, FACTS_NOTE_MARKER } from '../../support/factsNoteMarker.ts';
import type { NoteFile, NoteLine } from './readLines.ts';
import { kindOfHeading, NOTE_WORDS } from './words.ts';

/** A fact as the note shows it. */
export interface ShownFact {
  /** What stands after `fact-`. */
  mark: string;
  text: string;
  kind: FactKind;
  /** What the note says of it, where that was changed here and there. */
  conflict: string | null;
}

/** What becomes of a line of the note; any other line stays as it is. */
export type Rewritten =
  /** It is the line of this fact. */
  | { line: NoteLine; fact: ShownFact }
  /** It goes. */
  | { line: NoteLine; fact: null };

/** How a new note begins. */
export const NOTE_OPENING = `---\n${FACTS_NOTE_MARKER}\n---`;

/** A note that says some facts, kind by kind. */
export function newNote(facts: readonly ShownFact[], language: Language): string {
  const { title, preamble } = NOTE_WORDS[language];
  const lines = [
    ...NOTE_OPENING.split('\n'),
    '',
    `# ${title}`,
    '',
    ...preamble.map((line) => `> ${line}`),
    '',
  ];
  addFacts(lines, facts, language);
  return lines.join('\n');
}

/**
 * The note with some lines rewritten and some facts added, each at the end of its kind's heading. Everything else that the user wrote stays
 * where it is.
 */
export function rewriteNote(
  file: NoteFile,
  change: { rewritten: readonly Rewritten[]; added: readonly ShownFact[] },
  language: Language,
): string {
  const byLine = new Map(change.rewritten.map((one) => [one.line.at, one]));
  const lines = file.lines.flatMap((line, at) => {
    const one = byLine.get(at);
    if (!one) return [line];
    return one.fact ? linesOf(one.fact, one.line.lead, language) : [];
  });
  if (!file.hasMarker) addMarker(lines);
  addFacts(lines, change.added, language);
  return lines.join(file.newline);
}

function linesOf({ mark, text, conflict }: ShownFact, lead: string, language: Language): string[] {
  const lines = [`${lead}${text} ^fact-${mark}`];
  const label = NOTE_WORDS[language].conflict;
  const colon = language === 'fr' ? ' :' : ':';
  if (conflict !== null) lines.push(`${' '.repeat(4)}- ${label}${colon} ${conflict} ^conflict-${mark}`);
  return lines;
}

function addMarker(lines: string[]): void {
  if (endOfFrontMatter(lines) > 0) lines.splice(1, 0, FACTS_NOTE_MARKER);
  else lines.unshift(...NOTE_OPENING.split('\n'), '');
}

function addFacts(lines: string[], facts: readonly ShownFact[], language: Language): void {
  const { headings } = NOTE_WORDS[language];
  const byKind = Map.groupBy(facts, ({ kind }) => kind);
  for (const kind of Object.keys(headings) as FactKind[]) {
    const some = byKind.get(kind)?.flatMap((fact) => linesOf(fact, '- ', language)) ?? [];
    if (some.length === 0) continue;
    const heading = lines.findIndex(
      (line) => kindOfHeading(/^#{1,6}\s+(.*)$/.exec(line)?.[1] ?? '') === kind,
    );
    if (heading === -1) {
      while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop();
      lines.push('', `## ${headings[kind]}`, '', ...some, '');
      continue;
    }
    const next = lines.findIndex((line, at) => at > heading && /^#{1,6}\s/.test(line));
    let end = next === -1 ? lines.length : next;
    while (end > heading + 1 && lines[end - 1]?.trim() === '') end -= 1;
    lines.splice(end, 0, ...(end === heading + 1 ? ['', ...some] : some));
  }
}
