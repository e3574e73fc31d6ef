import PQueue from 'p-queue';
import type { Turn } from '../../shared/contract/chat.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { ReplyEnd, TurnRecord } from '../storage/conversations.ts';
import type { Clock } from '../support/clock.ts';
import type { Logger } from '../support/logger.ts';
import { type Answerer, NO_REPLY, type OpenTurn } from './answer.ts';
import type { Cut, LiveTurn } from './liveTurn.ts';
import type { ReplyEnds } from './replyEnds.ts';

export interface TurnRunnerPorts {
  answerer: Pick<Answerer, 'answer' | 'discard'>;
  /** What closes replies. */
  ends: Pick<ReplyEnds, 'store'>;
  clock: Clock;
  log: Logger;
  /** The turn as it is shown; undefined if it was erased. */
  render(id: TurnId): Turn | undefined;
  /** A turn began or ended. */
  onChange(): void;
  /** Turns are answered, or none is any more. */
  onAnswering(isAnswering: boolean): void;
}

/** The live turns of one conversation: the one that is answered, then those that wait. They are answered one after another. */
interface Lane {
  queue: PQueue;
  turns: LiveTurn[];
}

/** Answers turns to their end, whether or not anybody listens: one at a time in each conversation. */
export class TurnRunner {
  readonly #ports: TurnRunnerPorts;
  readonly #lanes = new Map<ConversationId, Lane>();
  #isClosing = false;

  constructor(ports: TurnRunnerPorts) {
    this.#ports = ports;
  }

  /** @throws AppError CLOSING */
  refuseIfClosing(): void {
    if (this.#isClosing) throw new AppError('CLOSING');
  }

  /** Is a turn of the conversation answered, or waiting to be? */
  isBusy(id: ConversationId): boolean {
    return this.#lanes.has(id);
  }

  /** Is another turn of its conversation answered, or waiting to be? */
  isBusyBeside({ id, conversationId }: Pick<TurnRecord, 'id' | 'conversationId'>): boolean {
    return this.#lanes.get(conversationId)?.turns.some(({ open }) => open.turn.id !== id) ?? false;
  }

  /** The turn that a message sent now joins; null if it begins one of its own. A job's own messages and the user's are kept apart. */
  joinable(id: ConversationId, system: boolean): LiveTurn | null {
    const last = this.#lanes.get(id)?.turns.at(-1);
    return last?.open.system === system && last.takesMessage(this.#ports.clock.now()) ? last : null;
  }

  /** Answers a turn once those before it in its conversation have ended. */
  start(turn: LiveTurn): void {
    const { conversationId, id: turnId } = turn.open.turn;
    const lane = this.#lanes.get(conversationId) ?? { queue: new PQueue({ concurrency: 1 }), turns: [] };
    this.#lanes.set(conversationId, lane);
    lane.turns.push(turn);
    this.#ports.onAnswering(true);
    lane.queue
      .add(() => this.#run(turn))
      .catch((error: unknown) => this.#ports.log.error({ turnId, err: error }, 'a turn broke off'));
    this.#ports.onChange();
  }

  /** Ends a turn with what has come of its reply. */
  stop(id: TurnId): void {
    for (const { turns } of this.#lanes.values()) {
      for (const turn of turns.filter(({ open }) => open.turn.id === id)) this.#cut(turn, 'stopped');
    }
  }

  /** Ends every turn of a conversation. */
  stopAll(id: ConversationId): void {
    for (const turn of this.#lanes.get(id)?.turns ?? []) this.#cut(turn, 'stopped');
  }

  /** Ends every turn, and waits until all are stored. Nothing begins afterwards. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const lanes = [...this.#lanes.values()];
    for (const turn of lanes.flatMap(({ turns }) => turns)) this.#cut(turn, 'interrupted');
    await Promise.all(lanes.map(({ queue }) => queue.onIdle()));
  }

  #cut(turn: LiveTurn, cut: Cut): void {
    if (turn.isWaiting) this.#finish(turn, { ...NO_REPLY, state: cut });
    else turn.end(cut);
  }

  async #run(turn: LiveTurn): Promise<void> {
    // It may have been stopped while it waited.
    if (!turn.hasEnded) this.#finish(turn, await this.#answer(turn));
  }

  async #answer(turn: LiveTurn): Promise<ReplyEnd> {
    let end = await this.#attempt(turn);
    while (turn.isRestarting) end = await this.#attempt(turn);
    if (turn.isDropped) {
      this.#discard(turn.open);
      end = { ...NO_REPLY, state: 'stopped' };
    }
    return end.state === 'stopped' && turn.cut ? { ...end, state: turn.cut } : end;
  }

  /** Answers the question as it now is. */
  async #attempt(turn: LiveTurn): Promise<ReplyEnd> {
    if (turn.isRestarting) this.#discard(turn.open);
    const signal = turn.begin(this.#ports.clock.now());
    try {
      return await this.#ports.answerer.answer(turn.open, (event) => turn.tell(event), signal);
    } catch (error) {
      this.#ports.log.error({ turnId: turn.open.turn.id, err: error }, 'turn failed');
      return { ...NO_REPLY, state: 'failed', error: codeOf(error) };
    }
  }

  /** Takes back what a turn was given whose answer is thrown away. */
  #discard({ turn, version }: OpenTurn): void {
    try {
      this.#ports.answerer.discard(turn.id, version);
    } catch (error) {
      this.#ports.log.error({ turnId: turn.id, err: error }, 'a retrieval that was not used stays logged');
    }
  }

  /** Stores the end of a turn and tells it to the followers. */
  #finish(turn: LiveTurn, end: ReplyEnd): void {
    const { ends, log, render, onChange, onAnswering } = this.#ports;
    const { turn: record, version, system } = turn.open;
    turn.markEnded();
    this.#leaveLane(turn);
    try {
      ends.store({ turnId: record.id, version, system }, end);
      const shown = render(record.id);
      log.info({ turnId: record.id, state: end.state, citations: end.citations.length }, 'turn answered');
      turn.closeStreams(shown ? { type: 'done', turn: shown } : null);
    } catch (error) {
      log.error({ turnId: record.id, err: error }, 'the end of a turn could not be stored');
      turn.failStreams(error);
    }
    onAnswering(this.#lanes.size > 0);
    onChange();
  }

  #leaveLane(turn: LiveTurn): void {
    const { conversationId } = turn.open.turn;
    const lane = this.#lanes.get(conversationId);
    if (!lane) return;
    lane.turns = lane.turns.filter((other) => other !== turn);
    if (lane.turns.length === 0) this.#lanes.delete(conversationId);
  }
}
