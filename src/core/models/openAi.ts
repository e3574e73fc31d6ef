import { createParser } from 'eventsource-parser';
import { AppError } from '../../shared/errors.ts';
import { isLoopbackHost } from '../../shared/loopback.ts';

export { UNKNOWN_CONTEXT_TOKENS } from './chatModel.ts';

/** A server that speaks OpenAI's protocol. */
export interface ModelServer {
  /** Address up to and including `/v1`. */
  baseUrl: string;
  /** Sent as a bearer token; null where none is kept for it. */
  key: string | null;
}

/** A chat model behind one. */
export interface ChatModel extends ModelServer {
  model: string;
}

export interface ModelMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export type ModelEvent =
  | { type: 'text'; delta: string }
  | { type: 'usage'; promptTokens: number; completionTokens: number };

export interface FoundServer {
  baseUrl: string;
  models: string[];
}

/** Usual loopback ports: Ollama, LM Studio, llama.cpp's server, vLLM and others. */
const USUAL_PORTS = [11434, 1234, 8080, 8000];
const PROBE_MS = 800;
/** Without a byte for so long a server is taken for stuck: loading a model takes long, so the first may take longer. */
const FIRST_BYTE_MS = 120_000;
const NEXT_BYTE_MS = 30_000;

/** Chat servers on this computer's usual ports, with their models. */
export async function findServers(ports: readonly number[] = USUAL_PORTS): Promise<FoundServer[]> {
  const found = await Promise.all(
    ports.map(async (port) => {
      const baseUrl = `http://127.0.0.1:${port}/v1`;
      try {
        return { baseUrl, models: await listModels({ baseUrl, key: null }, PROBE_MS) };
      } catch (error) {
        // Nothing listens there, or something else does.
        if (error instanceof AppError) return null;
        throw error;
      }
    }),
  );
  return found.filter((server) => server !== null);
}

/** @throws AppError MODEL_REFUSED, MODEL_KEY, MODEL_FAILED, MODEL_GARBAGE */
export async function listModels(server: ModelServer, timeoutMs = 10_000): Promise<string[]> {
  const { baseUrl } = server;
  const { body } = await getJson(`${baseUrl}/models`, server, timeoutMs);
  const list = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) throw new AppError('MODEL_GARBAGE', { address: baseUrl });
  return list
    .map((entry: { id?: unknown } | null) => entry?.id)
    .filter((id): id is string => typeof id === 'string');
}

/** The context that the server really serves for a model, in tokens, or null where it does not tell. */
export async function servedContext({ baseUrl, key, model }: ChatModel): Promise<number | null> {
  const root = baseUrl.replace(/\/v1\/?$/, '');
  const server = { baseUrl: root, key };
  const asked: (() => Promise<unknown>)[] = [
    // llama.cpp: what one slot really has.
    async () =>
      ((await getJson(`${root}/props`, server, PROBE_MS)).body as Props).default_generation_settings?.n_ctx,
    // LM Studio: what the model was loaded with.
    async () =>
      (
        (await getJson(`${root}/api/v0/models/${model}`, server, PROBE_MS)).body as {
          loaded_context_length?: unknown;
        }
      ).loaded_context_length,
    // Ollama: what runs now.
    async () =>
      ((await getJson(`${root}/api/ps`, server, PROBE_MS)).body as OllamaPs).models?.find(
        (one) => one.name === model,
      )?.context_length,
  ];
  for (const ask of asked) {
    try {
      const tokens = await ask();
      if (typeof tokens === 'number' && tokens > 0) return Math.floor(tokens);
    } catch (error) {
      // This server has no such address: the next kind is tried.
      if (!(error instanceof AppError)) throw error;
    }
  }
  return null;
}

interface Props {
  default_generation_settings?: { n_ctx?: unknown };
}
interface OllamaPs {
  models?: { name?: string; context_length?: unknown }[];
}

