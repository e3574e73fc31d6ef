import type { Settings } from '../../shared/settings.ts';
import type { ChatModel } from './chatModel.ts';
import { withoutSlash } from './modelServer.ts';
import { OpenAiModel } from './openAiModel.ts';
import { PASSAGES, PassagesModel } from './passages.ts';

export interface ChatModelPorts {
  settings(): Settings;
  /** The key of a model's server; null if none is kept. */
  keyOf(baseUrl: string): Promise<string | null>;
}

/** The one place that turns settings into a chat model. It keeps the last one, with what its server told of itself. */
export class ChatModels {
  readonly #ports: ChatModelPorts;
  #last: { choice: string; model: OpenAiModel } | null = null;

  constructor(ports: ChatModelPorts) {
    this.#ports = ports;
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
    return model;
  }

  #serverModel(): { baseUrl: string; model: string } | null {
    const settings = this.#ports.settings();
    const baseUrl = withoutSlash(settings['chat.baseUrl']);
    const model = settings['chat.model'];
    return baseUrl === '' || model === '' ? null : { baseUrl, model };
  }
}
