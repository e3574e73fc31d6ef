import { describe, expect, it } from 'vitest';
import { describeError, errorCodes } from './errors.ts';

describe('the message of NOT_FOUND', () => {
  it.each([
    ['vault', 'This vault no longer exists.', 'Ce coffre n’existe plus.'],
    ['note', 'This note no longer exists.', 'Cette note n’existe plus.'],
    ['turn', 'This turn no longer exists.', 'Cet échange n’existe plus.'],
    ['gizmo', 'This gizmo no longer exists.', 'Cet élément n’existe plus.'],
  ])('names a %s in the language of the user', (what, english, french) => {
    expect(describeError('NOT_FOUND', { what }, 'en')).toBe(english);
    expect(describeError('NOT_FOUND', { what }, 'fr')).toBe(french);
  });
});

it('no line of a French message breaks before a sign or inside quotes, and what it quotes stays as it is', () => {
  for (const code of errorCodes) expect(describeError(code, {}, 'fr')).not.toMatch(/ [»?!:;]|« /);
  expect(describeError('SETTING_UNKNOWN', { key: 'a : b', available: 'c' }, 'fr')).toBe(
    'Le réglage «\u00a0a : b\u00a0» n’existe pas. Réglages disponibles\u00a0: c.',
  );
});
