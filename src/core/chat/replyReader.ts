import type { TurnEvent } from '../../shared/contract/chat.ts';
import { AppError } from '../../shared/errors.ts';
import type { Settings } from '../../shared/settings.ts';
import { REPLY_FORMAT } from '../memory/learning/memories.ts';
import type { ChatModel, ModelEvent, ModelUsage, ToolCall } from '../models/chatModel.ts';
import type { BlockItem } from '../storage/contextBlocks.ts';
import type { ReplyPart } from '../storage/conversations/replyParts.ts';
import type { CitationRecord, ReplyEnd } from '../storage/conversations.ts';
import type { OpenTurn } from './answer.ts';
import { type CitationPorts, renderCitation, toCitationRecord } from './citations.ts';
import type { PromptPlan } from './prompt/plan.ts';
import { BETWEEN_MESSAGES } from './question.ts';
import { ReplyForm } from './replyForm.ts';
import { ToolRunner, type ToolRunnerPorts } from './toolRunner.ts';

export interface ReplyReaderPorts extends CitationPorts, ToolRunnerPorts {
  settings(): Settings;
}

/** The reply of one version, as it comes. */
export interface Reading {
  open: OpenTurn;
  plan: PromptPlan;
  /** It was asked to bring along what is to be remembered. */
  withMemories: boolean;
  /** What has come of the reply so far. */
  end: ReplyEnd;
  push(event: TurnEvent): void;
}

const KEEP_EVERY_MS = 500;
/** After so many rounds of tools the model is asked to answer without them. */
const MOST_ROUNDS = 5;

/** Reads a model's reply, and runs the tools that it calls meanwhile; what has come is kept on the disk every half second. */
export class ReplyReader {
  readonly #ports: ReplyReaderPorts;
  readonly #reading: Reading;
  readonly #cited: CitationRecord[] = [];
  #keptAt = performance.now();
  /** What came since the reply was kept last. */
  #fresh: ReplyPart = { content: '', reasoning: '', isWhole: true };
  /** What was written and thought before the last round of tools. */
  #before = { content: '', reasoning: '' };
  #form: ReplyForm;
  /** What is kept of the reply holds what may turn out not to be shown. */
  #keptRaw = false;
  #calls: ToolCall[] = [];

  constructor(ports: ReplyReaderPorts, reading: Reading) {
    this.#ports = ports;
    this.#reading = reading;
    this.#form = new ReplyForm(reading.withMemories);
  }

  async read(model: ChatModel, signal: AbortSignal): Promise<void> {
    const { plan, end, open, push } = this.#reading;
    const runner = new ToolRunner(this.#ports, {
      open,
      plan,
      resultTokens: this.#ports.settings().tokenBudget,
      countTokens: (text) => model.countTokens(text),
      push,
    });
    try {
      for (;;) {
        const tools = runner.rounds < MOST_ROUNDS ? plan.tools : [];
        await this.#readRound(model, { runner, tools }, signal);
        const calls = this.#calls.splice(0);
        if (signal.aborted) return;
        if (calls.length === 0 || tools.length === 0) {
          const hasCalled = calls.length > 0 || runner.rounds > 0;
          if (hasCalled && end.content.trim() === '')
            throw new AppError('MODEL_ONLY_CALLS', { model: model.name });
          return;
        }
        this.#keep(true);
        await runner.round(calls, end.content.length, signal);
        if (signal.aborted) return;
        this.#beginRound();
      }
    } finally {
      if (end.content === this.#before.content) end.content = end.content.trimEnd();
      end.citations = [...this.#cited, ...this.#citedIn(end.content, runner.items)];
    }
  }

  async #readRound(
    model: ChatModel,
    { runner, tools }: { runner: ToolRunner; tools: PromptPlan['tools'] },
    signal: AbortSignal,
  ): Promise<void> {
    const { plan, end, push, withMemories } = this.#reading;
    const request = {
      messages: runner.rounds === 0 ? plan.messages : [...plan.messages, ...runner.messages(end.content)],
      items: plan.items.map(({ number, id, score }) => ({ number, id, score })),
      ...(tools.length === 0 ? {} : { tools }),
      ...(withMemories ? { responseFormat: REPLY_FORMAT } : {}),
    };
    try {
      for await (const event of model.reply(request, signal)) this.#take(event);
    } finally {
      const { content, memories, more } = this.#form.end();
      end.content = this.#before.content + content;
      end.memories = memories ?? end.memories;
      if (more !== '') push({ type: 'text', delta: more });
    }
  }

