import { AppError } from '../../shared/errors.ts';
import { estimateTokens } from '../support/text/tokens.ts';
import {
  type ChatModel,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  UNKNOWN_CONTEXT_TOKENS,
} from './chatModel.ts';
import { PROBE_MS, refuseKey, sendTo } from './modelServer.ts';
import { isCloudName, isLoopback, remoteHostOf, type ServedModel, servedContext } from './probes.ts';
import { readBody } from './readBody.ts';
import { ReplyReader } from './replyStream.ts';

/** Without a byte for so long a server is taken for stuck: loading a model takes long, so the first may take longer. */
const FIRST_BYTE_MS = 120_000;
const NEXT_BYTE_MS = 30_000;
/** A count of tokens follows the end of a reply at once, or not at all. */
const USAGE_MS = 1_000;
/** A server may load another model, but not between two messages of a talk. */
const ANSWER_HOLDS_MS = 60_000;
/** Statuses with which servers refuse a part of a request; llama.cpp answers 500 to tools if its template cannot use them. */
const REFUSAL_STATUSES = [400, 422, 500, 501];
/** What they say to a prompt that is longer than their context, with the same statuses. */
const TOO_LONG = /context (?:length|size|window)|too (?:long|many tokens)|exceed/i;
/** What a server says of an error is looked at no further. */
const MOST_ERROR_CHARACTERS = 100_000;
/** A server may be started again with other options. */
const REFUSAL_HOLDS_MS = 600_000;
/**
 * The estimate is 3.5 characters a token, and prose has at most about 5, so that an honest count is seldom below 0.7 of it. Ollama keeps
 * half of its context when it cuts. Small prompts are left alone: a template's own words weigh too much there.
 */
const CUT_BELOW = 0.55;
const CUT_AT_LEAST_TOKENS = 300;

type Part = 'response-format' | 'tools';
/** Words with which servers say which part they refuse: Ollama's "… does not support tools", llama.cpp's "tools param requires --jinja". */
const NAMES_PART: Readonly<Record<Part, RegExp>> = {
  'response-format': /response[_ -]?format|json[_ -]?schema|grammar/i,
  tools: /\btools?\b|function[_ -]?call/i,
};

/** A model behind a server that speaks OpenAI's protocol. */
export class OpenAiModel implements ChatModel {
  readonly readsPrompt = true;
  readonly #served: ServedModel;
  readonly #setTokens: number;
  #context: { tokens: number; told: boolean; askedAt: number } | null = null;
  #place: { remoteHost: string | null; askedAt: number } | null = null;
  /** When the server refused a part: it is not asked for it again for a while. */
  readonly #refusedAt = new Map<Part, number>();

  /** @param setTokens the context that the user set; 0 asks the server */
  constructor(served: ServedModel, setTokens: number) {
    this.#served = served;
    this.#setTokens = setTokens;
  }

  get name(): string {
    return this.#served.model;
  }

