import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Random = () => number;

const CORPORA = join(import.meta.dirname, '../fixtures/corpora');

/** The texts of one kept corpus. */
export function corpus(name: string): string[] {
  const folder = join(CORPORA, name);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

export const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;

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
export function mutate(random: Random, seeds: readonly string[], most: number): string {
  let text = pick(random, seeds);
  const steps = 1 + Math.floor(random() * 8);
  for (let step = 0; step < steps; step += 1) text = mutateOnce(random, text, seeds).slice(0, most);
  return text;
}

function mutateOnce(random: Random, text: string, seeds: readonly string[]): string {
  const at = Math.floor(random() * (text.length + 1));
  const to = Math.min(text.length, at + Math.floor(random() ** 3 * 200));
  const cut = text.slice(at, to);
  const put = (what: string) => text.slice(0, at) + what + text.slice(to);
  // Mostly a few times, and now and then very often.
  const times = Math.floor(2 ** (random() * (random() < 0.1 ? 16 : 6)));
  switch (Math.floor(random() * 7)) {
    case 0:
      return put('');
    case 1:
      return put(pick(random, NASTY).repeat(times));
    case 2:
      return put(cut.repeat(times));
    case 3: {
      const other = pick(random, seeds);
      const from = Math.floor(random() * other.length);
      return put(other.slice(from, from + Math.floor(random() * 400)));
    }
    case 4:
      return put(Array.from({ length: Math.min(times, 500) }, () => pick(random, NASTY)).join(''));
    case 5:
      return text.split('\n').reverse().join('\n');
    default:
      return put(String.fromCharCode(Math.floor(random() * 0x1_0000)).repeat(times));
  }
}
