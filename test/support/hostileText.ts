import fc from 'fast-check';

/** What ends a line, turns the writing direction, hides, or is no character at all. */
const HOSTILE = [
  '\n',
  '\r',
  '\v',
  '\f',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u2066',
  '\u0000',
  '\u001b[2J',
  '\ud800',
  '\u{e0041}',
];

/** Any text, rich in characters that forge lines or hide, and in `more` texts. */
export const hostileText = (...more: readonly string[]): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.oneof(
      fc.constantFrom(...HOSTILE, ...more),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
    ),
  });