  /** Until the server has told whether it forwards, its address and the model's name decide; `reply` sends nothing before it has told. */
  get isLocal(): boolean {
    const { baseUrl, model } = this.#served;
    return isLoopback(baseUrl) && !isCloudName(model) && (this.#place?.remoteHost ?? null) === null;
  }

  /** Asks a server on this computer whether it forwards the model, if it has not told within the last minute. */
  async locate(signal?: AbortSignal): Promise<void> {
    try {
      await this.#askPlace(PROBE_MS, signal);
    } catch (error) {
      // The server is away or busy: it is asked again before anything is sent.
      if (!(error instanceof AppError)) throw error;
    }
  }

  get takesTools(): boolean {
    return !this.#isRefused('tools');
  }

  async contextTokens(signal?: AbortSignal): Promise<number> {
    if (this.#setTokens > 0) return this.#setTokens;
    if (this.#context && isFresh(this.#context)) return this.#context.tokens;
    const tokens = await servedContext(this.#served, signal);
    this.#context = {
      tokens: tokens ?? UNKNOWN_CONTEXT_TOKENS,
      told: tokens !== null,
      askedAt: performance.now(),
    };
    return this.#context.tokens;
  }

  countTokens(text: string): number {
    return estimateTokens(text);
  }

  async *reply(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { baseUrl, model } = this.#served;
    const late = new Lateness(FIRST_BYTE_MS);
    const reader = new ReplyReader(baseUrl);
    try {
      await this.#refuseUnexpectedForwarding(signal);
      const { response, refused } = await this.#send(request, AbortSignal.any([signal, late.signal]));
      for (const part of refused) yield { type: 'refused', part };
      yield* readReply(response, reader, late);
      yield* reader.end();
      if (reader.failure) throw reader.failure;
      if (!reader.understood) throw new AppError('MODEL_GARBAGE', { address: baseUrl });
      if (!reader.finished) throw new AppError('MODEL_CUT', { model });
      yield* this.#usage(request, reader);
      this.#askContextAgain();
    } catch (error) {
      if (signal.aborted) return;
      if (late.signal.aborted) throw new AppError('MODEL_SLOW', { address: baseUrl }, { cause: error });
      if (error instanceof AppError) throw error;
      throw new AppError('MODEL_CUT', { model }, { cause: error });
    } finally {
      late.stop();
    }
  }

  async #askPlace(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#place && isFresh(this.#place)) return;
    const remoteHost = await remoteHostOf(this.#served, { timeoutMs, signal });
    this.#place = { remoteHost, askedAt: performance.now() };
  }

  /** The prompt was planned for a model on this computer; nothing of it may go to a server that turns out to forward. */
  async #refuseUnexpectedForwarding(signal: AbortSignal): Promise<void> {
    if (!this.isLocal || this.#place) return;
    await this.#askPlace(FIRST_BYTE_MS, signal);
    const { baseUrl: address, model } = this.#served;
    if (!this.isLocal) throw new AppError('MODEL_FORWARDS', { address, model });
  }

  /** Sends the request, again without a part that the server refuses. */
  async #send(
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ response: Response; refused: readonly Part[] }> {
    const { baseUrl: address, model } = this.#served;
    const asked = partsOf(request);
    const refused = asked.filter((part) => this.#isRefused(part));
    const known = refused.length;
    for (;;) {
      const response = await sendTo(this.#served, `${address}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify(toBody(model, request, refused)),
        signal,
      });
      if (response.ok) {
        for (const part of refused.slice(known)) this.#refusedAt.set(part, performance.now());
        return { response, refused };
      }
      const said = (await readBody(response, MOST_ERROR_CHARACTERS)) ?? '';
      refuseKey(response, address);
      if (response.status === 404) throw new AppError('MODEL_UNKNOWN', { model, address });
      const left = asked.filter((part) => !refused.includes(part));
      const next = left.find((part) => NAMES_PART[part].test(said)) ?? left[0];
      if (next === undefined || !REFUSAL_STATUSES.includes(response.status) || TOO_LONG.test(said))
        throw new AppError('MODEL_FAILED', { status: response.status, address });
      refused.push(next);
    }
  }

  #isRefused(part: Part): boolean {
    return performance.now() - (this.#refusedAt.get(part) ?? -Infinity) < REFUSAL_HOLDS_MS;
  }

  *#usage({ messages }: ModelRequest, { usage }: ReplyReader): Generator<ModelEvent> {
    const { promptTokens, completionTokens } = usage;
    if (promptTokens === null && completionTokens === null) return;
    const sent = messages.reduce((sum, { content }) => sum + this.countTokens(content), 0);
    const promptCut =
      promptTokens !== null && wasCut(sent, promptTokens) ? { sent, reported: promptTokens } : null;
    yield { type: 'usage', promptTokens, completionTokens, promptCut };
  }

  /** Ollama tells the context of a model only once it has loaded it, which the reply made it do. */
  #askContextAgain(): void {
    if (this.#context?.told === false && isLoopback(this.#served.baseUrl)) this.#context = null;
  }
}

/** Did the server drop a part of a prompt of `sent` estimated tokens, of which it counted `reported`? */
function wasCut(sent: number, reported: number): boolean {
  return reported < sent * CUT_BELOW && sent - reported >= CUT_AT_LEAST_TOKENS;
}

/** Aborts its signal unless it is put off in time. */
class Lateness {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  putOff(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Reads until the server says that nothing more comes, or keeps silent after the reply's end. */
async function* readReply(
  response: Response,
  reader: ReplyReader,
  late: Lateness,
): AsyncGenerator<ModelEvent> {
  try {
    for await (const bytes of response.body as ReadableStream<Uint8Array>) {
      yield* reader.feed(bytes);
      if (reader.done || reader.failure) return;
      late.putOff(reader.finished ? USAGE_MS : NEXT_BYTE_MS);
    }
  } catch (error) {
    if (!reader.finished || error instanceof AppError) throw error;
  }
}

function isFresh({ askedAt }: { askedAt: number }): boolean {
  return performance.now() - askedAt < ANSWER_HOLDS_MS;
}

/** Parts that a server may refuse, in the order in which they are left out. */
function partsOf({ responseFormat, tools }: ModelRequest): Part[] {
  return [
    ...(responseFormat ? (['response-format'] as const) : []),
    ...(tools && tools.length > 0 ? (['tools'] as const) : []),
  ];
}

function toBody(model: string, request: ModelRequest, refused: readonly Part[]): unknown {
  const { messages, parameters = {}, tools = [], responseFormat } = request;
  const { temperature, topP, maxTokens, stop, seed } = parameters;
  return {
    model,
    messages: messages.map(toWireMessage),
    stream: true,
    stream_options: { include_usage: true },
    // JSON leaves out what is undefined.
    temperature,
    top_p: topP,
    max_tokens: maxTokens,
    stop,
    seed,
    tools:
      tools.length === 0 || refused.includes('tools')
        ? undefined
        : tools.map((tool) => ({ type: 'function', function: tool })),
    response_format:
      responseFormat && !refused.includes('response-format')
        ? { type: 'json_schema', json_schema: { ...responseFormat, strict: true } }
        : undefined,
  };
}

function toWireMessage(message: ModelMessage): unknown {
  const { role, content } = message;
  if (role === 'tool') return { role, tool_call_id: message.toolCallId, content };
  if (role !== 'assistant' || !message.toolCalls?.length) return { role, content };
  return {
    role,
    content,
    tool_calls: message.toolCalls.map(({ id, name, arguments: json }) => ({
      id,
      type: 'function',
      function: { name, arguments: json },
    })),
  };
}
