import type { TurnEvent } from '../../shared/contract/chat.ts';
import type { Channel } from '../support/events.ts';
import type { OpenTurn } from './answer.ts';

/** Another message within this time of the start, and before the first token, joins the turn. */
const COALESCE_MS = 600;

/**
 * - `waiting`: its messages are stored, and the reply before it is still being written
 * - `answering`
 * - `restarting`: its question grew; what was begun is thrown away, and the turn is answered from the start
 * - `stopping`: the reply ends with what has come of it
 * - `dropping`: it was stopped while it restarted: the reply ends with nothing
 * - `ended`
 */
type LiveState = 'waiting' | 'answering' | 'restarting' | 'stopping' | 'dropping' | 'ended';

/** Why a reply ended early: the user stopped it, or the program closes. */
export type Cut = 'stopped' | 'interrupted';

/** A turn whose reply is open, with everybody who follows it. */
export class LiveTurn {
  open: OpenTurn;
  /** Why its reply ends early; null if it does not. */
  cut: Cut | null = null;
  readonly #grows: boolean;
  readonly #followers: Channel<TurnEvent>[] = [];
  #state: LiveState = 'waiting';
  #stop = new AbortController();
  #startedAt: number | null = null;
  /** Something of the reply was shown. */
  #spoke = false;

  /** `grows` is false for a turn that is answered again: no message joins it. */
  constructor(open: OpenTurn, grows: boolean) {
    this.open = open;
    this.#grows = grows;
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  get isRestarting(): boolean {
    return this.#state === 'restarting';
  }

  get isDropped(): boolean {
    return this.#state === 'dropping';
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Would a message that comes at `now` (milliseconds since 1970) join this turn? */
  takesMessage(now: number): boolean {
    if (!this.#grows) return false;
    if (this.#state === 'waiting') return true;
    const isYoung = this.#startedAt !== null && now - this.#startedAt < COALESCE_MS;
    return isYoung && !this.#spoke && (this.#state === 'answering' || this.#state === 'restarting');
  }

  follow(follower: Channel<TurnEvent>): void {
    this.#followers.push(follower);
  }

  /** Begins to answer, or begins again. The signal aborts when the answer is to end. */
  begin(now: number): AbortSignal {
    this.#state = 'answering';
    this.#startedAt ??= now;
    this.#stop = new AbortController();
    return this.#stop.signal;
  }

  /** Takes a question that has grown; an answer that has begun starts over. */
  grow(question: string): void {
    this.open = { ...this.open, question };
    if (this.#state === 'waiting') return;
    this.#state = 'restarting';
    this.#stop.abort();
  }

  /** Ends an answer that has begun. The first reason counts. */
  end(cut: Cut): void {
    if (this.#state !== 'answering' && this.#state !== 'restarting') return;
    this.#state = this.#state === 'restarting' ? 'dropping' : 'stopping';
    this.cut = cut;
    this.#stop.abort();
  }

  /** Tells the followers an event of the answer; of one that is thrown away they hear nothing. */
  tell(event: TurnEvent): void {
    if (this.#state !== 'answering' && this.#state !== 'stopping') return;
    this.#spoke ||= ['text', 'reasoning', 'citation', 'tool'].includes(event.type);
    for (const follower of this.#followers) follower.push(event);
  }

  /** No message joins the turn from here on. */
  markEnded(): void {
    this.#state = 'ended';
  }

  /** Ends every follower's stream, with `last` if there is one. */
  closeStreams(last: TurnEvent | null): void {
    for (const follower of this.#followers) {
      if (last) follower.push(last);
      follower.close();
    }
  }

  failStreams(error: unknown): void {
    for (const follower of this.#followers) follower.fail(error);
  }
}
