import { parseJson } from '../../shared/json.ts';

/** A reply that brings its memories along, taken apart. */
interface Form {
  message: string;
  /** As the model wrote them. */
  memories: string;
}

const MESSAGE = '{"message":"';
const MEMORIES = '{"memories":';
const FENCE = /^\s*(?:```[a-z]*\s*)?/;
const FENCE_END = /\s*(?:```)?\s*$/;

/**
 * Reads a reply that may be JSON of the form `{message, memories}` while it comes: only its message is to be shown. A reply that is not of
 * that form is shown as it is. If the form was asked for, the message is shown while it is written; otherwise such a reply is held back
 * until its end tells what it is.
 */
export class ReplyForm {
  readonly #isAsked: boolean;
  #raw = '';
  #shown = '';
  #state: 'undecided' | 'plain' | 'held' | 'message' = 'undecided';
  /** Of a message that is shown while it is written. */
  #reader = new MessageReader();

  constructor(isAsked: boolean) {
    this.#isAsked = isAsked;
  }

  /** Everything that came. */
  get raw(): string {
    return this.#raw;
  }

  /** Something came that is not shown. */
  get isHolding(): boolean {
    return this.#state === 'undecided' || this.#state === 'held';
  }

  /** @returns what is to be shown in addition */
  feed(delta: string): string {
    this.#raw += delta;
    let more = '';
    if (this.#state === 'plain') more = delta;
    else if (this.#state === 'message') more = this.#reader.feed(delta);
    else if (this.#state === 'undecided') more = this.#decide();
    this.#shown += more;
    return more;
  }

  /** The reply as it is to be kept, and the memories that it brought along; null if it is not of the form. `more` was not yet shown. */
  end(): { content: string; memories: string | null; more: string } {
    const form = readForm(this.#raw, this.#isAsked);
    const content = form?.message ?? this.#raw;
    const more = content.startsWith(this.#shown) ? content.slice(this.#shown.length) : '';
    return { content, memories: form?.memories ?? null, more };
  }

  #decide(): string {
    const body = this.#raw.replace(FENCE, '');
    const dense = body.slice(0, 200).replace(/\s+/g, '');
    if (dense.startsWith(MESSAGE)) {
      if (!this.#isAsked) {
        this.#state = 'held';
        return '';
      }
      this.#state = 'message';
      return this.#reader.feed(afterOpening(body));
    }
    if (dense.startsWith(MEMORIES)) this.#state = 'held';
    else if (!mayBegin(dense)) {
      this.#state = 'plain';
      return this.#raw;
    }
    return '';
  }
}

const mayBegin = (dense: string): boolean =>
  /^`{0,2}$/.test(dense) || [MESSAGE, MEMORIES].some((opening) => opening.startsWith(dense));

/** What stands behind `{"message": "`. */
const afterOpening = (body: string): string => body.replace(/^\{\s*"message"\s*:\s*"/, '');

function readForm(raw: string, isAsked: boolean): Form | null {
  const body = raw.replace(FENCE, '').replace(FENCE_END, '');
  const strict = parseJson(body);
  if (strict !== undefined) return formOf(strict, isAsked);
  if (!body.slice(0, 200).replace(/\s+/g, '').startsWith(MESSAGE)) return null;
  const reader = new MessageReader();
  const message = reader.feed(afterOpening(body)) + reader.end();
  const rest = reader.rest.trim();
  if (rest === '' || rest === '}') return isAsked ? { message, memories: '' } : null;
  if (!/^,\s*"memories"\s*:/.test(rest) || saysMore(rest)) return null;
  return { message, memories: `{${rest.slice(1)}` };
}

function formOf(value: unknown, isAsked: boolean): Form | null {
  if (typeof value !== 'object' || value === null || !('message' in value)) return null;
  const { message, ...rest } = value as Record<string, unknown>;
  if (typeof message !== 'string') return null;
  // Somebody may have asked for JSON that has a message.
  if (!isAsked && !(Array.isArray(rest.memories) && Object.keys(rest).length === 1)) return null;
  return { message, memories: JSON.stringify({ memories: rest.memories ?? [] }) };
}

/** Is there prose behind the end of an object whose opening bracket stands before `rest`? It would be lost. */
function saysMore(rest: string): boolean {
  let depth = 1;
  let isString = false;
  for (let at = 0; at < rest.length; at += 1) {
    const sign = rest[at];
    if (isString && sign === '\\') at += 1;
    else if (sign === '"') isString = !isString;
    else if (!isString && (sign === '{' || sign === '[')) depth += 1;
    else if (!isString && (sign === '}' || sign === ']')) depth -= 1;
    if (depth === 0) return /\p{L}/u.test(rest.slice(at + 1));
  }
  return false;
}

/** Reads the string of a JSON value piece by piece, behind its opening quote. */
class MessageReader {
  #pending = '';
  #isClosed = false;

  /** What came behind the string. */
  get rest(): string {
    return this.#isClosed ? this.#pending : '';
  }

  /** @returns what more the string says */
  feed(piece: string): string {
    this.#pending += piece;
    let read = '';
    let at = 0;
    while (!this.#isClosed && at < this.#pending.length) {
      const sign = this.#pending[at] as string;
      if (sign === '\\') {
        const escaped = readEscape(this.#pending, at);
        if (escaped === null) break;
        read += escaped.text;
        at += escaped.length;
      } else if (sign === '"') {
        // A model may forget to escape a quote: what closes a string is followed by the next field or by the end.
        const behind = this.#pending.slice(at + 1);
        if (/^\s*(?:,\s*)?$/.test(behind)) break;
        at += 1;
        if (/^\s*(?:,\s*"|\})/.test(behind)) this.#isClosed = true;
        else read += sign;
      } else {
        read += sign;
        at += 1;
      }
    }
    this.#pending = this.#pending.slice(at);
    return read;
  }

  /** Nothing more comes. @returns what is left of the string */
  end(): string {
    if (this.#isClosed || /^(?:"\s*,?\s*|\\.{0,5})$/.test(this.#pending)) return '';
    return this.#pending;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '', f: '' };

/** The escape at a place; null if it has not come whole. */
function readEscape(text: string, at: number): { text: string; length: number } | null {
  const sign = text[at + 1];
  if (sign === undefined) return null;
  if (sign !== 'u') return { text: ESCAPES[sign] ?? sign, length: 2 };
  const hex = text.slice(at + 2, at + 6);
  if (hex.length < 4 && /^[\da-f]*$/i.test(hex)) return null;
  return /^[\da-f]{4}$/i.test(hex)
    ? { text: String.fromCharCode(Number.parseInt(hex, 16)), length: 6 }
    : { text: 'u', length: 2 };
}
