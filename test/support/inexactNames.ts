import { functionWords } from '../../src/core/support/text/stopWords.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';
import { Dice } from './seeded.ts';

/** A name as somebody might write it who does not remember it well. */
export interface InexactName {
  change: 'slip' | 'two slips' | 'plural' | 'missing word' | 'swapped words' | 'bare';
  text: string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
/** Of a shorter word, a slip makes another word too often. */
const SHORTEST_SLIPPED = 5;

/** The ways to write a name inexactly that change it, the same for the same seed. */
export function inexactNames(name: string, seed: number): InexactName[] {
  const dice = new Dice(seed);
  const words = tokenise(name).map(({ word }) => word);
  const isContent = (word: string) => !functionWords.has(word) && !/\d/.test(word);
  const places = (accept: (word: string) => boolean) =>
    [...words.keys()].filter((at) => isContent(words[at] as string) && accept(words[at] as string));
  const slippable = places(({ length }) => length >= SHORTEST_SLIPPED);
  const content = places(() => true);
  const at = (place: number) => words[place] as string;
  const made: Record<InexactName['change'], readonly string[] | null> = {
    slip: slippable.length > 0 ? withSlips([dice.pick(slippable)]) : null,
    'two slips':
      slippable.length > 1 ? withSlips([slippable[0] as number, slippable.at(-1) as number]) : null,
    plural: content.length > 0 ? withPlural(dice.pick(content)) : null,
    'missing word': content.length > 2 ? words.toSpliced(dice.pick(content), 1) : null,
    'swapped words': content.length > 1 ? withSwapped(dice.between(0, content.length - 2)) : null,
    bare: content.length > 1 ? words.filter((word) => !functionWords.has(word)) : null,
  };
  return Object.entries(made).flatMap(([change, some]) => {
    const text = some?.join(' ');
    return text === undefined || text === words.join(' ')
      ? []
      : [{ change: change as InexactName['change'], text }];
  });

  function withSlips(some: readonly number[]): string[] {
    return words.map((word, place) => (some.includes(place) ? slipped(word, dice) : word));
  }
  function withPlural(place: number): string[] {
    const word = at(place);
    return words.with(place, word.endsWith('s') ? word.slice(0, -1) : `${word}s`);
  }
  function withSwapped(place: number): string[] {
    const [one, other] = [content[place] as number, content[place + 1] as number];
    return words.with(one, at(other)).with(other, at(one));
  }
}

/** A word with a letter left out, put in, changed or swapped with the next; not its first. */
function slipped(word: string, dice: Dice): string {
  const at = dice.between(1, word.length - 2);
  const [before, letter, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)];
  return dice.pick([
    before + after,
    before + dice.pick(LETTERS) + letter + after,
    before + dice.pick(LETTERS.filter((other) => other !== letter)) + after,
    before + after.charAt(0) + letter + after.slice(1),
  ]);
}
