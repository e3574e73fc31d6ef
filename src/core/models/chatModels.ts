import type { ModelStatus } from '../../shared/contract/models.ts';
import { AppError } from '../../shared/errors.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Clock } from '../support/clock.ts';
import type { ChatModel } from './chatModel.ts';
import { ModelHealth, type NamedModel, type RemovedKey, WatchedModel } from './modelHealth.ts';
import { listModels, withoutSlash } from './modelServer.ts';
import { OpenAiModel } from './openAiModel.ts';
import { PASSAGES, PassagesModel } from './passages.ts';

export interface ChatModelPorts {
  settings(): Settings;
  /** The key of a model's server; null if none is kept. */
  keyOf(baseUrl: string): Promise<string | null>;
  clock: Clock;
  removedKey: RemovedKey;
  /** How the chosen model is has changed. */
  onStatus(status: ModelStatus | null): void;
}

/** How long a server has to list its models; it may be on another computer. */
const CHECK_MS = 5_000;
/** Models that are remembered with what their server told of them: as many as anybody has channels in use. */
const MOST_USED = 8;

/** The one place that turns settings into a chat model. It keeps those used last, with what their server told of itself. */
export class ChatModels {
  readonly #ports: ChatModelPorts;
  readonly #health: ModelHealth;
  readonly #used = new Map<string, OpenAiModel>();

  constructor(ports: ChatModelPorts) {
    this.#ports = ports;
    this.#health = new ModelHealth({ ...ports, onChange: (status) => ports.onStatus(status) });
  }

  /**
   * Name of a model, as stored with replies.
   * @param chosen another one than the settings name, or `passages`; null for the one that they name
   */
  name(chosen: string | null = null): string {
    return this.#serverModel(chosen)?.model ?? PASSAGES;
  }

  /**
   * The model that the settings name, or another one of its server, with the server's key; whether it is on this computer is known, or its
   * server is away.
   * @param chosen as in `name`
   */
  async current(signal?: AbortSignal, chosen: string | null = null): Promise<ChatModel> {
    const settings = this.#ports.settings();
    const named = this.#serverModel(chosen);
    if (!named) return new PassagesModel(settings.minScore);
    const served = { ...named, key: await this.#ports.keyOf(named.baseUrl) };
    const tokens = settings['chat.contextTokens'];
    const choice = JSON.stringify([served, tokens]);
    const model = this.#used.get(choice) ?? new OpenAiModel(served, tokens);
    this.#keep(choice, model);
    await model.locate(signal);
    // The footer tells how the model is that the settings name.
    if (named.model !== this.name()) return model;
    this.#health.of(named);
    return new WatchedModel(model, named, this.#health);
  }

  /** Asks the server of the chosen model whether it is there, and tells how the model was last found; null for Passages. */
  async check(): Promise<ModelStatus | null> {
    const named = this.#serverModel();
    const status = this.#health.of(named);
    if (!named || !status) return null;
    try {
      const key = await this.#ports.keyOf(named.baseUrl);
      this.#health.asked(named, await listModels({ baseUrl: named.baseUrl, key }, CHECK_MS));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#health.failed(named, error);
    }
    return this.#health.of(this.#serverModel());
  }

  /** Does a reply of a model of the chosen server fail because the server does not have it, or not any more? */
  async lacks(model: string, error: unknown): Promise<boolean> {
    if (!(error instanceof AppError)) return false;
    if (error.code !== 'MODEL_FAILED') return error.code === 'MODEL_UNKNOWN';
    const baseUrl = withoutSlash(this.#ports.settings()['chat.baseUrl']);
    try {
      const models = await listModels({ baseUrl, key: await this.#ports.keyOf(baseUrl) }, CHECK_MS);
      return !models.includes(model);
    } catch (failure) {
      // A server that fails at that too does not say what it has.
      if (failure instanceof AppError) return false;
      throw failure;
    }
  }

  #keep(choice: string, model: OpenAiModel): void {
    this.#used.delete(choice);
    this.#used.set(choice, model);
    const [oldest] = this.#used.keys();
    if (oldest !== undefined && this.#used.size > MOST_USED) this.#used.delete(oldest);
  }

  #serverModel(chosen: string | null = null): NamedModel | null {
    const settings = this.#ports.settings();
    const baseUrl = withoutSlash(settings['chat.baseUrl']);
    if (chosen === PASSAGES) return null;
    const model = chosen ?? settings['chat.model'];
    return baseUrl === '' || model === '' ? null : { baseUrl, model };
  }
}
