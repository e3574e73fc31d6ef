/** Ends a line for somebody: LF, VT, FF, CR, NEL, and Unicode's line and paragraph separators. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/gu;
/** Controls, and halves of characters that stand alone. */
const CONTROL = /[\p{Cc}\p{Cs}]/gu;
/**
 * Characters that show nothing but change how the text around them reads: overrides of direction, tags, soft hyphens. The two joiners,
 * with which emoji and several scripts are written, and the Arabic number signs stay.
 */
const INVISIBLE = /(?!\u200c|\u200d|[\u0600-\u0605\u06dd\u070f\u08e2])\p{Cf}/gu;
/** One of these; most texts have none. */
const HAS_ANY = /[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/u;

/**
 * A text that was written by somebody else, as one line that reads as it looks: the ends of its lines become `\n` (a backslash and a
 * letter), controls become spaces, and invisible characters are left out.
 */
export function quotedLine(text: string): string {
  return HAS_ANY.test(text) ? readable(text) : text;
}

function readable(text: string): string {
  return text.replace(LINE_END, '\\n').replace(CONTROL, ' ').replace(INVISIBLE, '');
}

/**
 * The same for a name: runs of white space become one space, and a long one is cut with an ellipsis.
 * @param maxCharacters UTF-16 units
 */
export function oneLine(text: string, maxCharacters: number): string {
  const line = quotedLine(text.replace(/[\s\p{Cc}]+/gu, ' ')).trim();
  return line.length <= maxCharacters ? line : `${quotedLine(line.slice(0, maxCharacters - 1)).trimEnd()}…`;
}
