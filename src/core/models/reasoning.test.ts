import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReasoningSplitter } from './reasoning.ts';

/** What a reader of the events ends with. */
function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const splitter = new ReasoningSplitter();
  const result = { text: '', reasoning: '' };
  for (const event of [...pieces.flatMap((piece) => splitter.feed(piece)), ...splitter.end()]) {
    if (event.type === 'text-was-reasoning') {
      result.reasoning += result.text;
      result.text = '';
    } else result[event.type] += event.delta;
  }
  return result;
}

const CASES: [name: string, written: string, text: string, reasoning: string][] = [
  ['a plain reply', 'Bonjour.', 'Bonjour.', ''],
  ['thoughts, then the reply', '<think>\nHm.\n</think>\n\nBonjour.', 'Bonjour.', '\nHm.\n'],
  ['thoughts after white space', ' \n<think>Hm.</think>Bonjour.', 'Bonjour.', 'Hm.'],
  ['empty thoughts', '<think></think>\n\nBonjour.', 'Bonjour.', ''],
  ['thoughts in two parts', '<think>Un.</think>\n<think>Deux.</think>Bonjour.', 'Bonjour.', 'Un.Deux.'],
  ['a missing opening tag', 'Hm. Hm.\n</think>\n\nBonjour.', 'Bonjour.', 'Hm. Hm.\n'],
  ['a lone closing tag at the start', '</think>\n\nBonjour.', 'Bonjour.', ''],
  ['thoughts that are never closed', '<think>Hm. </thi', '', 'Hm. </thi'],
  ['a tag that only begins', '<thin ice', '<thin ice', ''],
  ['a reply that is one character of a tag', '<', '<', ''],
  ['a reply about the tags', 'Écrivez `<think>` puis `</think>`.', 'Écrivez `<think>` puis `</think>`.', ''],
  ['a reply after thoughts about the tags', '<think>a</think>Le </think> ferme.', 'Le </think> ferme.', 'a'],
  ['an opening tag later in the reply', 'Le <think> ouvre.', 'Le <think> ouvre.', ''],
  ['code before a lone tag', 'Un `x` ici.\n</think>\nOui.', 'Oui.', 'Un `x` ici.\n'],
];

describe('reasoning', () => {
  it.each(CASES)('is told apart from the reply: %s', (_, written, text, reasoning) => {
    expect(split([written])).toEqual({ text, reasoning });
  });

  it.each(CASES)('is told apart wherever the pieces are cut: %s', (_, written, text, reasoning) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: written.length })), (cuts) => {
        const ends = [...new Set([0, ...cuts, written.length])].sort((a, b) => a - b);
        const pieces = ends.slice(1).map((end, index) => written.slice(ends[index], end));
        expect(split(pieces)).toEqual({ text, reasoning });
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it('is not held back longer than a tag could be', () => {
    const splitter = new ReasoningSplitter();
    expect(splitter.feed('Bonjour <')).toEqual([{ type: 'text', delta: 'Bonjour ' }]);
    expect(splitter.feed('b')).toEqual([{ type: 'text', delta: '<b' }]);
  });

  it('in a field of its own leaves a closing tag in the text alone', () => {
    const splitter = new ReasoningSplitter();
    splitter.sawReasoningField();
    expect(splitter.feed('Le </think> ferme.')).toEqual([{ type: 'text', delta: 'Le </think> ferme.' }]);
  });
});
