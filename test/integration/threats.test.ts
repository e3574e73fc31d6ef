import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The rows of the page's tables: what is tried, what holds, and the tests, as a file and the names in it. */
function claims() {
  const page = readFileSync(join(ROOT, 'docs/THREATS.md'), 'utf8');
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| it ') && !line.startsWith('| ---'))
    .map((line) => {
      const [, tried = '', , shown = ''] = line.split('|');
      const tests = [...shown.matchAll(/`((?:src|test)\/[^`]+)`((?: “[^”]+”,?)*)/g)].flatMap(
        ([, file = '', names = '']) =>
          [...names.matchAll(/“([^”]+)”/g)].map(([, name = '']) => ({ file, name })),
      );
      return { tried: tried.trim(), tests };
    });
}

describe('the page of threats', () => {
  it('has lines, and each names a test', () => {
    expect(claims().length).toBeGreaterThan(15);
    for (const { tried, tests } of claims()) expect(tests, tried).not.toEqual([]);
  });

  it.each(claims().flatMap(({ tests }) => tests))(
    'names a test that exists: $file, $name',
    ({ file, name }) => {
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(name);
    },
  );
});
