import { dateOf } from '../../support/text/particulars.ts';
import { tokenise } from '../../support/text/tokenise.ts';
import { EMPTY, wordSet } from './changeWords.ts';
import { isFunctionWord } from './things.ts';

/** Words after which a place is named. */
const BEFORE_PLACE = wordSet('au aux chez dans en salle amphi', 'at in room');
/** Words of a place that are read: "at the Friends Meeting House". */
const MOST_WORDS = 3;

/** The words of the places at which a text says something is, without dates, numbers and times. */
export function placesIn(content: string): string[] {
  const tokens = tokenise(content);
  const places: string[] = [];
  for (const [index, { word: before, start: at, end }] of tokens.entries()) {
    const isTo =
      content.slice(at, end).toLowerCase() === 'à' || /^a (?:la |l['’])/i.test(content.slice(at, end + 4));
    if (!isTo && !BEFORE_PLACE.has(before)) continue;
    let from = end;
    for (const { word, start, end: to } of tokens.slice(index + 1, index + 2 + MOST_WORDS)) {
      if (/[.,;:!?()]/.test(content.slice(from, start))) break;
      from = to;
      if (isFunctionWord(word, content.slice(start, to))) continue;
      if (/^\d/.test(word) || dateOf(word) !== undefined || EMPTY.has(word)) break;
      places.push(word);
    }
  }
  return places;
}
