import type { TurnEvent } from '../../shared/contract/chat.ts';
import type { Retrieval, SearchScope } from '../../shared/contract/retrieval.ts';
import { codeOf } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import { REPLY_FORMAT } from '../memory/learning/memories.ts';
import type { ChatModel, ModelEvent } from '../models/chatModel.ts';
import type { ChatModels } from '../models/chatModels.ts';
import type { BlockItem } from '../storage/contextBlocks.ts';
import type { ReplyPart } from '../storage/conversations/replyParts.ts';
import type { CitationRecord, ReplyEnd, TurnRecord } from '../storage/conversations.ts';
import type { PromptStore } from '../storage/prompts.ts';
import type { Logger } from '../support/logger.ts';
import { type CitationPorts, renderCitation, toCitationRecord } from './citations.ts';
import { bringsMemories } from './prompt/bringsMemories.ts';
import type { PromptPlan } from './prompt/plan.ts';
import type { NotRetrieved, PromptPlanner, RetrievalOptions } from './prompt/promptPlanner.ts';
import { ReplyForm } from './replyForm.ts';

export interface AnswerPorts extends CitationPorts {
  models: ChatModels;
  planner: PromptPlanner;
  prompts: PromptStore;
  settings(): Settings;
  log: Logger;
}

/** A turn whose reply is open. */
export interface OpenTurn {
  turn: TurnRecord;
  version: number;
  question: string;
  channel: string;
  /** A job's own message is answered without memory. */
  system: boolean;
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
  memories: null,
};
export const NOTHING_SEARCHED: SearchScope = { notesIndexed: 0, notesTotal: 0, turns: 0, indexing: false };
const KEEP_EVERY_MS = 500;

/** Answers turns: has the prompt planned, calls the model, and reads its reply. */
export class Answerer {
  readonly #ports: AnswerPorts;

  constructor(ports: AnswerPorts) {
    this.#ports = ports;
  }

  /** What the next turn of a conversation would be given. Reads only. */
  async preview({ text, conversationId, ...options }: PreviewRequest): Promise<Retrieval> {
    const { models, planner, prompts, conversations } = this.#ports;
    const conversation = conversationId && conversations.get(conversationId);
    const asked = {
      turnId: null,
      conversationId: conversation ? conversation.id : null,
      number: conversation ? prompts.nextTurn(conversation.id) : 1,
      version: 1,
      question: text,
      channel: conversation ? conversation.channel : 'chat',
      notRetrieved: null,
    };
    const { retrieval } = await planner.preview(asked, await models.current(options.signal), options);
    return retrieval;
  }

