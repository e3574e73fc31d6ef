import { MOST_FILE_TEXT, MOST_PAGES } from '../../shared/contract/attachments.ts';
import { FileRefused } from './fileRefused.ts';

type Pdf = typeof import('pdfjs-dist/legacy/build/pdf.mjs');
type Text = Awaited<
  ReturnType<
    Awaited<ReturnType<Awaited<ReturnType<Pdf['getDocument']>['promise']>['getPage']>>['getTextContent']
  >
>;
type Item = Text['items'][number];

/** Two lines further apart than so many heights of their letters are of two paragraphs. */
const PARAGRAPH_GAP = 1.8;

/**
 * The text of each page of a PDF. Nothing of it is drawn, run or fetched: no script, no font, no picture, no address. To be called in a
 * thread of its own, since a hostile file may take for ever.
 * @throws FileRefused
 */
export async function pagesOf(bytes: Uint8Array): Promise<string[]> {
  const pdf = await loadLibrary();
  const loading = pdf.getDocument({
    // The library takes the memory over.
    data: bytes.slice(),
    isEvalSupported: false,
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    // A picture is left out, whatever its size.
    maxImageSize: 1,
    stopAtErrors: false,
    verbosity: pdf.VerbosityLevel.ERRORS,
  });
  try {
    const document = await loading.promise;
    if (document.numPages > MOST_PAGES) throw new FileRefused('ATTACHMENT_TOO_LONG');
    const pages: string[] = [];
    let length = 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      const text = textOf((await page.getTextContent()).items);
      page.cleanup();
      length += text.length;
      if (length > MOST_FILE_TEXT) throw new FileRefused('ATTACHMENT_TOO_LONG');
      pages.push(text);
    }
    return pages;
  } catch (error) {
    if (error instanceof FileRefused) throw error;
    throw new FileRefused(
      (error as { name?: string }).name === 'PasswordException' ? 'ATTACHMENT_LOCKED' : 'ATTACHMENT_DAMAGED',
    );
  } finally {
    await loading.destroy();
  }
}

/** What the library names when it is loaded and uses only to draw. */
const DRAWN_WITH = ['DOMMatrix', 'ImageData', 'Path2D'];

/**
 * The library looks for a native canvas, to draw with, when it is loaded, and warns if there is none. Nothing is drawn here, and native
 * code has no part in reading what somebody else wrote.
 */
async function loadLibrary(): Promise<Pdf> {
  const { getBuiltinModule } = process;
  const { log, warn } = console;
  const nothingNative = {
    createRequire: () => () => {
      throw new Error('nothing is drawn');
    },
  };
  // In a process of Electron's other than the main one it would take itself for a page.
  if ('type' in process) Object.defineProperty(process, 'type', { value: 'browser' });
  process.getBuiltinModule = (name: string) => (name === 'module' ? nothingNative : getBuiltinModule(name));
  console.log = console.warn = () => undefined;
  for (const name of DRAWN_WITH)
    if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value: class {} });
  try {
    return await import('pdfjs-dist/legacy/build/pdf.mjs');
  } finally {
    process.getBuiltinModule = getBuiltinModule;
    console.log = log;
    console.warn = warn;
  }
}

/** The words of a page in the order in which it has them, line by line. */
function textOf(items: readonly Item[]): string {
  let text = '';
  let before: { y: number; height: number } | null = null;
  for (const item of items) {
    if (!('str' in item)) continue;
    const y = Number(item.transform[5]);
    if (text.endsWith('\n') && before && item.str.trim() !== '') {
      const gap = Math.abs(before.y - y);
      if (gap > PARAGRAPH_GAP * Math.max(before.height, item.height, 1)) text += '\n';
    }
    text += item.str;
    if (item.str.trim() !== '') before = { y, height: item.height };
    if (item.hasEOL) text += '\n';
  }
  // Nulls and other controls stand for glyphs without a meaning.
  return text.replace(/(?![\n\t])\p{Cc}/gu, '').normalize('NFC');
}
