import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backUp, exportAll } from '../../src/cli/dataCommands.ts';
import { importFile } from '../../src/cli/importCommand.ts';
import { retrieve } from '../../src/cli/questionCommands.ts';
import { createApp, readOwnerAddress, restoreBackup } from '../../src/core/app.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { createTestApp, type TestApp } from '../support/testApp.ts';

/** Paths that no command can read or write, by what they are. */
function unusableFiles(folder: string) {
  const at = (name: string) => join(folder, name);
  execFileSync('mkfifo', [at('fifo')]);
  mkdirSync(at('folder'));
  symlinkSync('loop', at('loop'));
  writeFileSync(at('text'), '{"id":1,"text":"a"}\nnothing\n');
  writeFileSync(at('huge'), '');
  // Sparse: it takes no room.
  truncateSync(at('huge'), 3 * 1024 ** 3);
  return {
    missing: at('missing/file'),
    device: '/dev/zero',
    inFile: at('text/file'),
    fifo: at('fifo'),
    folder: at('folder'),
    loop: at('loop'),
    text: at('text'),
    huge: at('huge'),
    long: at('a'.repeat(300)),
  };
}
type Unusable = keyof ReturnType<typeof unusableFiles>;

describe.skipIf(process.platform === 'win32')('a file that the command cannot use', () => {
  let test: TestApp;
  let folder: string;
  let files: ReturnType<typeof unusableFiles>;
  beforeAll(() => {
    test = createTestApp();
    folder = temporaryFolder();
    files = unusableFiles(folder);
  });
  afterAll(async () => {
    await test.dispose();
    removeFolder(folder);
  });
  const context = () => ({ client: test.app.client, json: true });

  const unreadable: readonly Unusable[] = [
    'missing',
    'device',
    'inFile',
    'fifo',
    'folder',
    'loop',
    'text',
    'huge',
    'long',
  ];
  // A device is no target here: where this fails as root, it would be gone.
  const unwritable: readonly Unusable[] = ['missing', 'inFile', 'fifo', 'folder'];

  it.each(unreadable)('is told of by retrieve --batch: %s', async (name) => {
    const asked = retrieve(context(), undefined, { batch: files[name] });
    await expect(asked).rejects.toMatchObject({ code: 'FILE_UNREADABLE', params: { reason: inWords } });
  });

  it.each(unreadable)('is told of by import: %s', async (name) => {
    const asked = importFile(context(), files[name], { preview: false, facts: false });
    await expect(asked).rejects.toMatchObject(
      // An import reads files of any size, a part at a time; these two hold no conversation.
      name === 'text' || name === 'huge'
        ? { code: 'IMPORT_NOTHING' }
        : { code: 'FILE_UNREADABLE', params: { reason: inWords } },
    );
  });

  it.each(unreadable)('is told of by restore, with and without an owner: %s', async (name) => {
    await expect(test.app.client.data.restore({ path: files[name] })).rejects.toMatchObject({
      code: 'BACKUP_UNUSABLE',
    });
    expect(() => restoreBackup(join(folder, 'unused'), files[name])).toThrow(
      expect.objectContaining({ code: 'BACKUP_UNUSABLE' }) as Error,
    );
  });

  it.each(unwritable)('is told of by export, and left as it is: %s', async (name) => {
    const before = statSync(files[name], { throwIfNoEntry: false })?.mode;
    await expect(exportAll(context(), files[name])).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      params: { reason: inWords },
    });
    expect(statSync(files[name], { throwIfNoEntry: false })?.mode).toBe(before);
    expect(readdirSync(folder).filter((one) => one.includes('partial'))).toEqual([]);
  });

  it.each(unwritable)('is told of by backup, and left as it is: %s', async (name) => {
    const before = statSync(files[name], { throwIfNoEntry: false })?.mode;
    await expect(backUp(context(), files[name])).rejects.toMatchObject({ code: 'BACKUP_UNUSABLE' });
    expect(statSync(files[name], { throwIfNoEntry: false })?.mode).toBe(before);
  });

  it.each(['device', 'inFile', 'fifo', 'loop', 'text', 'long'] as const)(
    'is no data folder, and none can be made in it: %s',
    (name) => {
      for (const dataDir of [files[name], join(files[name], 'deeper', 'still')]) {
        expect(() => createApp({ dataDir, version: 'test' })).toThrow(
          expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE' }) as Error,
        );
        expect(readOwnerAddress(dataDir)).toBeNull();
      }
    },
  );

  it.each([
    ['nothing', (path: string) => writeFileSync(path, 'null')],
    ['no port', (path: string) => writeFileSync(path, '{"pid":1,"port":99999,"token":"x"}')],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a file that all may read', (path: string) => writeFileSync(path, '{}', { mode: 0o666 })],
  ])('in place of the address of the owner stops nobody: %s', async (_, make) => {
    const path = join(test.dataDir, 'owner.json');
    rmSync(path, { recursive: true, force: true });
    make(path);
    expect(readOwnerAddress(test.dataDir)).toBeNull();
    const address = { pid: 1, port: 2, token: 'three' };
    test.app.publish(address);
    expect(readOwnerAddress(test.dataDir)).toEqual(address);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    rmSync(path);
    make(path);
    await test.reopen();
  });
});

/** A reason in words, not a code of the system. */
const inWords = expect.not.stringMatching(/^[A-Z_]+$/) as string;