  /** What follows a round of tools begins a paragraph of its own. */
  #beginRound(): void {
    const { end, push } = this.#reading;
    for (const [type, text] of [
      ['text', end.content],
      ['reasoning', end.reasoning],
    ] as const)
      if (text !== '' && !text.endsWith(BETWEEN_MESSAGES)) push({ type, delta: BETWEEN_MESSAGES });
    const apart = (text: string) =>
      text === '' || text.endsWith(BETWEEN_MESSAGES) ? text : text + BETWEEN_MESSAGES;
    end.content = apart(end.content);
    end.reasoning = apart(end.reasoning);
    this.#before = { content: end.content, reasoning: end.reasoning };
    this.#form = new ReplyForm(this.#reading.withMemories);
    this.#fresh = { ...this.#before, isWhole: true };
    this.#keptRaw = false;
  }

  #take(event: ModelEvent): void {
    const { end, push, open, plan } = this.#reading;
    switch (event.type) {
      case 'usage':
        end.usage = added(end.usage, event);
        end.promptCut = event.promptCut ?? end.promptCut;
        return;
      case 'text-was-reasoning':
        end.reasoning += this.#form.raw;
        end.content = this.#before.content;
        this.#form = new ReplyForm(this.#reading.withMemories);
        this.#fresh = { content: end.content, reasoning: end.reasoning, isWhole: true };
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
        this.#calls.push(event.call);
        return;
      case 'refused':
        this.#ports.log.warn({ turnId: open.turn.id, part: event.part }, 'the server refused a part');
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

  /** @param isDue whenever it was kept last: what comes next refers to it, and it is whole */
  #keep(isDue = false): void {
    if (!isDue && performance.now() - this.#keptAt < KEEP_EVERY_MS) return;
    this.#keptAt = performance.now();
    const { open, end } = this.#reading;
    if (isDue) this.#fresh = { content: end.content.trimEnd(), reasoning: end.reasoning, isWhole: true };
    try {
      this.#ports.turns.keepPart({ turnId: open.turn.id, version: open.version }, this.#fresh);
      this.#fresh = { content: '', reasoning: '', isWhole: false };
    } catch (error) {
      // The reply goes on: there may be room again when it ends.
      this.#ports.log.warn({ turnId: open.turn.id, err: error }, 'a partial reply cannot be kept');
    }
  }

  /** Items of the prompt and of what tools found that the reply cites by number; numbers that the model invents stay plain text. */
  #citedIn(reply: string, found: readonly BlockItem[]): CitationRecord[] {
    const numbers = citedNumbers(reply);
    return [...this.#reading.plan.items, ...found]
      .filter(({ number }) => numbers.has(number))
      .map((item: BlockItem) => toCitationRecord(item, item.number, this.#ports));
  }
}

/** Tokens of all calls of the model that one reply took; null where the server did not tell. */
function added(
  before: ReplyEnd['usage'],
  { promptTokens, completionTokens }: ModelUsage,
): NonNullable<ReplyEnd['usage']> {
  const sum = (one: number | null | undefined, other: number | null) =>
    one === null || one === undefined ? other : one + (other ?? 0);
  return {
    promptTokens: sum(before?.promptTokens, promptTokens),
    completionTokens: sum(before?.completionTokens, completionTokens),
  };
}

/** Numbers that a text cites: [4] and [2, 3]. */
function citedNumbers(text: string): Set<number> {
  const numbers = new Set<number>();
  for (const [, list] of text.matchAll(/\[(\d{1,6}(?:\s*,\s*\d{1,6})*)\]/g)) {
    for (const number of (list as string).split(',')) numbers.add(Number(number));
  }
  return numbers;
}
