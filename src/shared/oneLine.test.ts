import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileText } from '../../test/support/hostileText.ts';
import { oneLine, quotedLine } from './oneLine.ts';

describe('a quoted line', () => {
  it('is one line without controls, lone surrogates or invisible characters, whatever the text', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
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
