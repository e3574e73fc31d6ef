/**
 * Puts a text on one line: replaces runs of white space and control characters by one space, and cuts long text with an
 * ellipsis.
 */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1).trimEnd()}…`;
}
