/** V8 makes a view of a string for a part of it that has so many characters, and a copy for a shorter one. */
const LEAST_VIEW = 13;

/** A word that was cut from a longer text, to be kept: the text is not kept in memory with it. */
export const detached = (word: string): string =>
  word.length < LEAST_VIEW ? word : Buffer.from(word).toString();
