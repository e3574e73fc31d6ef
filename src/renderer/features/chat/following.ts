import type { Turn, TurnEvent } from '../../../shared/contract/chat.ts';
import type { ToolCall } from '../../../shared/contract/tools.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import { isCutOff } from '../../api.ts';
import { type TalkState, withTurn } from './chatState.ts';
import { ReplyStreams } from './replyStreams.ts';

/** How what is followed is shown. */
export interface FollowedTalk {
  set(change: Partial<TalkState> | ((state: TalkState) => Partial<TalkState>)): void;
  /** Runs work before the next painting of the window. */
  nextFrame(work: () => void): void;
  /** A tool was called, or has answered, in the turn that the latest call follows. */
  onTool?(tool: ToolCall, turnId: TurnId): void;
}

/** Follows the replies of a conversation as they come. */
export class Following {
  readonly #talk: FollowedTalk;
  readonly streams: ReplyStreams;
  /** Turns whose events come here. */
  readonly followed = new Set<TurnId>();

  constructor(talk: FollowedTalk) {
    this.#talk = talk;
    this.streams = new ReplyStreams(
      (streams) => talk.set({ streams }),
      (work) => talk.nextFrame(work),
    );
  }

  /**
   * Makes a call that asks for a reply, and follows its turn to the end.
   * @throws what kept it from being accepted; a stream that breaks later leaves the turn to be read again
   */
  async follow(
    call: () => Promise<AsyncIterable<TurnEvent>>,
    onAccepted?: (id: ConversationId, turn: Turn) => void,
  ): Promise<void> {
    let turnId: TurnId | null = null;
    let number = 0;
    try {
      const events = (await call())[Symbol.asyncIterator]();
      for (;;) {
        const event = await nextOf(events, turnId !== null);
        if (!event) return;
        if (event.type === 'accepted') {
          onAccepted?.(event.conversationId, event.turn);
          turnId = event.turn.id;
          this.#talk.set((state) => ({ ...withTurn(state, event.turn), held: null }));
          number = this.streams.begin(turnId);
          this.followed.add(turnId);
        } else if (turnId !== null) this.#apply(event, turnId, number);
      }
    } finally {
      // A later call that follows the same turn goes on.
      if (turnId !== null && this.streams.isLatest(turnId, number)) this.followed.delete(turnId);
    }
  }

  #applyTool(tool: ToolCall, turnId: TurnId, call: number): void {
    this.streams.addTool(turnId, call, tool);
    if (this.streams.isLatest(turnId, call)) this.#talk.onTool?.(tool, turnId);
  }

  #apply(event: TurnEvent, turnId: TurnId, call: number): void {
    if (event.type === 'citation') this.streams.addCitation(turnId, call, event.citation);
    else if (event.type === 'text') this.streams.addText(turnId, call, event.delta);
    else if (event.type === 'reasoning') this.streams.addReasoning(turnId, call, event.delta);
    else if (event.type === 'tool') this.#applyTool(event.call, turnId, call);
    else if (event.type === 'text-was-reasoning') this.streams.takeTextAsReasoning(turnId, call);
    else if (event.type === 'done') {
      this.#talk.set((state) => withTurn(state, event.turn));
      this.streams.end(turnId, call);
    }
  }
}

/**
 * The next event; null at the end. An accepted message is answered whether or not it is followed, so a connection that breaks
 * after that only ends the following: the turn is read again once the connection is back.
 */
async function nextOf(events: AsyncIterator<TurnEvent>, isAccepted: boolean): Promise<TurnEvent | null> {
  try {
    const { done, value } = await events.next();
    return done ? null : value;
  } catch (error) {
    if (isAccepted && isCutOff(error)) return null;
    throw error;
  }
}
