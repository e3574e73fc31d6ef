import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The body of a request for a reply, as received. */
export interface ReceivedPrompt {
  model: string;
  messages: { role: string; content: string; tool_calls?: unknown; tool_call_id?: string }[];
  tools?: { type: string; function: { name: string } }[];
  response_format?: unknown;
  [parameter: string]: unknown;
}

/** How the server behaves for the next requests. */
export type Behaviour =
  /** For each prompt what is chosen for it. */
  | { kind: 'chosen'; by: (prompt: ReceivedPrompt) => Exclude<Behaviour, { kind: 'chosen' }> }
  | { kind: 'reply'; text: string | ((prompt: ReceivedPrompt) => string) }
  /** The same text, after a silence. */
  | { kind: 'slow'; text: string; afterMs: number }
  /** The same text, once `until` is fulfilled. */
  | { kind: 'held'; text: string; until: Promise<void> }
  /** The same text, one word at a time. */
  | { kind: 'paced'; text: string; everyMs: number }
  | { kind: 'status'; status: number; message?: string }
  /** HTTP 200 and some text, then the connection breaks. */
  | { kind: 'cut'; text: string }
  /** HTTP 200 and some text, then a clean end of the connection without the protocol's own end. */
  | { kind: 'no-end'; text: string }
  | { kind: 'garbage' }
  /** Sends one word, then waits until the client disconnects. */
  | { kind: 'hang'; text: string }
  /** Reasoning, then the text: between tags, in a field of its own, or with the opening tag left to the chat template. */
  | { kind: 'think'; thoughts: string; text: string; as: 'tags' | 'field' | 'lone-closing-tag' | 'unclosed' }
  /** Calls tools, in pieces or at once, until the prompt contains a result; then replies with the text. */
  | { kind: 'tools'; calls: { name: string; arguments: unknown }[]; as: 'pieces' | 'whole'; text: string }
  /** Each time what comes next: calls of tools, their arguments as they stand, or text; the last one again and again. */
  | { kind: 'script'; steps: readonly ScriptStep[] }
  /** Sends these events unchanged, each in a `data:` line. With `stayOpen`, the connection stays open afterwards. */
  | { kind: 'events'; data: readonly string[]; stayOpen?: boolean }
  /** Sends this body unchanged. */
  | { kind: 'body'; text: string | Uint8Array; stayOpen?: boolean }
  /** The same in pieces of these lengths, which begin again at the end. */
  | { kind: 'pieces'; bytes: Uint8Array; lengths: readonly number[] }
  /** Sends `first`, then `piece` again and again until the client disconnects. */
  | { kind: 'flood'; first?: string; piece: string };

/** What a scripted reply says, and the tools that it calls after that. */
export interface ScriptStep {
  text?: string | ((prompt: ReceivedPrompt) => string);
  calls?: readonly { name: string; arguments: string }[];
  /** Nothing of it comes before this is fulfilled. */
  until?: Promise<void>;
}

/** A model as Ollama describes it. */
export interface OllamaModel {
  name: string;
  /** Set if another computer runs the model. */
  remote_host?: string;
  remote_model?: string;
  /** The context size that the model is loaded with, reported once the model has answered. */
  context_length?: number;
}

export interface ServerOptions {
  /** The response of llama.cpp's `/props`. */
  contextTokens?: number;
  /** The key that every request must carry. */
  key?: string;
  /** Fields of a request that the server refuses with status 400. */
  refuses?: readonly ('response_format' | 'tools')[];
  /** Like Ollama, cuts a prompt longer than this many tokens to half of them, and reports only the resulting count. */
  cutsAbove?: number;
  /** Answers Ollama's `/api/…`, and not llama.cpp's addresses. */
  ollama?: readonly OllamaModel[];
  /** Number of replies that the server writes at the same time; others wait. */
  slots?: number;
  /** The port of a server that comes back at its address; without it, any free port. */
  port?: number;
}

export interface OpenAiServer {
  baseUrl: string;
  /** Every chat prompt received, in order. */
  prompts: ReceivedPrompt[];
  /** Method and path of every request, in order. */
  requests: string[];
  /** From the next request on; a script begins at its first step. */
  behave(next: Behaviour): void;
  /** Number of connections that the client closed before the end. */
  left(): number;
  close(): Promise<void>;
}

/** Tokens that the server counts in a prompt, at four characters per token. */
export function countPromptTokens({ messages }: ReceivedPrompt): number {
  return Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
}

