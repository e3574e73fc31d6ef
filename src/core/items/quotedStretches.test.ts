import { describe, expect, it } from 'vitest';
import { withoutQuoted } from './quotedStretches.ts';

const NOTE =
  'Les tomates se plantent après les saints de glace, vers la mi-mai. Les arroser au pied, le matin, deux fois par semaine.';
const MEETING = 'The launch of Atlas moves to 3 June. Mickael takes the database migration.';
const plain = (text: string) => text.replace(/[\s.,;:]+/g, ' ').trim();

describe('a reply without what it copied', () => {
  it.each([
    'Plantez-les vers la mi-mai, une fois passés les saints de glace [1].',
    'Atlas is launched in June [1], and Mickael does the migration of the database.',
    'Arrosez le matin, au pied des tomates.',
    'Thermo-Sud',
  ])('is whole if it answers in its own words: %s', (reply) => {
    expect(withoutQuoted(reply, [NOTE, MEETING], [])).toBe(reply);
  });

  it.each([
    [
      'Les tomates se plantent après les saints de glace, vers la mi-mai [1]. Bon courage !',
      '[1] Bon courage !',
    ],
    [
      'D’après vos notes, les tomates se plantent après les saints de glace. Couvrez-les la nuit.',
      'D’après vos notes Couvrez-les la nuit',
    ],
    ['Mickael [2] takes the database [2] migration. Ask him about backups.', 'Ask him about backups'],
    ['Les TOMATES se plantent, après « les saints de glace » !', '» !'],
  ])('loses a sentence of a note: %s', (reply, left) => {
    expect(plain(withoutQuoted(reply, [NOTE, MEETING], []))).toBe(left);
  });

  it('keeps what only stands there across two items, or in another order', () => {
    const reply = 'semaine launch Atlas moves';
    expect(withoutQuoted(reply, [NOTE, MEETING], [])).toBe(reply);
    const turned = 'Saints de glace, tomates, mi-mai, pied';
    expect(withoutQuoted(turned, [NOTE], [])).toBe(turned);
  });

  it('keeps what the user wrote too', () => {
    const reply = 'Oui, les tomates se plantent après les saints de glace.';
    expect(
      withoutQuoted(reply, [NOTE], ['Est-ce que les tomates se plantent après les saints de glace ?']),
    ).toBe(reply);
    expect(withoutQuoted(reply, [NOTE], ['Et les tomates ?'])).not.toContain('tomates');
  });

  it('is itself if nothing was quoted', () => {
    expect(withoutQuoted(NOTE, [], [])).toBe(NOTE);
    expect(withoutQuoted('', [NOTE], [])).toBe('');
  });
});

it('ends on a reply that cites without end', () => {
  // In time that grows with the square of the length this would take minutes.
  const reply = 'plantez [1] '.repeat(100_000);
  expect(withoutQuoted(reply, [NOTE], [])).toBe(reply);
});
