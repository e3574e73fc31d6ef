import { AppError } from '../../shared/errors.ts';
import { isLoopbackHost } from '../../shared/loopback.ts';
import { askServer, type ModelServer, PROBE_MS } from './modelServer.ts';

/** A model on a server. */
export interface ServedModel extends ModelServer {
  model: string;
}

/** As the setting `chat.contextTokens`. */
const MOST_CONTEXT_TOKENS = 10_000_000;
const OLLAMA_CLOUD = 'ollama.com';

/** Is the address on this computer? */
export function isLoopback(baseUrl: string): boolean {
  return isLoopbackHost(hostOf(baseUrl) ?? '');
}

/** Ollama's names of models that it forwards to its cloud: `gpt-oss:120b-cloud`, `kimi-k2.5:cloud`. */
export function isCloudName(model: string): boolean {
  return /[:-]cloud$/i.test(model.trim());
}

/**
 * The other computer that answers for a model; null if it is this one. A server on this computer is asked whether it forwards the
 * model: Ollama tells by `remote_host` and `remote_model` of `/api/show`, also for a copy under another name. A server that does not
 * know that address tells nothing, and serves its models itself.
 * @throws AppError MODEL_REFUSED, MODEL_SLOW if no answer came
 */
export async function remoteHostOf(
  served: ServedModel,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<string | null> {
  if (!isLoopback(served.baseUrl)) return hostOf(served.baseUrl) ?? served.baseUrl;
  try {
    const url = `${rootOf(served)}/api/show`;
    const shown = await askServer(served, { url, body: { model: served.model }, timeoutMs, signal });
    const { remote_host: host, remote_model: model } = (shown ?? {}) as Record<string, unknown>;
    if (host || model) return (typeof host === 'string' && hostOf(host)) || OLLAMA_CLOUD;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const silent = error.code === 'MODEL_REFUSED' || error.code === 'MODEL_SLOW';
    if (silent && !isCloudName(served.model)) throw error;
  }
  return isCloudName(served.model) ? OLLAMA_CLOUD : null;
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
  return tokens === undefined ? null : Math.min(Math.floor(tokens), MOST_CONTEXT_TOKENS);
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

/** Host name of an address; null if it is none. */
function hostOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).hostname : null;
}