/** A real HTTP server that speaks as much of OpenAI's protocol as local servers do, and records what it receives. */
export async function startOpenAiServer(options: ServerOptions = {}): Promise<OpenAiServer> {
  const fake = new FakeServer(options);
  const server = createServer((request, response) => {
    fake.handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    prompts: fake.prompts,
    requests: fake.requests,
    behave: (next) => {
      fake.behaviour = next;
      fake.step = 0;
    },
    left: () => fake.left,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const DEFAULT_CONTEXT_TOKENS = 8_192;
const MODELS = ['small', 'large'];

class FakeServer {
  behaviour: Behaviour = { kind: 'reply', text: 'Understood.' };
  left = 0;
  step = 0;
  readonly prompts: ReceivedPrompt[] = [];
  readonly requests: string[] = [];
  readonly #options: ServerOptions;
  readonly #loaded = new Set<string>();
  #busy = 0;
  readonly #queue: (() => void)[] = [];

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { key } = this.#options;
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    this.requests.push(`${request.method ?? ''} ${pathname}`);
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
      refuse(response, 401, 'wrong key');
      return;
    }
    if (pathname === '/v1/chat/completions') {
      await this.#complete((await readJson(request)) as ReceivedPrompt, response);
      return;
    }
    const answer = await this.#tell(pathname, request);
    if (answer === null) refuse(response, 404, 'not found');
    else response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
  }

  /** The response at an address that needs no model; null if there is none. */
  async #tell(pathname: string, request: IncomingMessage): Promise<unknown> {
    const { contextTokens = DEFAULT_CONTEXT_TOKENS, ollama } = this.#options;
    if (pathname === '/v1/models') {
      const names = ollama?.map(({ name }) => name) ?? MODELS;
      return { object: 'list', data: names.map((id) => ({ id })) };
    }
    if (!ollama)
      return pathname === '/props' ? { default_generation_settings: { n_ctx: contextTokens } } : null;
    if (pathname === '/api/tags') return { models: ollama.map(({ context_length: _, ...model }) => model) };
    if (pathname === '/api/ps') return { models: ollama.filter(({ name }) => this.#loaded.has(name)) };
    if (pathname !== '/api/show') return null;
    const { model } = (await readJson(request)) as { model: string };
    const { remote_host, remote_model } = ollama.find(({ name }) => name === model) ?? {};
    return { details: { format: 'gguf' }, remote_host, remote_model };
  }

  async #complete(prompt: ReceivedPrompt, response: ServerResponse): Promise<void> {
    this.prompts.push(prompt);
    const refused = this.#options.refuses?.find((part) => prompt[part] !== undefined);
    if (refused) return refuse(response, 400, `${refused} is not supported`);
    if (prompt.model === 'nobody') return refuse(response, 404, 'model not found');
    await this.#takeSlot(response);
    this.#loaded.add(prompt.model);
    const now = this.behaviour.kind === 'chosen' ? this.behaviour.by(prompt) : this.behaviour;
    if (now.kind === 'status') return refuse(response, now.status, now.message ?? 'failed');
    if (now.kind === 'garbage') {
      response.writeHead(200).end('<html>Not a model</html>');
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.on('close', () => {
      if (!response.writableEnded) this.left += 1;
    });
    await this.#stream(now, prompt, new Wire(response));
  }

  /** Waits until another reply ends and frees a place. */
  async #takeSlot(response: ServerResponse): Promise<void> {
    if (this.#busy >= (this.#options.slots ?? Number.POSITIVE_INFINITY))
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#busy += 1;
    const leave = () => {
      this.#busy -= 1;
      this.#queue.shift()?.();
    };
    // The client may have disconnected while it waited.
    if (response.closed) leave();
    else response.on('close', leave);
  }

  async #stream(
    now: Exclude<Behaviour, { kind: 'chosen' | 'status' | 'garbage' }>,
    prompt: ReceivedPrompt,
    wire: Wire,
  ): Promise<void> {
    if (now.kind === 'body') {
      wire.raw(now.text);
      if (!now.stayOpen) wire.close();
      return;
    }
    if (now.kind === 'flood') return wire.flood(now);
    if (now.kind === 'pieces') return wire.pieces(now);
    if (now.kind === 'events') {
      for (const data of now.data) wire.data(data);
      if (!now.stayOpen) wire.close();
      return;
    }
    if (now.kind === 'script') return this.#play(now.steps, prompt, wire);
    if (now.kind === 'held') await now.until;
    if (now.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, now.afterMs));
    if (now.kind === 'think') wire.think(now);
    const calls = now.kind === 'tools' && !prompt.messages.some(({ role }) => role === 'tool');
    if (now.kind === 'tools' && calls) wire.calls(now);
    else if (now.kind === 'paced') await wire.pace(now);
    else if (now.kind !== 'think' || now.as !== 'unclosed')
      wire.words(typeof now.text === 'function' ? now.text(prompt) : now.text);
    if (now.kind === 'hang') return;
    if (now.kind === 'cut') {
      setTimeout(() => wire.cut(), 20);
      return;
    }
    if (now.kind !== 'no-end') wire.finish(calls ? 'tool_calls' : 'stop', this.#count(prompt));
    wire.close();
  }

  async #play(steps: readonly ScriptStep[], prompt: ReceivedPrompt, wire: Wire): Promise<void> {
    const step = steps[Math.min(this.step, steps.length - 1)] ?? {};
    this.step += 1;
    await step.until;
    const { text = '', calls = [] } = step;
    wire.words(typeof text === 'function' ? text(prompt) : text);
    wire.callAsWritten(calls);
    wire.finish(calls.length > 0 ? 'tool_calls' : 'stop', this.#count(prompt));
    wire.close();
  }

  #count(prompt: ReceivedPrompt): number {
    const tokens = countPromptTokens(prompt);
    const { cutsAbove = Number.POSITIVE_INFINITY } = this.#options;
    return tokens > cutsAbove ? Math.floor(cutsAbove / 2) + 2 : tokens;
  }
}

