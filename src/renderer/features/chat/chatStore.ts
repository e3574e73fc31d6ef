import { createStore } from 'zustand/vanilla';
import type { Api } from '../../api.ts';
import { createAttaching } from './attaching.ts';
import type { ChatState, ChatStore } from './chatState.ts';
import { createListActions } from './listActions.ts';
import { createTurnActions } from './turnActions.ts';

/** @param nextFrame runs work before the next painting of the window */
export function createChatStore(
  { client }: Api,
  nextFrame: (work: () => void) => void = (work) => void requestAnimationFrame(work),
): ChatStore {
  return createStore<ChatState>()((set, get) => ({
    ...createListActions(client, set, get),
    ...createTurnActions(client, { set, get, nextFrame }),
    ...createAttaching(client, { set, get }),
  }));
}
