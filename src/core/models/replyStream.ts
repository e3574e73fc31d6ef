import { createParser } from 'eventsource-parser';
import { AppError } from '../../shared/errors.ts';
import type { ModelEvent } from './chatModel.ts';
import { ReasoningSplitter, type SplitEvent } from './reasoning.ts';
import { ToolCallAssembler } from './toolCalls.ts';

/**
 * Characters of a reply, and as many of its thoughts: some 60 pages of a book, more than a local model writes before it only repeats
 * itself. What is longer is cut.
 */
export const MOST_REPLY_CHARACTERS = 200_000;
/** Of one event: a whole reply in a single one has room, all of it escaped (`\u00e9`) and in a frame of its own. */
const MOST_EVENT_CHARACTERS = 8 * MOST_REPLY_CHARACTERS;
/** Between two words of a reply: servers send empty events while a model thinks unseen, some 250 characters for each token. */
const MOST_EMPTY_CHARACTERS = 20_000_000;
/** What no model reads or writes in one call: a server that counts more is mistaken. */
const MOST_TOKENS = 1_000_000_000;
/** The protocol's end, as some servers write it: without the empty line that ends an event. */
const BARE_END = /(?:^|\n)data: ?\[DONE\]\r?\n?$/;

/** Tokens as the server counted them, whole and not negative; null if it did not tell. */
export interface TokenCounts {
  promptTokens: number | null;
  completionTokens: number | null;
}

/** Reads the server-sent events of one streamed chat completion. */
export class ReplyReader {
  /** A chunk of the protocol came. */
  understood = false;
  /** The reply is complete; a count of tokens may still follow. */
  finished = false;
  /** The server said that nothing more comes. */
  done = false;
  /**
   * Why nothing more is read: MODEL_FAILED (the server reported an error in the stream), REPLY_CUT (the reply is too long),
   * MODEL_GARBAGE (an event without an end), MODEL_SLOW (events without a word).
   */
  failure: AppError | null = null;
  usage: TokenCounts = { promptTokens: null, completionTokens: null };

  readonly #address: string;
  readonly #decoder = new TextDecoder();
  readonly #splitter = new ReasoningSplitter();
  readonly #toolCalls = new ToolCallAssembler();
  readonly #events: ModelEvent[] = [];
  readonly #parser = createParser({
    onEvent: ({ data }) => this.#read(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') this.#fail('MODEL_GARBAGE');
    },
    maxBufferSize: MOST_EVENT_CHARACTERS,
  });
  /** Characters that may still come of the reply, of its thoughts and of its calls of tools. */
  readonly #room = {
    text: MOST_REPLY_CHARACTERS,
    reasoning: MOST_REPLY_CHARACTERS,
    toolCalls: MOST_REPLY_CHARACTERS,
  };
  /** Characters that came since the last word of the reply. */
  #empty = 0;
  #tail = '';

  /** @param address of the server, for errors */
  constructor(address: string) {
    this.#address = address;
  }

  feed(bytes: Uint8Array): ModelEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#parser.feed(text);
    this.#tail = (this.#tail + text).slice(-20);
    if (BARE_END.test(this.#tail) && !this.failure) this.#parser.feed('\n\n');
    this.#empty = this.#events.length > 0 ? 0 : this.#empty + text.length;
    if (this.#empty > MOST_EMPTY_CHARACTERS) this.#fail('MODEL_SLOW');
    return this.#take();
  }

  /** Events that were held back until the end. */
  end(): ModelEvent[] {
    // A server may leave out the empty line after its last event.
    if (!this.failure) this.#parser.feed(`${this.#decoder.decode()}\n\n`);
    this.#say(this.#splitter.end());
    const events = this.#take();
    if (!this.finished) return events;
    return [...events, ...this.#toolCalls.take().map((call) => ({ type: 'tool-call' as const, call }))];
  }

  /** The events that are ready; deltas that came together are one. */
  #take(): ModelEvent[] {
    const taken: ModelEvent[] = [];
    for (const event of this.#events.splice(0)) {
      const last = taken.at(-1);
      if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type)
        last.delta += event.delta;
      else taken.push({ ...event });
    }
    return taken;
  }

  /** Takes over what was read, as long as there is room for it. */
  #say(events: readonly SplitEvent[]): void {
    for (const event of events) {
      if (event.type === 'text-was-reasoning') {
        const said = MOST_REPLY_CHARACTERS - this.#room.text;
        this.#room.text = MOST_REPLY_CHARACTERS;
        this.#room.reasoning = Math.max(0, this.#room.reasoning - said);
        this.#events.push(event);
        continue;
      }
      const room = this.#room[event.type];
      const delta = cutAt(event.delta, room);
      this.#room[event.type] = room - delta.length;
      if (delta !== '') this.#events.push({ ...event, delta });
      if (delta.length < event.delta.length) {
        this.#fail('REPLY_CUT');
        return;
      }
    }
  }

  #fail(code: 'MODEL_GARBAGE' | 'MODEL_SLOW' | 'REPLY_CUT'): void {
    this.failure ??= new AppError(
      code,
      code === 'REPLY_CUT' ? { characters: MOST_REPLY_CHARACTERS } : { address: this.#address },
    );
  }

  #read(data: string): void {
    if (this.done || this.failure) return;
    if (data.trim() === '[DONE]') {
      this.done = true;
      this.finished = true;
      return;
    }
    const chunk = parseRecord(data);
    if (!chunk) return;
    if (chunk.error) {
      const status = asRecord(chunk.error)?.code;
      this.failure = new AppError('MODEL_FAILED', {
        status: typeof status === 'number' ? status : 500,
        address: this.#address,
      });
      return;
    }
    const choice = asRecord(Array.isArray(chunk.choices) ? chunk.choices[0] : null);
    const usage = asRecord(chunk.usage);
    if (choice || usage) this.understood = true;
    if (choice) this.#readChoice(choice);
    // Some servers count along with each chunk: the last count holds.
    if (usage) {
      this.usage = {
        promptTokens: toCount(usage.prompt_tokens),
        completionTokens: toCount(usage.completion_tokens),
      };
    }
  }

  #readChoice({ delta, finish_reason: finishReason }: Record<string, unknown>): void {
    const { content, reasoning_content: thoughts, reasoning, tool_calls: toolCalls } = asRecord(delta) ?? {};
    const thought = [thoughts, reasoning].find((one) => typeof one === 'string' && one !== '');
    if (typeof thought === 'string') {
      this.#splitter.sawReasoningField();
      this.#say([{ type: 'reasoning', delta: thought }]);
    }
    if (typeof content === 'string' && !this.failure) this.#say(this.#splitter.feed(content));
    if (Array.isArray(toolCalls)) {
      // At least one for each piece, so that no number of empty ones is kept either.
      this.#room.toolCalls -= toolCalls.length + JSON.stringify(toolCalls).length;
      if (this.#room.toolCalls < 0) this.#fail('REPLY_CUT');
      else this.#toolCalls.feed(toolCalls);
    }
    if (typeof finishReason === 'string') this.finished = true;
  }
}

/** Null for what is no JSON object: a line of garbage among good ones is passed over. */
function parseRecord(data: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(data));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function toCount(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MOST_TOKENS ? Math.round(value) : null;
}

/** The beginning of a text, `length` UTF-16 units at most; no character is cut in two. */
function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const isPair = /[\ud800-\udbff]/.test(text.charAt(length - 1));
  return text.slice(0, Math.max(0, isPair ? length - 1 : length));
}
