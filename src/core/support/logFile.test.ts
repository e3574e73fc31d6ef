import { mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeFolder, temporaryFolder } from '../../../test/support/temporary.ts';
import { LogFile } from './logFile.ts';
import { createLogger } from './logger.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = temporaryFolder();
  path = join(dir, 'souvenir.log');
});
afterEach(() => removeFolder(dir));

const lines = () =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('a log that cannot be written stops nobody, and later says how much is missing and why', () => {
  mkdirSync(path);
  const log = createLogger(dir);
  log.error('one');
  log.info('two');
  rmdirSync(path);
  log.info('three');
  log.info('four');
  expect(lines()).toMatchObject([{ level: 40, lines: 2, code: 'EISDIR' }, { msg: 'three' }, { msg: 'four' }]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('a log that has grown is kept as the older one when it is opened again', () => {
  writeFileSync(path, 'x'.repeat(101));
  const log = new LogFile(path, 100);
  log.write('{"msg":"new"}\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toHaveLength(101);
  expect(lines()).toEqual([{ msg: 'new' }]);
});
