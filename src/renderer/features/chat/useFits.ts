import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { DEFAULT_CHANNEL } from '../../../shared/channels.ts';
import { useAttempt, useSession } from '../../context.tsx';
import { readyIds } from './attaching.ts';
import { ARCHIVED, type ChatStore, draftKey, type Pending } from './chatState.ts';

/** Pause in typing before it is asked again. */
const REST_MS = 400;

const NOTHING: ReadonlyMap<string, number> = new Map();

/**
 * How many sections of each attachment the model of the conversation would be given, were the message sent now. Which they are depends on
 * the message, so that it is asked again as it is written.
 */
export function useFits(store: ChatStore, pending: readonly Pending[]): ReadonlyMap<string, number> {
  const attempt = useAttempt();
  const { client } = useSession().api;
  const conversationId = useStore(store, ({ openId }) => openId);
  const text = useStore(store, ({ drafts, openId }) => drafts[draftKey(openId)] ?? '');
  // A conversation that begins in a channel of the user's is known to the core, with its model, once it is there.
  const isKnown = useStore(
    store,
    ({ openId, channel }) =>
      openId !== null || channel === null || channel === ARCHIVED || channel === DEFAULT_CHANNEL,
  );
  const asked = isKnown ? readyIds(pending).join(' ') : '';
  const [told, setTold] = useState<{ asked: string; given: ReadonlyMap<string, number> } | null>(null);

  useEffect(() => {
    if (asked === '') return;
    const timer = setTimeout(
      () =>
        void attempt(async () => {
          const { given } = await client.attachments.fit({
            ids: asked.split(' '),
            text,
            ...(conversationId === null ? {} : { conversationId }),
          });
          setTold({
            asked,
            given: new Map(given.flatMap((one) => (one.given === null ? [] : [[one.id, one.given]]))),
          });
        }),
      REST_MS,
    );
    return () => clearTimeout(timer);
  }, [attempt, client, conversationId, text, asked]);

  return told?.asked === asked ? told.given : NOTHING;
}
