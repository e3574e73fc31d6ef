import { AppError } from '../../shared/errors.ts';
import { isLoopbackHost } from '../../shared/loopback.ts';
import { askServer, type ModelServer, PROBE_MS } from './modelServer.ts';

/** A model on a server. */
export interface ServedModel extends ModelServer {
  model: string;
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

/** Ollama's names of models that it forwards to its cloud: `gpt-oss:120b-cloud`, `kimi-k2.5:cloud`. */
export function isCloudName(model: string): boolean {
  return /[:-]cloud$/i.test(model.trim());
}

/**
 * Asks a server on this computer whether it forwards the model to another one. Ollama tells by `remote_host` and `remote_model` of
 * `/api/show`, also for a copy under another name; a server that does not know that address tells nothing, and serves its models itself.
 * @throws AppError MODEL_REFUSED, MODEL_SLOW if no answer came
 */
export async function forwards(
  served: ServedModel,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  if (isCloudName(served.model)) return true;
  try {
    const url = `${rootOf(served)}/api/show`;
    const shown = await askServer(served, { url, body: { model: served.model }, timeoutMs, signal });
    const { remote_host: host, remote_model: model } = (shown ?? {}) as Record<string, unknown>;
    return Boolean(host) || Boolean(model);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'MODEL_REFUSED' || error.code === 'MODEL_SLOW')
      throw error;
    return false;
  }
}

/** The context that the server really serves for a model, in tokens; null if it does not tell. */
export async function servedContext(served: ServedModel, signal?: AbortSignal): Promise<number | null> {
  const ask = async ({ url, find }: Probe): Promise<unknown> => {
    try {
      return find((await askServer(served, { url, timeoutMs: PROBE_MS, signal })) as never, served.model);
    } catch (error) {
      // This server has no such address, or what stands there has another shape.
      if (error instanceof AppError || error instanceof TypeError) return null;
      throw error;
    }
  };
  const told = await Promise.all(probesOf(served).map(ask));
  const tokens = told.find((one): one is number => typeof one === 'number' && one >= 1);
  return tokens === undefined ? null : Math.floor(tokens);
}

interface Probe {
  url: string;
  find(body: never, model: string): unknown;
}

/** Where each kind of server tells its context, the most exact first. */
function probesOf(served: ServedModel): Probe[] {
  const root = rootOf(served);
  return [
    // llama.cpp: what one slot has. In router mode it must not load a model for the sake of this question.
    {
      url: `${root}/props?model=${encodeURIComponent(served.model)}&autoload=false`,
      find: (body: { default_generation_settings: { n_ctx?: unknown } }) =>
        body.default_generation_settings.n_ctx,
    },
    // LM Studio: what the model was loaded with.
    {
      url: `${root}/api/v0/models`,
      find: (body: { data: { id?: unknown; loaded_context_length?: unknown }[] }, model: string) =>
        body.data.find(({ id }) => id === model)?.loaded_context_length,
    },
    // Ollama: what runs now. It tells nothing of a model that it has not loaded yet.
    {
      url: `${root}/api/ps`,
      find: (body: { models: { name?: unknown; context_length?: unknown }[] }, model: string) =>
        body.models.find(({ name }) => name === model || name === `${model}:latest`)?.context_length,
    },
    // vLLM.
    {
      url: `${served.baseUrl}/models`,
      find: (body: { data: { id?: unknown; max_model_len?: unknown }[] }, model: string) =>
        body.data.find(({ id }) => id === model)?.max_model_len,
    },
  ];
}

const rootOf = ({ baseUrl }: ModelServer): string => baseUrl.replace(/\/v1$/, '');
