import type { Token } from '../../support/text/tokenise.ts';

/** Is a word written with a capital that its place in the sentence does not ask for? */
export function isNameIn(text: string, { start, end }: Pick<Token, 'start' | 'end'>): boolean {
  const before = text.slice(Math.max(0, start - 3), start).trimEnd();
  const startsSentence = start === 0 || before === '' || /[.!?…:\n«"“]$/.test(before);
  return !startsSentence && /^\p{Lu}/u.test(text.slice(start, end));
}
