import { useEffect, useRef, useState } from 'react';
import type { ConversationId } from '../../../shared/ids.ts';
import type { Pending } from './chatState.ts';

/** What is written, and goes with it. */
interface Message {
  openId: ConversationId | null;
  draft: string;
  pending: readonly Pending[];
}

const idsOf = (pending: readonly Pending[]) => pending.map(({ id }) => id).join(' ');

/**
 * Sends a message that is to go while a file of it is still being read, once it is read. Whatever changes the message meanwhile, a file that
 * cannot be read too, leaves it unsent.
 */
export function useSendOnceRead(
  { openId, draft, pending }: Message,
  onSend: () => void,
): { isWaiting: boolean; send(): void } {
  const message = JSON.stringify([openId, draft, idsOf(pending)]);
  const [wish, setWish] = useState<{ message: string } | null>(null);
  const done = useRef<typeof wish>(null);
  const isReading = pending.some(({ ready }) => ready === null);
  const isWanted = wish?.message === message;
  useEffect(() => {
    // A message that could not be sent comes back as it was, and is not sent again by itself.
    if (!isWanted || isReading || done.current === wish) return;
    done.current = wish;
    onSend();
  }, [wish, isWanted, isReading, onSend]);
  return {
    isWaiting: isWanted && isReading,
    send: isReading && draft.trim() !== '' ? () => setWish({ message }) : onSend,
  };
}
