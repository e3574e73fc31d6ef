import { IMPORT_PIECE, type ImportId, MOST_IMPORT_FILES } from '../contract/imports.ts';
import type { Client } from '../contract/index.ts';
import { AppError } from '../errors.ts';
import type { NamedBlob } from './blob.ts';
import { isZip, readZip } from './zip.ts';

declare const TextDecoder: new () => {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string;
};

/** A text to import, piece by piece. */
interface TextFile {
  name: string;
  modifiedAt: number;
  size: number;
  bytes(): AsyncIterable<Uint8Array>;
}

/** Conversations in the data exports of ChatGPT, also in several numbered files, and of Claude. */
const CONVERSATIONS = /(?:^|\/)conversations(?:-\d+)?\.json$/i;
const TRANSCRIPT = /\.(?:md|markdown|txt)$/i;
const HEAD_BYTES = 200;
/** A folder that macOS puts beside the files of a zip file. */
const NOT_A_FILE = /(?:^|\/)__MACOSX\/|\/$/;

/**
 * Sends files to import to a core, which keeps them until the import is started or given up. Of a zip file it sends the conversations of a
 * data export, or else every Markdown file.
 * @param tell called with the share that is sent, from 0 to 1
 * @throws AppError ZIP_UNREADABLE, IMPORT_NOTHING; what the core refuses. Nothing is left in the core then.
 */
export async function sendFiles(
  client: Client,
  files: readonly NamedBlob[],
  tell: (share: number) => void = () => undefined,
): Promise<ImportId> {
  const texts = (await Promise.all(files.map(textsOf))).flat();
  if (texts.length === 0 || texts.length > MOST_IMPORT_FILES)
    throw new AppError('IMPORT_NOTHING', { path: files[0]?.name ?? '' });
  const { id } = await client.imports.begin({
    files: texts.map(({ name, modifiedAt }) => ({ name: name.slice(-1_000), modifiedAt })),
  });
  try {
    const total = texts.reduce((sum, { size }) => sum + size, 0);
    let sent = 0;
    for (const [file, text] of texts.entries()) {
      let from = 0;
      for await (const piece of piecesOf(text)) {
        await client.imports.append({ id, file, from, text: piece.text });
        from += piece.text.length;
        sent += piece.bytes;
        tell(total === 0 ? 1 : Math.min(1, sent / total));
      }
    }
  } catch (error) {
    await client.imports.cancel({ id });
    throw error;
  }
  return id;
}

async function textsOf({ name, modifiedAt, blob }: NamedBlob): Promise<TextFile[]> {
  if (!(await isZip(blob)))
    return TRANSCRIPT.test(name) || (await mayBeJson(blob))
      ? [{ name, modifiedAt, size: blob.size, bytes: () => blob.stream() }]
      : [];
  const entries = (await readZip(name, blob)).filter((entry) => !NOT_A_FILE.test(entry.name));
  const wanted = [CONVERSATIONS, TRANSCRIPT]
    .map((pattern) => entries.filter((entry) => pattern.test(entry.name)))
    .find((some) => some.length > 0);
  return (wanted ?? []).map((entry) => ({
    // Files of every data export have the same names: the user knows it by that of the zip file.
    name: `${name}/${entry.name}`,
    modifiedAt,
    size: entry.size,
    bytes: () => entry.content(),
  }));
}

/** Does it begin as a list or an object does? */
async function mayBeJson(blob: NamedBlob['blob']): Promise<boolean> {
  const head = new TextDecoder().decode(new Uint8Array(await blob.slice(0, HEAD_BYTES).arrayBuffer()));
  return /^\ufeff?\s*[[{]/.test(head);
}

/** The text in pieces that one call may hold. No character is divided between two. */
async function* piecesOf({ bytes }: TextFile): AsyncGenerator<{ text: string; bytes: number }> {
  const decoder = new TextDecoder();
  let text = '';
  let count = 0;
  for await (const some of bytes()) {
    text += decoder.decode(some, { stream: true });
    count += some.length;
    for (; text.length >= IMPORT_PIECE; count = 0) {
      const end = cutAt(text, IMPORT_PIECE);
      yield { text: text.slice(0, end), bytes: count };
      text = text.slice(end);
    }
  }
  text += decoder.decode();
  if (text !== '') yield { text, bytes: count };
}

/** A place at or just before `at` that divides no pair of surrogates, which the core stores as UTF-8. */
function cutAt(text: string, at: number): number {
  const isHigh = (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return isHigh ? at - 1 : at;
}
