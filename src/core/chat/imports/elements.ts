import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const WINDOW_BYTES = 1 << 20;
/** A larger conversation would take gigabytes to parse; the longest talks that people export have a few megabytes. */
const LARGEST_ELEMENT = 64 << 20;
const LIST_KEY = '"conversations"';

const codeOf = (sign: string) => sign.charCodeAt(0);
const QUOTE = codeOf('"');
const BACKSLASH = codeOf('\\');
const OPEN_LIST = codeOf('[');
const CLOSE_LIST = codeOf(']');
const OPEN_OBJECT = codeOf('{');
const CLOSE_OBJECT = codeOf('}');
const COMMA = codeOf(',');
const COLON = codeOf(':');
const END = -1;

/** One value of a list, with where to read on; `end` after the last one. */
export type Element =
  | { is: 'text'; text: string; next: number }
  | { is: 'too-large'; next: number }
  | { is: 'not-json' | 'cut-off' | 'end' };

/**
 * Reads the values of a JSON list from a file, one at a time, so that a file may be larger than the memory and a value that is not valid
 * spoils no other. The list is the document itself, or stands in it under `conversations`; any other object is the one value of a list.
 */
export class Elements {
  readonly #file: number;
  readonly size: number;
  readonly #window = Buffer.allocUnsafe(WINDOW_BYTES);
  #windowAt = 0;
  #windowSize = 0;

  /** @throws the file system's error */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    this.size = fstatSync(this.#file).size;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** @param from 0, or `next` of the element before */
  read(from: number): Element {
    let at = from;
    if (from === 0) {
      const begin = this.#begin();
      if (begin === null) return { is: 'not-json' };
      if (begin.is === 'value') return this.#element(begin.at, this.size + 1);
      at = begin.at;
    }
    at = this.#skipSpace(at);
    if (this.#byte(at) === COMMA) at = this.#skipSpace(at + 1);
    const sign = this.#byte(at);
    if (sign === CLOSE_LIST || from > this.size) return { is: 'end' };
    if (sign === END) return { is: 'cut-off' };
    return this.#element(at);
  }

  #element(at: number, next?: number): Element {
    const end = this.#endOfValue(at);
    if (end === null) return { is: 'cut-off' };
    // A sign that begins no value, such as a bracket too many, is an element of its own, so that reading goes on.
    const after = Math.max(end, at + 1);
    if (after - at > LARGEST_ELEMENT) return { is: 'too-large', next: next ?? after };
    return { is: 'text', text: this.#text(at, after), next: next ?? after };
  }

  /** Where the first element of the list stands, or the one value. */
  #begin(): { is: 'list' | 'value'; at: number } | null {
    const first = this.#skipSpace(this.#byte(0) === 0xef ? 3 : 0);
    if (this.#byte(first) === OPEN_LIST) return { is: 'list', at: first + 1 };
    if (this.#byte(first) !== OPEN_OBJECT) return null;
    let at = this.#skipSpace(first + 1);
    while (this.#byte(at) === QUOTE) {
      const end = this.#endOfValue(at);
      if (end === null) break;
      const value = this.#skipSpace(this.#skipSpace(end) + 1);
      if (this.#byte(this.#skipSpace(end)) !== COLON) break;
      const isList = end - at === LIST_KEY.length && this.#text(at, end) === LIST_KEY;
      if (isList && this.#byte(value) === OPEN_LIST) return { is: 'list', at: value + 1 };
      const after = this.#endOfValue(value);
      if (after === null) break;
      at = this.#skipSpace(after);
      if (this.#byte(at) === COMMA) at = this.#skipSpace(at + 1);
    }
    return { is: 'value', at: first };
  }

  /** Where a value ends, or the list around it; null if the file ends before. */
  #endOfValue(from: number): number | null {
    let depth = 0;
    let isText = false;
    for (let at = from; ; at += 1) {
      const byte = this.#byte(at);
      if (byte === END) return depth === 0 && !isText && at > from ? at : null;
      if (isText) {
        if (byte === BACKSLASH) at += 1;
        else if (byte === QUOTE) {
          isText = false;
          if (depth === 0) return at + 1;
        }
      } else if (byte === QUOTE) isText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return at;
    }
  }

  #skipSpace(from: number): number {
    let at = from;
    while (isSpace(this.#byte(at))) at += 1;
    return at;
  }

  #byte(at: number): number {
    if (at < this.#windowAt || at >= this.#windowAt + this.#windowSize) {
      if (at >= this.size) return END;
      this.#windowAt = at;
      this.#windowSize = readSync(this.#file, this.#window, 0, WINDOW_BYTES, at);
      if (this.#windowSize === 0) return END;
    }
    return this.#window[at - this.#windowAt] as number;
  }

  #text(from: number, to: number): string {
    const bytes = Buffer.allocUnsafe(to - from);
    let read = 0;
    while (read < bytes.length) {
      const some = readSync(this.#file, bytes, read, bytes.length - read, from + read);
      if (some === 0) break;
      read += some;
    }
    return bytes.toString('utf8', 0, read);
  }
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