  /** Answers an open turn, telling events as they come. What it returns closes the reply; it never throws. */
  async answer(open: OpenTurn, push: (event: TurnEvent) => void, signal: AbortSignal): Promise<ReplyEnd> {
    const { turn, version, question, channel, system } = open;
    const { models, planner, log } = this.#ports;
    const end: ReplyEnd = { ...NO_REPLY, scope: NOTHING_SEARCHED };
    try {
      const model = await models.current(signal);
      const asked = {
        turnId: turn.id,
        conversationId: turn.conversationId,
        number: turn.ordinal,
        version,
        question,
        channel,
        notRetrieved: whyNotRetrieved(system, this.#ports.settings()),
      };
      const { plan, retrieval } = await planner.plan(asked, model, signal);
      end.scope = retrieval.scope;
      push({ type: 'retrieved', retrieval });
      const withMemories = bringsMemories(this.#ports.settings(), system);
      await new ReplyReader(this.#ports, { open, plan, end, push, withMemories }).read(model, signal);
    } catch (error) {
      if (!signal.aborted) {
        end.state = 'failed';
        end.error = codeOf(error);
        log.error({ turnId: turn.id, code: end.error.code, err: error }, 'turn failed');
      }
    }
    if (signal.aborted) end.state = 'stopped';
    return end;
  }

  /** Takes back what a version was given, before it is answered from the start once more. */
  discard(turnId: TurnId, version: number): void {
    this.#ports.planner.discard(turnId, version);
  }
}

function whyNotRetrieved(system: boolean, { autoRetrieve }: Settings): NotRetrieved | null {
  if (system) return 'own-message';
  return autoRetrieve ? null : 'switched-off';
}

/** The reply of one version, as it comes. */
interface Reading {
  open: OpenTurn;
  plan: PromptPlan;
  /** It was asked to bring along what is to be remembered. */
  withMemories: boolean;
  /** What has come of the reply so far. */
  end: ReplyEnd;
  push(event: TurnEvent): void;
}

/** Reads a model's reply; what has come is kept on the disk every half second. */
class ReplyReader {
  readonly #ports: AnswerPorts;
  readonly #reading: Reading;
  readonly #cited: CitationRecord[] = [];
  #keptAt = performance.now();
  /** What came since the reply was kept last. */
  #fresh: ReplyPart = { content: '', reasoning: '', isWhole: true };
  #form: ReplyForm;
  /** What is kept of the reply holds what may turn out not to be shown. */
  #keptRaw = false;

  constructor(ports: AnswerPorts, reading: Reading) {
    this.#ports = ports;
    this.#reading = reading;
    this.#form = new ReplyForm(reading.withMemories);
  }

  async read(model: ChatModel, signal: AbortSignal): Promise<void> {
    const { plan, end, push, withMemories } = this.#reading;
    const items = plan.items.map(({ number, id, score }) => ({ number, id, score }));
    const request = {
      messages: plan.messages,
      items,
      ...(withMemories ? { responseFormat: REPLY_FORMAT } : {}),
    };
    try {
      for await (const event of model.reply(request, signal)) this.#take(event);
    } finally {
      const { content, memories, more } = this.#form.end();
      end.content = content;
      end.memories = memories;
      if (more !== '') push({ type: 'text', delta: more });
      end.citations = [...this.#cited, ...this.#citedIn(end.content)];
    }
  }

  #take(event: ModelEvent): void {
    const { end, push, open, plan } = this.#reading;
    switch (event.type) {
      case 'usage':
        end.usage = event;
        end.promptCut = event.promptCut;
        return;
      case 'text-was-reasoning':
        end.reasoning += this.#form.raw;
        end.content = '';
        this.#form = new ReplyForm(this.#reading.withMemories);
        this.#fresh = { content: '', reasoning: end.reasoning, isWhole: true };
        push({ type: 'text-was-reasoning' });
        return;
      case 'reasoning':
        end.reasoning += event.delta;
        this.#fresh.reasoning += event.delta;
        push({ type: 'reasoning', delta: event.delta });
        this.#keep();
        return;
      case 'text':
        this.#takeText(event.delta);
        this.#keep();
        return;
      case 'cite': {
        const item = plan.items.find(({ number }) => number === event.number);
        if (!item) return;
        const record = toCitationRecord(item, this.#cited.length + 1, this.#ports);
        this.#cited.push(record);
        push({ type: 'citation', citation: renderCitation(record, open.question, this.#ports) });
        return;
      }
      case 'tool-call':
      case 'refused':
        this.#ports.log.warn(
          { turnId: open.turn.id, type: event.type },
          'the model did not do as it was asked',
        );
    }
  }

  #takeText(text: string): void {
    const { end, push } = this.#reading;
    const delta = this.#form.feed(text);
    end.content += delta;
    if (this.#form.isHolding) {
      // After a crash it is shown as it came.
      this.#fresh.content += text;
      this.#keptRaw = true;
    } else if (this.#keptRaw) {
      this.#fresh = { content: end.content, reasoning: end.reasoning, isWhole: true };
      this.#keptRaw = false;
    } else this.#fresh.content += delta;
    if (delta !== '') push({ type: 'text', delta });
  }

  #keep(): void {
    if (performance.now() - this.#keptAt < KEEP_EVERY_MS) return;
    this.#keptAt = performance.now();
    const { open } = this.#reading;
    try {
      this.#ports.conversations.keepPart(open.turn.id, open.version, this.#fresh);
      this.#fresh = { content: '', reasoning: '', isWhole: false };
    } catch (error) {
      // The reply goes on: there may be room again when it ends.
      this.#ports.log.warn({ turnId: open.turn.id, err: error }, 'a partial reply cannot be kept');
    }
  }

  /** Items of the prompt's blocks that the reply cites by number; numbers that the model invents stay plain text. */
  #citedIn(reply: string): CitationRecord[] {
    const numbers = citedNumbers(reply);
    return this.#reading.plan.items
      .filter(({ number }) => numbers.has(number))
      .map((item: BlockItem) => toCitationRecord(item, item.number, this.#ports));
  }
}

/** Numbers that a text cites: [4] and [2, 3]. */
function citedNumbers(text: string): Set<number> {
  const numbers = new Set<number>();
  for (const [, list] of text.matchAll(/\[(\d{1,6}(?:\s*,\s*\d{1,6})*)\]/g)) {
    for (const number of (list as string).split(',')) numbers.add(Number(number));
  }
  return numbers;
}
