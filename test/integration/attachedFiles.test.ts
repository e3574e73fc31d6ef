import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileText } from '../../src/core/attachments/attachmentContract.ts';
import { AttachmentReader } from '../../src/core/attachments/attachmentReader.ts';
import { createLogger, type Logger } from '../../src/core/support/logger.ts';
import { MOST_FILE_BYTES, MOST_FILE_TEXT, MOST_PAGES } from '../../src/shared/contract/attachments.ts';
import { makePdf } from '../support/pdf.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

let folder = '';
let log: Logger;
let reader: AttachmentReader;
beforeAll(() => {
  folder = temporaryFolder();
  log = createLogger(folder);
  reader = new AttachmentReader(log);
});
afterAll(() => removeFolder(folder));

const read = (name: string, content: string | Uint8Array): Promise<FileText> =>
  reader.read({ name, bytes: typeof content === 'string' ? Buffer.from(content) : content });
const textOf = ({ sections }: FileText) => sections.map(({ text }) => text).join('\n');
const codeOf = async (name: string, content: string | Uint8Array) =>
  read(name, content).then(
    () => 'read',
    ({ code }: { code: string }) => code,
  );

describe('files that can be attached', () => {
  it('reads a PDF page by page, with its accents and its lines', async () => {
    const pdf = makePdf([
      ['Contrat de bail', 'Le loyer est de 640 euros.', 'Il est payable le 5 du mois.'],
      ['Le d\xe9p\xf4t de garantie (caution) est de 1280 euros.'],
    ]);
    const { kind, pages, sections } = await read('bail.pdf', pdf);
    expect({ kind, pages }).toEqual({ kind: 'pdf', pages: 2 });
    expect(sections.map(({ heading }) => heading)).toEqual([['p. 1'], ['p. 2']]);
    expect(sections[0]?.text).toBe(
      'Contrat de bail\nLe loyer est de 640 euros.\nIl est payable le 5 du mois.',
    );
    expect(sections[1]?.text).toBe('Le dépôt de garantie (caution) est de 1280 euros.');
  });

  it('knows a PDF by its content, whatever its name', async () => {
    expect((await read('scan.txt', makePdf([['Facture 2291']]))).kind).toBe('pdf');
  });

  it('cuts Markdown at its headings, and a text at its paragraphs, and loses nothing', async () => {
    const markdown = await read(
      'projet.md',
      '---\ntags: [a]\n---\nPréambule.\n\n# Toit\n\nEn zinc.\n\n## Prix\n\n12 000 €\n',
    );
    expect(markdown.sections).toEqual([
      { heading: [], text: 'Préambule.' },
      { heading: ['Toit'], text: 'En zinc.' },
      { heading: ['Toit', 'Prix'], text: '12 000 €' },
    ]);
    const lines = Array.from(
      { length: 200 },
      (_, place) => `Paragraphe ${place} : ${'mot '.repeat(20)}fin ${place}.`,
    );
    const text = await read('journal.txt', lines.join('\n\n'));
    expect(text.sections.length).toBeGreaterThan(5);
    for (const line of lines) expect(textOf(text)).toContain(line);
  });

  it('reads texts of other encodings', async () => {
    expect(textOf(await read('a.txt', Buffer.from('\ufeffété', 'utf8')))).toBe('été');
    expect(textOf(await read('a.txt', Buffer.from('\ufeffété', 'utf16le')))).toBe('été');
    expect(textOf(await read('a.csv', Buffer.from('pr\xe9nom;ann\xe9e', 'latin1')))).toBe('prénom;année');
  });
});

describe('files that cannot be attached', () => {
  it.each<[string, string, Uint8Array | string]>([
    [
      'a picture',
      'ATTACHMENT_KIND',
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    ],
    ['an empty file', 'ATTACHMENT_NO_TEXT', ''],
    ['a PDF of pictures alone', 'ATTACHMENT_NO_TEXT', makePdf([[], []], { extra: '0 0 100 100 re f' })],
    ['a PDF without pages', 'ATTACHMENT_NO_TEXT', makePdf([])],
    ['a PDF behind a password', 'ATTACHMENT_LOCKED', makePdf([['secret']], { password: 'soleil' })],
    ['a PDF that is none', 'ATTACHMENT_DAMAGED', '%PDF-1.7\nthis is not one'],
    ['a text that is too long', 'ATTACHMENT_TOO_LONG', 'mot '.repeat(MOST_FILE_TEXT / 4 + 1)],
    ['a file that is too large', 'ATTACHMENT_TOO_LARGE', new Uint8Array(MOST_FILE_BYTES + 1)],
    [
      'a PDF with too many pages',
      'ATTACHMENT_TOO_LONG',
      makePdf(Array.from({ length: MOST_PAGES + 1 }, () => ['une'])),
    ],
  ])('refuses %s with %s', async (_what, code, content) => {
    expect(await codeOf('fichier.pdf', content)).toBe(code);
  });

  it('ends visibly with a PDF cut anywhere, or with a byte changed anywhere', async () => {
    const whole = makePdf([['Le loyer est de 640 euros.'], ['Deuxième page'.replace('è', '\xe8')]], {
      compress: true,
    });
    const known = [
      'read',
      'ATTACHMENT_NO_TEXT',
      'ATTACHMENT_DAMAGED',
      'ATTACHMENT_LOCKED',
      'ATTACHMENT_KIND',
    ];
    for (let part = 1; part < 5; part += 1)
      expect(known).toContain(
        await codeOf('a.pdf', whole.subarray(0, Math.floor((whole.length * part) / 5))),
      );
    for (let part = 0; part < 5; part += 1) {
      const changed = Buffer.from(whole);
      changed[Math.floor((whole.length * part) / 5) + 12] = 0x3e;
      expect(known).toContain(await codeOf('a.pdf', changed));
    }
  });

  it('runs no script of a PDF, and opens no address', async () => {
    const script = 'this.exportDataObject({cName: "x"}); app.launchURL("http://127.0.0.1:9/");';
    const pdf = makePdf([['Rien à voir.'.replace('à', '\xe0')]], {
      catalogue: `/OpenAction << /S /JavaScript /JS (${script.replace(/[()]/g, '\\$&')}) >>`,
    });
    expect(textOf(await read('a.pdf', pdf))).toBe('Rien à voir.');
  });

  it('ends a file that takes too long, and reads the next one', async () => {
    const hasty = new AttachmentReader(log, { ms: 0, growthBytes: 1e9 });
    await expect(hasty.read({ name: 'a.pdf', bytes: makePdf([['a']]) })).rejects.toMatchObject({
      code: 'ATTACHMENT_TOO_HEAVY',
    });
    expect(textOf(await read('b.txt', 'suite'))).toBe('suite');
  });

  it('ends a file that unpacks to more than there is room for, and reads the next one', async () => {
    const bomb = makePdf([['loin']], { compress: true, blank: 400_000_000 });
    expect(bomb.length).toBeLessThan(MOST_FILE_BYTES);
    const narrow = new AttachmentReader(log, { ms: 60_000, growthBytes: 100_000_000 });
    await expect(narrow.read({ name: 'bombe.pdf', bytes: bomb })).rejects.toMatchObject({
      code: 'ATTACHMENT_TOO_HEAVY',
    });
    expect(textOf(await read('b.txt', 'suite'))).toBe('suite');
  });
});
