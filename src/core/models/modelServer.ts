import { AppError } from '../../shared/errors.ts';
import { readBody } from './readBody.ts';

/** A server that speaks OpenAI's protocol. */
export interface ModelServer {
  /** Address up to and including `/v1`, without a slash at the end. */
  baseUrl: string;
  /** Sent as a bearer token; null if none is kept for it. */
  key: string | null;
}

export interface FoundServer {
  baseUrl: string;
  models: string[];
}

/** Usual loopback ports: Ollama, LM Studio, llama.cpp's server, vLLM and others. */
const USUAL_PORTS = [11434, 1234, 8080, 8000];
/** How long a server on this computer has to answer a question that needs no model. */
export const PROBE_MS = 800;

/** Of an answer that is no reply of a model: a list of some ten thousand models. */
const MOST_ANSWER_CHARACTERS = 4_000_000;

export const withoutSlash = (baseUrl: string): string => baseUrl.replace(/\/+$/, '');

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

/** @throws AppError MODEL_REFUSED, MODEL_KEY, MODEL_FAILED, MODEL_SLOW, MODEL_GARBAGE */
export async function listModels(server: ModelServer, timeoutMs = 10_000): Promise<string[]> {
  const { baseUrl } = server;
  const body = await askServer(server, { url: `${baseUrl}/models`, timeoutMs });
  const list = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(list)) throw new AppError('MODEL_GARBAGE', { address: baseUrl });
  return list
    .map((entry: { id?: unknown } | null) => entry?.id)
    .filter((id): id is string => typeof id === 'string');
}

interface Question {
  url: string;
  /** Sent as JSON with POST; without it the request is a GET. */
  body?: unknown;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Asks a server for JSON.
 * @throws AppError MODEL_REFUSED, MODEL_KEY, MODEL_FAILED, MODEL_SLOW (also once `signal` is aborted), MODEL_GARBAGE
 */
export async function askServer(
  server: ModelServer,
  { url, body, timeoutMs, signal }: Question,
): Promise<unknown> {
  const address = server.baseUrl;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await sendTo(server, url, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
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
    return JSON.parse((await readBody(response, MOST_ANSWER_CHARACTERS)) ?? '');
  } catch (error) {
    throw new AppError('MODEL_GARBAGE', { address }, { cause: error });
  }
}

/**
 * Sends a request with the server's key, which follows no redirect.
 * @throws AppError MODEL_REFUSED; what `fetch` throws once the signal is aborted
 */
export async function sendTo(server: ModelServer, url: string, init: RequestInit): Promise<Response> {
  const headers = {
    ...(init.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(server.key === null ? {} : { Authorization: `Bearer ${server.key}` }),
  };
  try {
    return await fetch(url, { ...init, headers, redirect: 'error' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new AppError('MODEL_REFUSED', { address: server.baseUrl }, { cause: error });
  }
}

/** @throws AppError MODEL_KEY for 401 and 403 */
export function refuseKey({ status }: Response, address: string): void {
  if (status === 401 || status === 403) throw new AppError('MODEL_KEY', { address });
}