/** Is the address on this computer? */
export function isLoopback(baseUrl: string): boolean {
  try {
    return isLoopbackHost(new URL(baseUrl).hostname);
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/**
 * Streams a reply. What was yielded before a failure stands.
 * @throws AppError MODEL_REFUSED (nobody listens), MODEL_KEY (401, 403), MODEL_UNKNOWN (404), MODEL_FAILED (other status), MODEL_SLOW (no byte in time),
 *   MODEL_CUT (the stream ended without its end), MODEL_GARBAGE (not the protocol)
 */
export async function* streamReply(
  chatModel: ChatModel,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { baseUrl, model } = chatModel;
  const late = new AbortController();
  let timer = setTimeout(() => late.abort(), FIRST_BYTE_MS);
  try {
    const response = await request(`${baseUrl}/chat/completions`, {
      address: baseUrl,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...authorization(chatModel) },
      body: JSON.stringify({ model, messages, stream: true, stream_options: { include_usage: true } }),
      signal: AbortSignal.any([signal, late.signal]),
    });
    await refuseStatus(response, chatModel);
    const state = { ended: false, events: [] as ModelEvent[], understood: 0 };
    const parser = createParser({ onEvent: ({ data }) => readEvent(data, state) });
    const decoder = new TextDecoder();
    for await (const bytes of response.body as ReadableStream<Uint8Array>) {
      clearTimeout(timer);
      timer = setTimeout(() => late.abort(), NEXT_BYTE_MS);
      parser.feed(decoder.decode(bytes, { stream: true }));
      yield* state.events.splice(0);
    }
    if (state.understood === 0) throw new AppError('MODEL_GARBAGE', { address: baseUrl });
    if (!state.ended) throw new AppError('MODEL_CUT', { model });
  } catch (error) {
    if (signal.aborted) return;
    if (late.signal.aborted) throw new AppError('MODEL_SLOW', { address: baseUrl }, { cause: error });
    if (error instanceof AppError) throw error;
    throw new AppError('MODEL_CUT', { model }, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

interface StreamState {
  ended: boolean;
  events: ModelEvent[];
  understood: number;
}

function readEvent(data: string, state: StreamState): void {
  if (data.trim() === '[DONE]') {
    state.ended = true;
    return;
  }
  let chunk: {
    choices?: { delta?: { content?: unknown }; finish_reason?: unknown }[];
    usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
  };
  try {
    chunk = JSON.parse(data) as typeof chunk;
  } catch (error) {
    // One line of garbage among good ones is passed over; nothing but garbage is told at the end.
    if (error instanceof SyntaxError) return;
    throw error;
  }
  const choice = chunk.choices?.[0];
  if (choice || chunk.usage) state.understood += 1;
  if (typeof choice?.delta?.content === 'string' && choice.delta.content !== '') {
    state.events.push({ type: 'text', delta: choice.delta.content });
  }
  if (typeof choice?.finish_reason === 'string') state.ended = true;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = chunk.usage ?? {};
  if (typeof promptTokens === 'number' && typeof completionTokens === 'number') {
    state.events.push({ type: 'usage', promptTokens, completionTokens });
  }
}

async function request(
  url: string,
  { address, ...init }: RequestInit & { address: string },
): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'error' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new AppError('MODEL_REFUSED', { address }, { cause: error });
  }
}

async function refuseStatus(response: Response, { baseUrl, model }: ChatModel): Promise<void> {
  if (response.ok) return;
  await response.body?.cancel();
  refuseKey(response, baseUrl);
  if (response.status === 404) throw new AppError('MODEL_UNKNOWN', { model, address: baseUrl });
  throw new AppError('MODEL_FAILED', { status: response.status, address: baseUrl });
}

const authorization = ({ key }: ModelServer): Record<string, string> =>
  key === null ? {} : { Authorization: `Bearer ${key}` };

function refuseKey({ status }: Response, address: string): void {
  if (status === 401 || status === 403) throw new AppError('MODEL_KEY', { address });
}

async function getJson(url: string, server: ModelServer, timeoutMs: number): Promise<{ body: unknown }> {
  const { baseUrl: address } = server;
  let response: Response;
  try {
    response = await request(url, {
      address,
      headers: authorization(server),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('MODEL_SLOW', { address }, { cause: error });
  }
  if (!response.ok) {
    await response.body?.cancel();
    refuseKey(response, address);
    throw new AppError('MODEL_FAILED', { status: response.status, address });
  }
  try {
    return { body: await response.json() };
  } catch (error) {
    throw new AppError('MODEL_GARBAGE', { address }, { cause: error });
  }
}
