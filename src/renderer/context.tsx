import { notifications } from '@mantine/notifications';
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { AlertCode } from '../shared/contract/app.ts';
import type { Language } from '../shared/errors.ts';
import { type Api, messageOf } from './api.ts';
import { type AppState, type AppStore, languageOf } from './appStore.ts';
import type { Read } from './ui/ReadState.tsx';

export interface Session {
  api: Api;
  store: AppStore;
}

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession outside of SessionProvider');
  return session;
}

/** A part of the shared state. */
export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(useSession().store, select);
}

export function useLanguage(): Language {
  return useApp(languageOf);
}

/** Shows what went wrong and what to do about it. */
export function showError(message: string): void {
  notifications.show({ color: 'red', message, autoClose: 12_000, withBorder: true });
}

/** Shows what the user must know, once, until they close it. */
export function showAlert(code: AlertCode, message: string): void {
  notifications.show({ id: code, color: 'red', message, autoClose: false, withBorder: true });
}

/** Runs a call of a pane. A failure is shown, and the result is then undefined. */
export function useAttempt(): <T>(work: () => Promise<T>) => Promise<T | undefined> {
  const language = useLanguage();
  return useMemo(
    () => async (work) => {
      try {
        return await work();
      } catch (error) {
        showError(messageOf(error, language));
        return undefined;
      }
    },
    [language],
  );
}

/**
 * Reads at once, and again whenever `revision` changes. What was read stays on the screen; a later failure only shows a notice.
 * @param work stable from one rendering to the next
 */
export function useRead(work: () => Promise<unknown>, revision: unknown): Read {
  const language = useLanguage();
  const [outcome, setOutcome] = useState<Pick<Read, 'state' | 'message'>>({ state: 'loading', message: '' });
  const [turn, setTurn] = useState(0);
  const shown = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another revision and another turn read again.
  useEffect(() => {
    let dropped = false;
    work().then(
      () => {
        shown.current = true;
        if (!dropped) setOutcome({ state: 'ready', message: '' });
      },
      (error: unknown) => {
        const message = messageOf(error, language);
        if (shown.current) showError(message);
        else if (!dropped) setOutcome({ state: 'failed', message });
      },
    );
    return () => {
      dropped = true;
    };
  }, [work, revision, turn, language]);
  return { ...outcome, again: useCallback(() => setTurn((before) => before + 1), []) };
}

/** Makes a hook that returns the store of a pane. The store is created once and outlives the pane, so the pane remembers its place. */
export function paneStore<S>(create: (api: Api) => S): () => S {
  let kept: S | null = null;
  return function usePaneStore() {
    const { api } = useSession();
    const [store] = useState(() => {
      kept ??= create(api);
      return kept;
    });
    return store;
  };
}
