import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dice } from '../support/seeded.ts';

const CORPORA = join(import.meta.dirname, '../fixtures/corpora');

/** The texts of one kept corpus. */
export function corpus(name: string): string[] {
  const folder = join(CORPORA, name);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

/** What parsers have stumbled over, here or elsewhere. */
const NASTY = [
  '---\n',
  '---js\n',
  '\n---\n',
  '...\n',
  '***',
  '```',
  '~~~',
  '`',
  '[[',
  ']]',
  '![[',
  '](',
  '[a](',
  '|',
  '|-|\n',
  '> ',
  '- ',
  '1. ',
  '# ',
  '#'.repeat(7),
  '\t',
  '\r',
  '\r\n',
  '\0',
  '\u2028',
  '\uFEFF',
  '\u202E',
  '\uD83D',
  '\uDC00',
  'e\u0301',
  '\u0130',
  'ﷺ',
  'ß',
  '’',
  '&a ',
  '*a ',
  '!!',
  '? ',
  '<<: *a\n',
  '__proto__: 1\n',
  '<!--',
  '-->',
  '<script>',
  '<',
  '%%',
  '$$',
  '\\',
  '%E0%A4%A',
  '\u001b[2J',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ': ',
];

/** A text made of one of `seeds` by a few cuts, copies, repeats and insertions, of at most `most` characters. */
export function mutate(dice: Dice, seeds: readonly string[], most: number): string {
  let text = dice.pick(seeds);
  const steps = 1 + Math.floor(dice.random() * 8);
  for (let step = 0; step < steps; step += 1) text = mutateOnce(dice, text, seeds).slice(0, most);
  return text;
}

function mutateOnce(dice: Dice, text: string, seeds: readonly string[]): string {
  const at = Math.floor(dice.random() * (text.length + 1));
  const to = Math.min(text.length, at + Math.floor(dice.random() ** 3 * 200));
  const cut = text.slice(at, to);
  const put = (what: string) => text.slice(0, at) + what + text.slice(to);
  // Mostly a few times, and now and then very often.
  const times = Math.floor(2 ** (dice.random() * (dice.chance(0.1) ? 16 : 6)));
  switch (Math.floor(dice.random() * 7)) {
    case 0:
      return put('');
    case 1:
      return put(dice.pick(NASTY).repeat(times));
    case 2:
      return put(cut.repeat(times));
    case 3: {
      const other = dice.pick(seeds);
      const from = Math.floor(dice.random() * other.length);
      return put(other.slice(from, from + Math.floor(dice.random() * 400)));
    }
    case 4:
      return put(Array.from({ length: Math.min(times, 500) }, () => dice.pick(NASTY)).join(''));
    case 5:
      return text.split('\n').reverse().join('\n');
    default:
      return put(String.fromCharCode(Math.floor(dice.random() * 0x1_0000)).repeat(times));
  }
}
