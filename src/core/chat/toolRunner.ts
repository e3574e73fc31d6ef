import type { TurnEvent } from '../../shared/contract/chat.ts';
import type { ToolCall as ShownCall } from '../../shared/contract/tools.ts';
import { quotedHashes } from '../items/index.ts';
import type { ModelMessage, ToolCall } from '../models/chatModel.ts';
import type { BlockItem } from '../storage/contextBlocks.ts';
import type { Db } from '../storage/database.ts';
import type { ToolCallRecord, ToolResult } from '../storage/toolCalls.ts';
import { unlessAborted } from '../support/abort.ts';
import type { Clock } from '../support/clock.ts';
import { newMarker } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import type { OpenTurn } from './answer.ts';
import type { PromptPlan } from './prompt/plan.ts';
import { resultOf, toolRounds } from './prompt/toolMessages.ts';
import { keptArguments } from './tools/arguments.ts';
import { type FitRules, fitItems } from './tools/fitItems.ts';
import { renderResult } from './tools/renderResult.ts';
import type { Given } from './tools/tool.ts';
import type { Toolbox } from './tools/toolbox.ts';
import type { TurnStore } from './turnStore.ts';

export interface ToolRunnerPorts {
  db: Db;
  toolbox: Toolbox;
  turns: TurnStore;
  clock: Clock;
  log: Logger;
}

export interface ToolRun {
  open: OpenTurn;
  plan: PromptPlan;
  /** Tokens that what one call finds may take. */
  resultTokens: number;
  countTokens(text: string): number;
  push(event: TurnEvent): void;
}

/** Calls of one round that are run. More of them is a model that goes on without end. */
const MOST_CALLS = 10;
/** A note is read to be read whole: it may take so many results of a search. */
const NOTE_SHARE = 3;

/** Runs the tools that a model calls while it writes one reply. What they give is stored and told as it comes. */
export class ToolRunner {
  readonly #ports: ToolRunnerPorts;
  readonly #run: ToolRun;
  readonly #calls: ToolCallRecord[] = [];
  #rounds = 0;
  #room: number;
  #nextNumber: number;

  constructor(ports: ToolRunnerPorts, run: ToolRun) {
    const { plan, open } = run;
    this.#ports = ports;
    this.#run = run;
    this.#room = plan.toolRoom;
    const given = plan.items.map(({ number }) => number);
    this.#nextNumber = Math.max(0, ports.turns.highestNumber(open.turn.conversationId), ...given) + 1;
  }

  /** Rounds that were run. */
  get rounds(): number {
    return this.#rounds;
  }

  /** What the tools found, by citation number. */
  get items(): BlockItem[] {
    return this.#calls.flatMap(({ items }) => items);
  }

  /** What follows the planned prompt in the next call of the model. @param reply as far as it has come */
  messages(reply: string): ModelMessage[] {
    return toolRounds(this.#calls, reply).messages.map((message) =>
      message.role === 'assistant'
        ? { role: 'assistant', content: message.content, toolCalls: message.toolCalls }
        : { role: 'tool', content: message.content, toolCallId: message.toolCallId },
    );
  }

