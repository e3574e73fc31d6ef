import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** Padding of passwords, as the PDF standard gives it. */
const PADDING = Buffer.from('28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A', 'hex');

interface PdfOptions {
  /** Drawn commands of every page beside its text; a picture, a path. */
  extra?: string;
  /** More entries of the document's catalogue. */
  catalogue?: string;
  /** Content streams are compressed. */
  compress?: boolean;
  /** What each content stream is filled up with before it is compressed, in bytes. */
  blank?: number;
  /** Nobody opens it without the password. */
  password?: string;
}

/** A PDF with a page for each list of lines. */
export function makePdf(pages: readonly (readonly string[])[], options: PdfOptions = {}): Buffer {
  const { extra = '', catalogue = '', compress = false, blank = 0, password } = options;
  const id = createHash('md5').update('souvenir').digest();
  const lock = password === undefined ? null : keyOf(password, id);
  const objects: Buffer[] = [];
  const add = (number: number, body: string, stream?: Buffer) => {
    const content = stream && (lock ? rc4(objectKey(lock.key, number), stream) : stream);
    objects[number] = Buffer.concat([
      Buffer.from(`${number} 0 obj\n${body}\n`, 'latin1'),
      ...(content ? [Buffer.from('stream\n'), content, Buffer.from('\nendstream\n')] : []),
      Buffer.from('endobj\n'),
    ]);
  };
  const kids = pages.map((_, place) => `${4 + place * 2} 0 R`).join(' ');
  add(1, `<< /Type /Catalog /Pages 2 0 R ${catalogue} >>`);
  add(2, `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  for (const [place, lines] of pages.entries()) {
    const shown = lines
      .map((line, row) => `1 0 0 1 72 ${760 - row * 16} Tm (${escaped(line)}) Tj`)
      .join('\n');
    const drawn = Buffer.from(`${extra}\nBT /F1 12 Tf\n${shown}\nET${' '.repeat(blank)}`, 'latin1');
    const stream = compress ? deflateSync(drawn) : drawn;
    const filter = compress ? '/Filter /FlateDecode' : '';
    add(
      4 + place * 2,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + place * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    add(5 + place * 2, `<< /Length ${stream.length} ${filter} >>`, stream);
  }
  if (lock) {
    const { owner, user } = lock;
    add(objects.length, `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${owner}> /U <${user}> >>`);
  }
  const head = Buffer.from('%PDF-1.4\n');
  let at = head.length;
  const table = objects.slice(1).map((object) => {
    const line = `${String(at).padStart(10, '0')} 00000 n \n`;
    at += object.length;
    return line;
  });
  const encrypt = lock
    ? `/Encrypt ${objects.length - 1} 0 R /ID [<${id.toString('hex')}> <${id.toString('hex')}>]`
    : '';
  const tail = `xref\n0 ${objects.length}\n0000000000 65535 f \n${table.join('')}trailer\n<< /Size ${objects.length} /Root 1 0 R ${encrypt} >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([head, ...objects.slice(1), Buffer.from(tail, 'latin1')]);
}

const escaped = (text: string) => text.replace(/[\\()]/g, '\\$&');

const md5 = (...parts: Uint8Array[]) => createHash('md5').update(Buffer.concat(parts)).digest();

/** The oldest way to lock a PDF, with a key of 40 bits; algorithms 3.2 to 3.4 of the PDF Reference, 1.4. */
function keyOf(password: string, id: Buffer): { key: Buffer; owner: string; user: string } {
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const rights = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
  const key = md5(padded, owner, rights, id).subarray(0, 5);
  return { key, owner: owner.toString('hex'), user: rc4(key, PADDING).toString('hex') };
}

const objectKey = (key: Buffer, number: number): Buffer =>
  md5(key, Buffer.from([number & 0xff, (number >> 8) & 0xff, (number >> 16) & 0xff, 0, 0])).subarray(0, 10);

/** Node's own needs a switch for what is so weak. */
function rc4(key: Buffer, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 0xff] as number;
  const swap = (one: number, other: number) => {
    const [a, b] = [at(one), at(other)];
    state[one & 0xff] = b;
    state[other & 0xff] = a;
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] as number)) & 0xff;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 0xff;
      j = (j + at(i)) & 0xff;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}
