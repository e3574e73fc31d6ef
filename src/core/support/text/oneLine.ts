/** Text on one line: white space and control characters become single spaces, and what is too long ends in an ellipsis. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1).trimEnd()}…`;
}
