import { createParser } from 'eventsource-parser';
import { AppError } from '../../shared/errors.ts';
import type { ModelEvent } from './chatModel.ts';
import { ReasoningSplitter } from './reasoning.ts';
import { ToolCallAssembler } from './toolCalls.ts';

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
  /** MODEL_FAILED, once the server has reported an error in the stream. */
  failure: AppError | null = null;
  usage: TokenCounts = { promptTokens: null, completionTokens: null };

  readonly #address: string;
  readonly #decoder = new TextDecoder();
  readonly #splitter = new ReasoningSplitter();
  readonly #toolCalls = new ToolCallAssembler();
  readonly #events: ModelEvent[] = [];
  readonly #parser = createParser({ onEvent: ({ data }) => this.#read(data) });

  /** @param address of the server, for errors */
  constructor(address: string) {
    this.#address = address;
  }

  feed(bytes: Uint8Array): ModelEvent[] {
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    return this.#events.splice(0);
  }

  /** Events that were held back until the end. */
  end(): ModelEvent[] {
    // A server may leave out the empty line after its last event.
    this.#parser.feed(`${this.#decoder.decode()}\n\n`);
    this.#events.push(...this.#splitter.end());
    if (this.finished) {
      this.#events.push(...this.#toolCalls.take().map((call) => ({ type: 'tool-call' as const, call })));
    }
    return this.#events.splice(0);
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
      this.#events.push({ type: 'reasoning', delta: thought });
    }
    if (typeof content === 'string') this.#events.push(...this.#splitter.feed(content));
    this.#toolCalls.feed(toolCalls);
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
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null;
}
