import { describe, expect, it } from 'vitest';
import { findStatements } from '../../src/core/memory/extraction/findStatements.ts';
import { ownWords } from '../../src/core/memory/extraction/ownWords.ts';
import { FOREIGN } from '../../src/core/memory/extraction/words.ts';
import { Random } from './random.ts';

const PARTS = [
  'je m’appelle ',
  'Léa',
  'mon frère David ',
  'my sister, Ana, ',
  'habite à Lyon ',
  'lives in Leeds ',
  'jusqu’au 12 ',
  'until Friday ',
  'souviens-toi que ',
  'remember that ',
  'oublie que ',
  'et ',
  'and ',
  'because ',
  'si ',
  'if ',
  ', ',
  '. ',
  ' ? ',
  ' : ',
  '« ',
  ' »',
  '"',
  "'",
  '`',
  '```\n',
  '\n',
  '\n\n',
  '> ',
  '- ',
  '| a | b |\n',
  'De : Paul\n',
  'From: Paul\n',
  'Cordialement,\n',
  '2026-03-02T10:00 INFO ',
  'const a = { b: 1 };\n',
  '06 12 34 56 78',
  'a@b.c ',
  'en fait ',
  'by the way ',
  'qui s’appelle ',
  "'s ",
  '4812 ',
  '\uFFFC',
  '👩‍🌾',
];
const AT = new Date(2026, 2, 2, 9).getTime();

const messageOf = (random: Random) =>
  Array.from({ length: random.between(1, 40) }, () =>
    random.chance(0.85) ? random.pick(PARTS) : random.text(),
  ).join('');

describe('finding statements', () => {
  it('takes any text, keeps to its words, and finds one statement per clause at most', () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const message = messageOf(new Random(seed));
      expect(ownWords(message)).toHaveLength(message.length);
      const found = findStatements(message, AT);
      expect(found.length, `seed ${seed}`).toBeLessThanOrEqual(message.split(/[\s,.:]+/).length);
      for (const { content, subjects, expiresAt } of found) {
        expect(content.trim(), `seed ${seed}`).not.toBe('');
        expect(content).not.toContain(FOREIGN);
        for (const subject of subjects) expect(message, `seed ${seed}`).toContain(subject);
        if (expiresAt !== null) expect(expiresAt).toBeGreaterThan(0);
      }
    }
  });

  // A pattern that backtracks would take minutes or for ever; the limit only tells one that ended from one that hangs.
  it.each([
    'je m’appelle Léa et j’habite à Lyon avec mon frère David ',
    'J’habite à Lyon depuis 2019, ma sœur vit à Pau.\n',
    'mon frère de ma sœur ',
    'de la ',
    'a',
    'a.a.',
    'a@a.',
    'l’',
    '"a ',
    '«',
    "'a b",
    '`',
    ' : ',
    ', ',
    '1/2:3.',
    ' ',
    '\n',
    '\n\n',
    '> a\n',
    '- a\n',
    'x = ',
    '😀',
    'Bonjour,\n',
    'the next the next ',
    'pour les prochains ',
    'ai suis est va ',
  ])('ends at once on 100,000 characters of %j', { timeout: 20_000 }, (part) => {
    const long = part.repeat(Math.ceil(100_000 / part.length)).slice(0, 100_000);
    for (const length of [600, 3_000, 100_000]) findStatements(long.slice(0, length), AT);
  });
});
