import type { NoteId } from '../../../shared/ids.ts';
import { isFunctionTerm, termOf, tokenise } from '../../support/text/tokenise.ts';
import type { NameIndex, WantedWord } from '../lexical/nameIndex.ts';

/** Of fewer words all have to be in the name. */
const LEAST_WITHOUT_ONE = 3;

/**
 * The notes whose names are like what is being typed, best first: its words in any order, one missing if there are several, with slips; the
 * last one may be the beginning of a word, unless a space or a sign ends it.
 */
export function notesLike(text: string, index: NameIndex, limit: number): NoteId[] {
  const tokens = tokenise(text);
  const isUnfinished = /[\p{L}\p{N}\p{M}_]$/u.test(text);
  const words = tokens
    .map(({ word, term }, at) => {
      const begun = isUnfinished && at === tokens.length - 1 ? begunBy(word, index) : [];
      return { forms: begun.length > 0 ? begun : index.formsOf(word), isFunction: isFunctionTerm(term) };
    })
    // "The" is in no name of which it is not all.
    .filter(({ forms, isFunction }) => forms.length > 0 || !isFunction);
  const least = words.length < LEAST_WITHOUT_ONE ? words.length : words.length - 1;
  const found = index.find(words.map(({ forms }) => forms)).filter(({ places }) => places.length >= least);
  return [...new Set(found.map(({ noteId }) => noteId))].slice(0, limit);
}

/** The terms of words of names that a word is, or begins. */
function begunBy(word: string, index: NameIndex): WantedWord {
  const shares = new Map<string, number>();
  for (const other of [word, ...index.beginningWith(word)]) {
    const term = termOf(other);
    // The word itself, then what is nearest to it.
    if (index.holds(term)) shares.set(term, Math.max(shares.get(term) ?? 0, word.length / other.length));
  }
  return [...shares];
}
