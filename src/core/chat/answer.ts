import { DEFAULT_CHANNEL } from '../../shared/channels.ts';
import type { ChoicesInForce } from '../../shared/choices.ts';
import type { TurnEvent } from '../../shared/contract/chat.ts';
import type { Retrieval } from '../../shared/contract/retrieval.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import type { ChatModel } from '../models/chatModel.ts';
import type { ChatModels } from '../models/chatModels.ts';
import type { NewAttachment } from '../storage/attachments.ts';
import type { ReplyEnd, TurnRecord } from '../storage/conversations.ts';
import type { PromptStore } from '../storage/prompts.ts';
import type { CitationPorts } from './citations.ts';
import { type HeldFile, heldFiles } from './heldFiles.ts';
import { readAttached } from './prompt/loadAttached.ts';
import type { Asked, PromptPlanner, RetrievalOptions, TurnRules } from './prompt/promptPlanner.ts';
import { ReplyReader } from './replyReader.ts';
import type { ToolRunnerPorts } from './toolRunner.ts';

export interface AnswerPorts extends CitationPorts, ToolRunnerPorts {
  models: ChatModels;
  planner: PromptPlanner;
  prompts: PromptStore;
  settings(): Settings;
  /** What holds in a conversation; in a new one of the channel `chat`, if none is given. */
  choices(id?: ConversationId): ChoicesInForce;
  /** What a turn may be given. */
  rules(open: Pick<OpenTurn, 'system' | 'readsNotes'>, settings: Settings): TurnRules;
}

/** A turn whose reply is open. */
export interface OpenTurn {
  turn: TurnRecord;
  version: number;
  question: string;
  channel: string;
  /** A job's own message is answered without memory. */
  system: boolean;
  /** Of a chat without memory: the user wants the notes to be read. */
  readsNotes?: boolean;
  /** Milliseconds that it took to store. */
  storeMs?: number;
}

export interface PreviewRequest extends RetrievalOptions {
  text: string;
  conversationId?: ConversationId | undefined;
}

export const NO_REPLY: ReplyEnd = {
  state: 'complete',
  content: '',
  reasoning: '',
  scope: null,
  citations: [],
  error: null,
  usage: null,
  promptCut: null,
  fallback: null,
  timings: null,
  memories: null,
};

/** Answers turns: has the prompt planned, calls the model, and reads its reply. */
export class Answerer {
  readonly #ports: AnswerPorts;

  constructor(ports: AnswerPorts) {
    this.#ports = ports;
  }

  /** What the next turn of a conversation would be given. Reads only. */
  async preview({ text, conversationId, ...options }: PreviewRequest): Promise<Retrieval> {
    const { models, planner, choices } = this.#ports;
    const asked = { ...this.#asked(text, conversationId), notRetrieved: null };
    const model = await models.current(options.signal, choices(asked.conversationId ?? undefined).model);
    const { retrieval } = await planner.preview(asked, model, options);
    return retrieval;
  }

  /**
   * How many sections of what is attached to a message the model would be given, file by file; null if the model reads no prompt, or
   * its server does not say how much it takes. Nothing is searched.
   */
  async fit({
    text,
    conversationId,
    attached,
    signal,
  }: {
    text: string;
    conversationId?: ConversationId | undefined;
    attached: readonly NewAttachment[];
    signal?: AbortSignal | undefined;
  }): Promise<number[] | null> {
    const { models, planner, notes, log } = this.#ports;
    const asked = { ...this.#asked(text, conversationId), notRetrieved: 'switched-off' as const };
    const files = heldFiles(attached);
    try {
      const model = await models.current(
        signal,
        this.#ports.choices(asked.conversationId ?? undefined).model,
      );
      if (!model.readsPrompt) return null;
      const sectionsOf = ({ parts }: HeldFile) => parts;
      const { plan } = await planner.preview(asked, model, {
        attached: (options) => readAttached(files, { notes, sectionsOf }, options),
        signal,
      });
      return files.map(
        ({ ordinal }) => plan.attached?.items.filter((item) => item.attached === ordinal).length ?? 0,
      );
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.info({ code: error.code }, 'what fits of attachments is not known');
      return null;
    }
  }

  /** A question outside every turn. */
  #asked(text: string, conversationId: ConversationId | undefined): Asked {
    const { prompts, conversations, rules, settings } = this.#ports;
    const conversation = conversationId && conversations.get(conversationId);
    return {
      turnId: null,
      conversationId: conversation ? conversation.id : null,
      number: conversation ? prompts.nextTurn(conversation.id) : 1,
      version: 1,
      question: text,
      channel: conversation ? conversation.channel : DEFAULT_CHANNEL,
      ...rules({ system: false }, settings()),
    };
  }

  /** Answers an open turn, telling events as they come. What it returns closes the reply; it never throws. */
  async answer(open: OpenTurn, push: (event: TurnEvent) => void, signal: AbortSignal): Promise<ReplyEnd> {
    const { turn, version } = open;
    const { models, choices, log } = this.#ports;
    const end: ReplyEnd = { ...NO_REPLY };
    const startedAt = performance.now();
    const reading = { open, end, push };
    try {
      const { model: chosen } = choices(turn.conversationId);
      const model = await models.current(signal, chosen);
      if (chosen !== null && model.name !== chosen) end.fallback = { model: model.name, wanted: chosen };
      try {
        await this.#answerWith(model, reading, signal);
      } catch (error) {
        if (chosen === null || chosen === models.name() || !(await models.lacks(chosen, error))) throw error;
        signal.throwIfAborted();
        log.warn({ turnId: turn.id }, 'the chosen model is gone; the one of the settings answers');
        this.discard(turn.id, version);
        const other = await models.current(signal);
        end.fallback = { model: other.name, wanted: chosen };
        await this.#answerWith(other, reading, signal);
      }
    } catch (error) {
      if (!signal.aborted) {
        end.state = 'failed';
        end.error = codeOf(error);
        log.error({ turnId: turn.id, code: end.error.code, err: error }, 'turn failed');
      }
    }
    if (signal.aborted) end.state = 'stopped';
    end.timings = { store: open.storeMs ?? 0, reply: performance.now() - startedAt };
    return end;
  }

  /** Has the prompt planned for a model, and reads its reply into `end`. */
  async #answerWith(
    model: ChatModel,
    { open, end, push }: { open: OpenTurn; end: ReplyEnd; push: (event: TurnEvent) => void },
    signal: AbortSignal,
  ): Promise<void> {
    const { turn, version, question, channel } = open;
    const rules = this.#ports.rules(open, this.#ports.settings());
    const asked = {
      turnId: turn.id,
      conversationId: turn.conversationId,
      number: turn.ordinal,
      version,
      question,
      channel,
      ...rules,
    };
    const { plan, retrieval, isSearched } = await this.#ports.planner.plan(asked, model, signal);
    end.scope = isSearched ? retrieval.scope : null;
    push({ type: 'retrieved', retrieval });
    const { withMemories } = rules;
    await new ReplyReader(this.#ports, { open, plan, end, push, withMemories }).read(model, signal);
  }

  /** Takes back what a version was given, before it is answered from the start once more. */
  discard(turnId: TurnId, version: number): void {
    this.#ports.planner.discard(turnId, version);
  }
}
