import type { ModelStatus } from '../../shared/contract/models.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import type { Clock } from '../support/clock.ts';
import type { ChatModel, ModelEvent, ModelRequest } from './chatModel.ts';

/** A model on a server, as the settings name it. */
export interface NamedModel {
  baseUrl: string;
  model: string;
}

/** Whether a key was taken out of the address of the chosen model's server, and the user may not know it yet. */
export interface RemovedKey {
  wasRemoved(): boolean;
  forget(): void;
}

interface HealthPorts {
  clock: Clock;
  removedKey: RemovedKey;
  /** The status changed. */
  onChange(status: ModelStatus | null): void;
}

/** Would a question to the server fail the same way? Only such a failure is over once the server answers one. */
const isFoundByAsking = (code: string | undefined) =>
  code === 'MODEL_REFUSED' || code === 'MODEL_KEY' || code === 'MODEL_SLOW';

/** How the chosen model was last found. Choosing another one makes it unknown. */
export class ModelHealth {
  readonly #ports: HealthPorts;
  #choice = '';
  #status: ModelStatus | null = null;

  constructor(ports: HealthPorts) {
    this.#ports = ports;
  }

  of(named: NamedModel | null): ModelStatus | null {
    const choice = JSON.stringify(named);
    if (choice !== this.#choice) {
      this.#choice = choice;
      this.#set(named && { model: named.model, state: 'unknown', problem: null, at: null });
      if (named && this.#ports.removedKey.wasRemoved())
        this.failed(named, new AppError('ADDRESS_KEY_REMOVED', { address: named.baseUrl }));
    }
    return this.#status;
  }

  /** A reply came. */
  replied(named: NamedModel): void {
    this.#tell(named, 'ready', null);
    if (this.#ports.removedKey.wasRemoved()) this.#ports.removedKey.forget();
  }

  /** A reply, or a question to the server, failed. */
  failed(named: NamedModel, error: AppError): void {
    this.#tell(named, 'failed', codeOf(error));
  }

  /** The server answered a question, and names these models. One that it does not name it may serve all the same. */
  asked(named: NamedModel, models: readonly string[]): void {
    const code = this.of(named)?.problem?.code;
    const isOver =
      code === 'MODEL_UNKNOWN'
        ? models.includes(named.model)
        : code === 'ADDRESS_KEY_REMOVED'
          ? !this.#ports.removedKey.wasRemoved()
          : isFoundByAsking(code);
    if (code === undefined || isOver) this.#tell(named, 'ready', null);
  }

  #tell(named: NamedModel, state: ModelStatus['state'], problem: ModelStatus['problem']): void {
    // What is told of a model that is no longer chosen is of no use.
    if (JSON.stringify(named) !== this.#choice) return;
    this.#set({ model: named.model, state, problem, at: this.#ports.clock.now() });
  }

  #set(status: ModelStatus | null): void {
    const before = this.#status;
    this.#status = status;
    const said = (one: ModelStatus | null) => JSON.stringify(one && [one.model, one.state, one.problem]);
    if (said(status) !== said(before)) this.#ports.onChange(status);
  }
}

/** A model whose replies tell how it is. */
export class WatchedModel implements ChatModel {
  readonly #model: ChatModel;
  readonly #named: NamedModel;
  readonly #health: ModelHealth;

  constructor(model: ChatModel, named: NamedModel, health: ModelHealth) {
    this.#model = model;
    this.#named = named;
    this.#health = health;
  }

  get name(): string {
    return this.#model.name;
  }

  get isLocal(): boolean {
    return this.#model.isLocal;
  }

  get readsPrompt(): boolean {
    return this.#model.readsPrompt;
  }

  get takesTools(): boolean {
    return this.#model.takesTools;
  }

  contextTokens(signal?: AbortSignal): Promise<number> {
    return this.#model.contextTokens(signal);
  }

  countTokens(text: string): number {
    return this.#model.countTokens(text);
  }

  async *reply(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    let spoke = false;
    try {
      for await (const event of this.#model.reply(request, signal)) {
        spoke ||= event.type === 'text' || event.type === 'reasoning' || event.type === 'tool-call';
        yield event;
      }
      if (spoke || !signal.aborted) this.#health.replied(this.#named);
    } catch (error) {
      // A reply that is cut says nothing against the server.
      if (error instanceof AppError && error.code === 'REPLY_CUT') this.#health.replied(this.#named);
      else if (error instanceof AppError) this.#health.failed(this.#named, error);
      throw error;
    }
  }
}
