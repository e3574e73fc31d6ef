/** Stands in the front matter of the note that Souvenir writes. A note without it is never written over. */
export const FACTS_NOTE_MARKER = 'souvenir: facts';

/** Longer front matter than this is not read for the marker. */
const MOST_LINES = 100;

/** The number of lines of the front matter, with its fences; 0 if there is none. */
export function endOfFrontMatter(lines: readonly string[]): number {
  if (!/^---[ \t]*$/.test(lines[0] ?? '')) return 0;
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  return end === -1 ? 0 : end + 1;
}

/** Is a note the one that Souvenir writes, or a copy of it? */
export function isFactsNote(lines: readonly string[]): boolean {
  const head = lines.slice(0, MOST_LINES);
  return head.slice(0, endOfFrontMatter(head)).some((line) => line.trim() === FACTS_NOTE_MARKER);
}
