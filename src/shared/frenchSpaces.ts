/**
 * French puts a space inside its quotes and before ; : ! ?, where a line must not break. Texts are written with plain spaces; this makes
 * them non-breaking.
 */
export function withFrenchSpaces(text: string): string {
  return text.replace(/« /g, '«\u00a0').replace(/ (?=[»?!:;])/g, '\u00a0');
}
