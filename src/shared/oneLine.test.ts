import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine, quotedLine } from './oneLine.ts';

const anything = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\n',
      '\r',
      '\v',
      '\f',
      '\u0085',
      '\u2028',
      '\u2029',
      '\u001b',
      '\u202e',
      '\u2066',
      '\ud800',
      '\u{e0041}',
    ),
    fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
  ),
});

describe('a quoted line', () => {
  it('is one line without controls, lone surrogates or invisible characters, whatever the text', () => {
    fc.assert(
      fc.property(anything, (text) => {
        expect(quotedLine(text)).not.toMatch(
          /[\p{Cc}\p{Cs}\u2028\u2029\u00ad\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
        );
        expect(oneLine(text, 40)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
        expect(oneLine(text, 40).length).toBeLessThanOrEqual(40);
      }),
    );
  });

  it('shows where lines ended, and keeps joined emoji and accents', () => {
    expect(quotedLine('un\r\ndeux\u2028trois\tété 👩‍🌾')).toBe('un\\ndeux\\ntrois été 👩‍🌾');
    expect(oneLine('un\n\n  deux', 40)).toBe('un deux');
  });
});