/** Writes the chunks of a streamed reply. */
class Wire {
  readonly #response: ServerResponse;
  #completionTokens = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  data(data: string): void {
    this.#response.write(`data: ${data}\n\n`);
  }

  raw(text: string | Uint8Array): void {
    this.#response.write(text);
  }

  async flood({ first = '', piece }: Extract<Behaviour, { kind: 'flood' }>): Promise<void> {
    this.#response.write(first);
    const many = piece.repeat(Math.ceil(16_384 / piece.length));
    while (!this.#response.destroyed) if (!this.#response.write(many)) await this.#drained();
  }

  async pieces({ bytes, lengths }: Extract<Behaviour, { kind: 'pieces' }>): Promise<void> {
    for (let at = 0, n = 0; at < bytes.length && !this.#response.destroyed; n += 1) {
      const length = Math.max(1, lengths[n % lengths.length] ?? 1);
      if (!this.#response.write(bytes.subarray(at, at + length))) await this.#drained();
      at += length;
    }
    this.#response.end();
  }

  /** Waits until more can be written, or nobody is left to read it. */
  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#response.off('drain', done);
        this.#response.off('close', done);
        resolve();
      };
      this.#response.once('drain', done);
      this.#response.once('close', done);
      if (this.#response.destroyed) done();
    });
  }

  words(text: string): void {
    for (const content of text.match(/\s*\S+\s*/g) ?? []) this.#delta({ content });
  }

  async pace({ text, everyMs }: Extract<Behaviour, { kind: 'paced' }>): Promise<void> {
    for (const content of text.match(/\s*\S+\s*/g) ?? []) {
      this.#delta({ content });
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  think({ thoughts, as }: Extract<Behaviour, { kind: 'think' }>): void {
    if (as === 'field') {
      for (const word of thoughts.match(/\S+\s*/g) ?? []) this.#delta({ reasoning_content: word });
      return;
    }
    // Pieces of three characters: no tag arrives whole.
    const tagged = `${as === 'lone-closing-tag' ? '' : '<think>\n'}${thoughts}${as === 'unclosed' ? '' : '\n</think>\n\n'}`;
    for (const content of tagged.match(/[\s\S]{1,3}/g) ?? []) this.#delta({ content });
  }

  calls({ calls, as }: Extract<Behaviour, { kind: 'tools' }>): void {
    for (const [index, { name, arguments: given }] of calls.entries()) {
      const json = JSON.stringify(given);
      const id = `call_${index + 1}`;
      if (as === 'whole') {
        // Like older servers: no id, and the same index for every call.
        this.#delta({ tool_calls: [{ index: 0, type: 'function', function: { name, arguments: json } }] });
        continue;
      }
      this.#delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
      for (const piece of json.match(/.{1,4}/g) ?? [])
        this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }

  callAsWritten(calls: NonNullable<ScriptStep['calls']>): void {
    for (const [index, called] of calls.entries())
      this.#delta({ tool_calls: [{ index, id: `call_${index + 1}`, type: 'function', function: called }] });
  }

  finish(reason: string, promptTokens: number): void {
    this.data(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }));
    const usage = { prompt_tokens: promptTokens, completion_tokens: this.#completionTokens };
    this.data(JSON.stringify({ choices: [], usage }));
    this.data('[DONE]');
  }

  close(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  #delta(delta: unknown): void {
    this.#completionTokens += 1;
    this.data(JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] }));
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let body = '';
  for await (const part of request) body += String(part);
  return JSON.parse(body);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ error: { message } }));
}
