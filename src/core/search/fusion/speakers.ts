import type { Voice } from '../../items/voices.ts';
import { tokenise } from '../../support/text/tokenise.ts';
import type { WeightedTerm } from '../lexical/textScore.ts';
import { CONTENT_WORD_FROM } from '../query/question.ts';

/** What it tells of a turn that somebody with a name speaks in it. */
export interface Speaker {
  /** The question names one of those who speak: most of what somebody did, they tell of themselves, as "I". */
  isNamed: boolean;
  /** Every message ends in a question mark: it tells nothing. */
  onlyAsks: boolean;
}

/** By row id, the turns in which somebody with a name speaks. */
export function readSpeakers(voices: readonly Voice[], asked: readonly WeightedTerm[]): Map<number, Speaker> {
  const named = new Set(asked.filter(({ weight }) => weight >= CONTENT_WORD_FROM).map(({ term }) => term));
  const isNamed = new Map<string, boolean>();
  const speakers = new Map<number, Speaker>();
  for (const { rowid, author, asks } of voices) {
    const speaker = speakers.get(rowid) ?? { isNamed: false, onlyAsks: true };
    speakers.set(rowid, speaker);
    if (asks === 0) speaker.onlyAsks = false;
    if (author === null) continue;
    let isOne = isNamed.get(author);
    if (isOne === undefined) {
      isOne = tokenise(author).some(({ term }) => named.has(term));
      isNamed.set(author, isOne);
    }
    if (isOne) speaker.isNamed = true;
  }
  return speakers;
}
