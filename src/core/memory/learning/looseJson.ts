/** Beyond this depth nothing is read: memories are flat, and a model may open brackets without end. */
const DEEPEST = 12;
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '«': '»', '`': '`' };
const SPACE = /\s/;

/**
 * Reads every object and list that stands in a text, in order, whatever is around them: prose, code fences, comments. Forgives what models
 * write instead of JSON: trailing and missing commas, quotes of other kinds or none, line breaks and quotes inside strings, `None` and
 * `True`, and an end that never comes. Takes time linear in the length of the text.
 */
export function readLooseJson(text: string): unknown[] {
  const whole = parsed(text);
  if (whole !== undefined) return [whole];
  const reader = new LooseReader(text);
  return reader.readAll();
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

class LooseReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): unknown[] {
    const found: unknown[] = [];
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at];
      if (sign === '{' || (sign === '[' && this.#opensList())) found.push(this.#value(0));
      else this.#at += 1;
    }
    return found;
  }

  /** Prose has brackets too: "[1]", "[sic]". */
  #opensList(): boolean {
    return /^\[\s*[{[\]]/.test(this.#text.slice(this.#at, this.#at + 200));
  }

  #value(depth: number): unknown {
    this.#skipSpace();
    const sign = this.#text[this.#at];
    if (sign === '{' || sign === '[') {
      if (depth < DEEPEST) return sign === '{' ? this.#object(depth + 1) : this.#list(depth + 1);
      this.#at = this.#text.length;
      return null;
    }
    return sign !== undefined && sign in QUOTES ? this.#string() : this.#bare();
  }

  #object(depth: number): Record<string, unknown> {
    const found: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    this.#at += 1;
    for (;;) {
      this.#skipSpace(',');
      const sign = this.#text[this.#at];
      if (sign === undefined) return found;
      if (sign === '}') {
        this.#at += 1;
        return found;
      }
      // The object was not closed, and what comes belongs to the list around it.
      if (sign === ']' || sign === '{') return found;
      const key = sign in QUOTES ? this.#string() : this.#name();
      this.#skipSpace();
      if (this.#text[this.#at] !== ':' && this.#text[this.#at] !== '=') {
        if (key === '') this.#at += 1;
        continue;
      }
      this.#at += 1;
      found[key] = this.#value(depth);
    }
  }

  #list(depth: number): unknown[] {
    const found: unknown[] = [];
    this.#at += 1;
    for (;;) {
      this.#skipSpace(',');
      const sign = this.#text[this.#at];
      if (sign === undefined) return found;
      if (sign === ']') {
        this.#at += 1;
        return found;
      }
      const before = this.#at;
      // A list that was not closed ends with the object around it.
      if (sign === '}') return found;
      found.push(this.#value(depth));
      if (this.#at === before) this.#at += 1;
    }
  }

  /** A quote inside a string closes it only before what may follow a string. */
  #string(): string {
    const open = this.#text[this.#at] as string;
    const close = QUOTES[open] as string;
    let read = '';
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at] as string;
      if (sign === '\\') {
        read += this.#escaped();
        continue;
      }
      this.#at += 1;
      if (sign === close && this.#mayFollow()) return read;
      read += sign;
    }
    return read;
  }

  #mayFollow(): boolean {
    let at = this.#at;
    while (at < this.#text.length && at - this.#at < 100 && SPACE.test(this.#text[at] as string)) at += 1;
    const next = this.#text[at];
    if (next === undefined || /[,:}\]]/.test(next)) return true;
    // A comma is missing between two entries on lines of their own.
    return this.#text.slice(this.#at, at).includes('\n') && next in QUOTES;
  }

  #escaped(): string {
    const sign = this.#text[this.#at + 1] ?? '';
    this.#at += 2;
    if (sign === 'u') {
      const [hex] = /^[\da-f]{4}/i.exec(this.#text.slice(this.#at, this.#at + 4)) ?? [];
      if (hex === undefined) return '';
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    return { n: '\n', t: '\t', r: '\r', b: '', f: '' }[sign] ?? sign;
  }

  #name(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !/[\s:={}[\],"]/.test(this.#text[this.#at] as string))
      this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #bare(): unknown {
    const start = this.#at;
    while (this.#at < this.#text.length && !/[\n,}\]]/.test(this.#text[this.#at] as string)) this.#at += 1;
    const word = this.#text.slice(start, this.#at).trim();
    if (/^(?:null|none|undefined|nil)?$/i.test(word)) return null;
    if (/^true$/i.test(word)) return true;
    if (/^false$/i.test(word)) return false;
    const number = Number(word);
    return Number.isNaN(number) ? word : number;
  }

  /** Skips spaces, comments, and `sign`. */
  #skipSpace(sign = ''): void {
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined) return;
      if (SPACE.test(next) || next === sign) this.#at += 1;
      else if (next === '/' && this.#text[this.#at + 1] === '/') this.#skipTo('\n');
      else if (next === '/' && this.#text[this.#at + 1] === '*') this.#skipTo('*/');
      else return;
    }
  }

  #skipTo(end: string): void {
    const found = this.#text.indexOf(end, this.#at + 2);
    this.#at = found === -1 ? this.#text.length : found + end.length;
  }
}
