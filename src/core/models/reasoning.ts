const OPEN = '<think>';
const CLOSE = '</think>';

export type SplitEvent = { type: 'text' | 'reasoning'; delta: string } | { type: 'text-was-reasoning' };

/**
 * Splits what a model writes into its thoughts, `<think>…</think>`, and its reply. Tags may be cut anywhere between two pieces.
 * Chat templates that write the opening tag themselves leave it out of the stream: text before a lone closing tag turns out to be
 * reasoning. Thoughts that are never closed stay reasoning. A tag counts as an opening one only before the reply's first word, and
 * as a closing one only outside code, so that a reply may speak about these tags.
 */
export class ReasoningSplitter {
  /** `start`: only white space came since the beginning, or since the last thought. */
  #mode: 'start' | 'thinking' | 'text' = 'start';
  #pending = '';
  /** White space before the first word. */
  #blank = '';
  #thought = false;
  /** An odd number of backticks came in the text so far: code is open. */
  #inCode = false;

  /** Thoughts arrive in a field of their own: a lone closing tag in the text then means nothing. */
  sawReasoningField(): void {
    this.#thought = true;
  }

  feed(delta: string): SplitEvent[] {
    this.#pending += delta;
    const events: SplitEvent[] = [];
    while (this.#step(events));
    return events;
  }

  /** What was held back in case a tag came. */
  end(): SplitEvent[] {
    const rest = this.#blank + this.#pending;
    this.#blank = '';
    this.#pending = '';
    if (rest === '' || (this.#mode === 'start' && this.#thought && rest.trim() === '')) return [];
    return [{ type: this.#mode === 'thinking' ? 'reasoning' : 'text', delta: rest }];
  }

  /** Takes one step; true if another one may follow before more text comes. */
  #step(events: SplitEvent[]): boolean {
    if (this.#mode === 'start') return this.#start();
    return this.#mode === 'thinking' ? this.#think(events) : this.#speak(events);
  }

  #start(): boolean {
    const rest = this.#pending.trimStart();
    // It is looked at once, however much of it comes before the first word.
    this.#blank += this.#pending.slice(0, this.#pending.length - rest.length);
    this.#pending = rest;
    for (const tag of [OPEN, CLOSE]) {
      if (rest.startsWith(tag)) {
        this.#mode = tag === OPEN ? 'thinking' : 'start';
        this.#thought = true;
        this.#pending = rest.slice(tag.length);
        this.#blank = '';
        return true;
      }
      if (tag.startsWith(rest)) return false;
    }
    this.#mode = 'text';
    if (!this.#thought) this.#pending = this.#blank + rest;
    this.#blank = '';
    return true;
  }

  #think(events: SplitEvent[]): boolean {
    const end = this.#pending.indexOf(CLOSE);
    if (end >= 0) {
      push(events, 'reasoning', this.#pending.slice(0, end));
      this.#pending = this.#pending.slice(end + CLOSE.length);
      this.#mode = 'start';
      return true;
    }
    push(events, 'reasoning', this.#takeAllBut(heldBack(this.#pending)));
    return false;
  }

  #speak(events: SplitEvent[]): boolean {
    const end = this.#thought ? -1 : this.#pending.indexOf(CLOSE);
    if (end < 0) {
      this.#say(events, this.#takeAllBut(this.#thought ? 0 : heldBack(this.#pending)));
      return false;
    }
    this.#say(events, this.#pending.slice(0, end));
    this.#pending = this.#pending.slice(end + CLOSE.length);
    if (this.#inCode) {
      push(events, 'text', CLOSE);
      return true;
    }
    events.push({ type: 'text-was-reasoning' });
    this.#thought = true;
    this.#mode = 'start';
    return true;
  }

  #say(events: SplitEvent[], text: string): void {
    if ((text.split('`').length - 1) % 2 === 1) this.#inCode = !this.#inCode;
    push(events, 'text', text);
  }

  #takeAllBut(held: number): string {
    const end = this.#pending.length - held;
    const taken = this.#pending.slice(0, end);
    this.#pending = this.#pending.slice(end);
    return taken;
  }
}

function push(events: SplitEvent[], type: 'text' | 'reasoning', delta: string): void {
  if (delta !== '') events.push({ type, delta });
}

/** Characters at the end of `text` that may be the beginning of a closing tag. */
function heldBack(text: string): number {
  for (let length = Math.min(CLOSE.length - 1, text.length); length > 0; length -= 1) {
    if (CLOSE.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
