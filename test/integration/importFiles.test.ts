import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/shared/contract/index.ts';
import { sendFiles } from '../../src/shared/importFiles/sendFiles.ts';
import { type ZipLies, zipOf } from '../support/zips.ts';

/** A core that keeps what it is sent. */
class Receiver {
  readonly names: string[] = [];
  readonly texts: string[] = [];
  readonly pieces: number[] = [];
  cancelled = 0;

  readonly client = {
    imports: {
      begin: ({ files }: { files: { name: string }[] }) => {
        this.names.push(...files.map(({ name }) => name));
        return Promise.resolve({ id: 'import_1' });
      },
      append: ({ file, from, text }: { file: number; from: number; text: string }) => {
        expect(from).toBe((this.texts[file] ?? '').length);
        this.texts[file] = (this.texts[file] ?? '') + text;
        this.pieces.push(text.length);
        return Promise.resolve();
      },
      cancel: () => {
        this.cancelled += 1;
        return Promise.resolve();
      },
    },
  } as unknown as Client;
}

const named = (name: string, content: string | Buffer<ArrayBuffer>) => ({
  name,
  modifiedAt: 0,
  blob: new Blob([content]),
});
const zipped = (files: Record<string, string>, lies?: ZipLies) =>
  named('export.zip', zipOf(files, lies) as Buffer<ArrayBuffer>);

const EXPORT = {
  'chat.html': '<p>',
  'conversations.json': '[{"é": 1}]',
  'images/conversations.json.png': 'PNG',
  '__MACOSX/conversations.json': 'x',
};

describe('a zip file', () => {
  it.each([{}, { method: 0 }, { large: true }])(
    'gives the conversations of a data export (%j)',
    async (lies) => {
      const core = new Receiver();
      await sendFiles(core.client, [zipped(EXPORT, lies)]);
      expect(core.names).toEqual(['export.zip/conversations.json']);
      expect(core.texts).toEqual(['[{"é": 1}]']);
    },
  );

  it('gives those of every numbered file, or else all transcripts', async () => {
    const core = new Receiver();
    await sendFiles(core.client, [
      zipped({ 'a/conversations-000.json': '[1]', 'a/conversations-001.json': '[2]', 'note.md': 'x' }),
      zipped({ 'one.md': '# 1', 'folder/two.md': '# 2', 'picture.png': 'x' }),
    ]);
    expect(core.names).toEqual([
      'export.zip/a/conversations-000.json',
      'export.zip/a/conversations-001.json',
      'export.zip/one.md',
      'export.zip/folder/two.md',
    ]);
    expect(core.texts).toEqual(['[1]', '[2]', '# 1', '# 2']);
  });

  it.each([
    ['is encrypted', { flags: 1 }],
    ['is packed in a way that is not known', { method: 12 }],
    ['grows larger than it says', { size: 3 }],
    ['is smaller than it says', { size: 30 }],
    ['is not what was packed', { crc: 7 }],
  ])('of which a file %s is refused, and leaves nothing behind', async (_, lies) => {
    const core = new Receiver();
    await expect(sendFiles(core.client, [zipped(EXPORT, lies)])).rejects.toMatchObject({
      code: 'ZIP_UNREADABLE',
    });
    expect(core.cancelled).toBe(1);
  });

  it('that was cut off or spoilt anywhere is refused, or gives what it holds', async () => {
    const whole = zipOf({ 'conversations.json': '[{"text": "Bonjour"}]' });
    for (let at = 0; at < whole.length; at += 1) {
      const spoilt = Buffer.from(whole);
      spoilt[at] = (spoilt[at] as number) ^ 0x55;
      for (const content of [spoilt, whole.subarray(0, at)]) {
        const core = new Receiver();
        const sent = sendFiles(core.client, [named('export.zip', content as Buffer<ArrayBuffer>)]);
        await sent.then(
          () => expect(core.texts).toEqual(['[{"text": "Bonjour"}]']),
          (error: { code?: string }) => expect(error.code).toMatch(/^(ZIP_UNREADABLE|IMPORT_NOTHING)$/),
        );
      }
    }
  });

  it('without conversations says so', async () => {
    const core = new Receiver();
    await expect(sendFiles(core.client, [zipped({ 'a.png': 'x' })])).rejects.toMatchObject({
      code: 'IMPORT_NOTHING',
    });
    expect(core.names).toEqual([]);
  });
});

describe('a text', () => {
  it('is sent in pieces that divide no character', async () => {
    const core = new Receiver();
    const text = `["${'😀é'.repeat(900_000)}"]`;
    const shares: number[] = [];
    await sendFiles(core.client, [named('conversations.json', text)], (share) => shares.push(share));
    expect(core.texts).toEqual([text]);
    expect(core.pieces.length).toBeGreaterThan(2);
    expect(core.pieces.every((length) => length <= 1 << 20)).toBe(true);
    expect(shares.at(-1)).toBe(1);
    let from = 0;
    for (const length of core.pieces) {
      expect(text.slice(from, from + length).isWellFormed()).toBe(true);
      from += length;
    }
  });

  it('that is neither JSON nor Markdown is not sent', async () => {
    const core = new Receiver();
    const sent = sendFiles(core.client, [named('photo.jpg', 'ÿØÿà')]);
    await expect(sent).rejects.toMatchObject({ code: 'IMPORT_NOTHING', params: { path: 'photo.jpg' } });
  });
});