  /**
   * Runs the calls of one round together. When this returns, each has its result.
   * @param saidTo how much of the reply was written before them
   */
  async round(calls: readonly ToolCall[], saidTo: number, signal: AbortSignal): Promise<void> {
    this.#rounds += 1;
    const begun = calls.slice(0, MOST_CALLS).map((call, place) => this.#begin(call, { place, saidTo }));
    this.#ports.turns.beginCalls(this.#reply, begun);
    this.#calls.push(...begun);
    this.#room -= begun.reduce(
      (sum, { name, arguments: json }) => sum + this.#run.countTokens(name + json),
      0,
    );
    for (const call of begun) this.#tell(call);
    const share = Math.max(0, Math.floor(this.#room / (begun.length + 1)));
    await Promise.all(
      begun.map((call, place) => this.#answer(call, calls[place]?.arguments ?? '', { share, signal })),
    );
  }

  get #reply() {
    const { turn, version } = this.#run.open;
    return { turnId: turn.id, version };
  }

  #begin(
    { id, name, arguments: json }: ToolCall,
    { place, saidTo }: { place: number; saidTo: number },
  ): ToolCallRecord {
    return {
      ...this.#reply,
      ordinal: this.#calls.length + place + 1,
      round: this.#rounds,
      saidTo,
      callId: id,
      // Servers refuse a prompt in which a function has another kind of name.
      name: name.replace(/[^\w-]/g, '_').slice(0, 64),
      arguments: keptArguments(json),
      marker: newMarker(),
      language: this.#run.plan.trail.state.language,
      at: this.#ports.clock.now(),
      state: 'running',
      outcome: 'running',
      params: {},
      items: [],
      text: '',
      isStale: false,
      durationMs: null,
    };
  }

  async #answer(
    call: ToolCallRecord,
    json: string,
    { share, signal }: { share: number; signal: AbortSignal },
  ): Promise<void> {
    const { toolbox, log } = this.#ports;
    const { open, plan } = this.#run;
    const startedAt = performance.now();
    const caller = {
      conversationId: open.turn.conversationId,
      turnId: open.turn.id,
      maySee: plan.maySee,
      language: call.language,
      signal,
    };
    try {
      const given = await unlessAborted(toolbox.run(call.name, json, caller), signal);
      this.#end(call, given, { share, durationMs: performance.now() - startedAt });
    } catch (error) {
      if (!signal.aborted) throw error;
      Object.assign(call, { state: 'cut', outcome: 'cut', text: null } satisfies Partial<ToolResult>);
    }
    const { turnId, ordinal, name, outcome, durationMs } = call;
    log.info({ turnId, ordinal, tool: name, outcome, ms: durationMs }, 'a tool was called');
    this.#tell(call);
  }

  /** Numbers what was found, as far as there is room for it, and stores it. */
  #end(
    call: ToolCallRecord,
    given: Given,
    { share, durationMs }: { share: number; durationMs: number },
  ): void {
    const { db, turns, clock } = this.#ports;
    const { resultTokens, countTokens } = this.#run;
    const { outcome, params = {}, items = [], mayCut = false } = given;
    const now = clock.now();
    const rules: FitRules = {
      call,
      firstNumber: this.#nextNumber,
      tokens: Math.min(share, mayCut ? resultTokens * NOTE_SHARE : resultTokens),
      mayCut,
      countTokens,
    };
    const hashes = quotedHashes(db, items, now);
    const fitted = fitItems(
      items.filter((_, place) => hashes[place] !== null),
      rules,
    );
    const isLost = items.length > 0 && fitted.length === 0;
    const result: ToolResult = {
      state:
        outcome === 'failed' || outcome === 'bad-arguments' || outcome === 'unknown-tool' ? 'failed' : 'done',
      outcome: isLost ? 'no-room' : outcome,
      params: items.length === 0 || isLost ? params : { of: items.length, ...params, shown: fitted.length },
      items: fitted,
      text: null,
      durationMs,
    };
    Object.assign(call, result);
    call.text = renderResult(call);
    this.#nextNumber += fitted.length;
    turns.endCall(this.#reply, { ordinal: call.ordinal, now }, { ...result, text: call.text });
    this.#room -= countTokens(call.text ?? '');
  }

  #tell(call: ToolCallRecord): void {
    this.#run.push({ type: 'tool', call: shownCall(call) });
  }
}

/** A call as it is shown. */
export function shownCall(call: ToolCallRecord): ShownCall {
  const { ordinal, name, arguments: json, state, outcome, params, durationMs } = call;
  const result = state === 'running' ? '' : resultOf(call);
  return { ordinal, name, arguments: json, state, outcome, params, result, durationMs };
}
