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

/** The one place that turns settings into a chat model. It keeps the last one, with what its server told of itself. */
export class ChatModels {
  readonly #ports: ChatModelPorts;
  readonly #health: ModelHealth;
  #last: { choice: string; model: OpenAiModel } | null = null;

  constructor(ports: ChatModelPorts) {
    this.#ports = ports;
    this.#health = new ModelHealth({ ...ports, onChange: (status) => ports.onStatus(status) });
  }

  /** Name of the model that the settings name, as stored with replies. */
  name(): string {
    return this.#serverModel()?.model ?? PASSAGES;
  }

  /** The model that the settings name, with its server's key; whether it is on this computer is known, or its server is away. */
  async current(signal?: AbortSignal): Promise<ChatModel> {
    const settings = this.#ports.settings();
    const named = this.#serverModel();
    if (!named) return new PassagesModel(settings.minScore);
    const served = { ...named, key: await this.#ports.keyOf(named.baseUrl) };
    const tokens = settings['chat.contextTokens'];
    const choice = JSON.stringify([served, tokens]);
    if (this.#last?.choice !== choice) this.#last = { choice, model: new OpenAiModel(served, tokens) };
    const { model } = this.#last;
    await model.locate(signal);
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

  #serverModel(): NamedModel | null {
    const settings = this.#ports.settings();
    const baseUrl = withoutSlash(settings['chat.baseUrl']);
    const model = settings['chat.model'];
    return baseUrl === '' || model === '' ? null : { baseUrl, model };
  }
}
