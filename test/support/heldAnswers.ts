import type { App } from '../../src/core/app.ts';
import { NO_REPLY, type OpenTurn } from '../../src/core/chat/answer.ts';
import type { ReplyEnd } from '../../src/core/storage/conversations.ts';
import type { TurnEvent } from '../../src/shared/contract/chat.ts';

/** One call of the chat model, which continues until the test ends it. */
export interface HeldAnswer {
  open: OpenTurn;
  /** The question as it was when the call began. */
  question: string;
  signal: AbortSignal;
  push(event: TurnEvent): void;
  end(with_?: Partial<ReplyEnd>): void;
}

/**
 * Replaces the chat model by calls that the test holds and ends. An aborted call ends by itself, as `stopped`, unless
 * `heedsStop` is false.
 */
export function holdAnswers({ services }: App, { heedsStop = true } = {}): HeldAnswer[] {
  const held: HeldAnswer[] = [];
  services.answerer.answer = (open, push, signal) =>
    new Promise((resolve) => {
      const end = (with_: Partial<ReplyEnd> = {}) =>
        resolve({ ...NO_REPLY, ...with_, ...(signal.aborted ? { state: 'stopped' as const } : {}) });
      if (heedsStop) signal.addEventListener('abort', () => end());
      held.push({ open, question: open.question, signal, push, end });
    });
  return held;
}
