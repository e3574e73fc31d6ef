import fc from 'fast-check';
import createIgnore from 'ignore';
import { describe, expect, it } from 'vitest';
import { compileGlobs } from './globs.ts';

const letter = fc.constantFrom('a', 'b', 'É', '.', ' x', '-');
const partOfPattern = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(fc.oneof(letter, fc.constantFrom('*', '?', '[ab]', '[!a]', '[a-c]', '\\*')), {
        minLength: 1,
        maxLength: 4,
      })
      .map((all) => all.join('')),
  },
  fc.constant('**'),
);
const pattern = fc
  .tuple(
    fc.constantFrom('', '', '!', '/'),
    fc.array(partOfPattern, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '', '/'),
  )
  .map(([start, parts, end]) => `${start}${parts.join('/')}${end}`)
  // Git gives more than two stars in a row no meaning.
  .filter((one) => !one.includes('***'));
const name = fc
  .array(fc.constantFrom('a', 'b', 'é', '.', ' x', '-', '*'), { minLength: 1, maxLength: 4 })
  .map((all) => all.join(''))
  .filter((one) => !/^\.+$/.test(one));
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

describe('compileGlobs', () => {
  it('reads patterns as the usual reader of .gitignore does', () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { maxLength: 4 }),
        fc.array(path),
        fc.boolean(),
        (patterns, paths, isFolder) => {
          const usual = createIgnore({ ignorecase: true, allowRelativePaths: true }).add(patterns);
          const globs = compileGlobs(patterns);
          for (const one of paths)
            expect(globs(one, isFolder)).toBe(usual.ignores(isFolder ? `${one}/` : one));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('comes to an end on patterns on which regular expressions do not', () => {
    const patterns = [`${'*a'.repeat(200)}b`, `${'**/*a*'.repeat(60)}b`, `${'*a'.repeat(100)}/**/b`];
    const path = Array.from({ length: 16 }, () => 'a'.repeat(250)).join('/');
    expect(compileGlobs(patterns)(`${path}/c`, false)).toBe(false);
  });

  it('takes a line that is empty or a comment for none', () => {
    expect(compileGlobs(['', '   ', '#a', '/', '!'])('#a', false)).toBe(false);
    expect(compileGlobs(['\\#a'])('#a', false)).toBe(true);
  });
});
