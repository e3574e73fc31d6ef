import type { Api, ConnectionState, Hello } from '../../src/renderer/api.ts';
import type { Client } from '../../src/shared/contract/index.ts';

type Procedures = { [Domain in keyof Client]?: Partial<Client[Domain]> };

export interface FakeApi extends Api {
  /** Tells every listener that the connection is now in this state. */
  connect(state: ConnectionState): void;
}

const HELLO: Hello = { version: 'test', dataDir: '/data', systemLanguage: 'en', host: 'none', damage: null };

/** The core as a window's store sees it: only the procedures given here answer. */
export function fakeApi(procedures: Procedures): FakeApi {
  const listeners = new Set<(state: ConnectionState, hello: Hello | null) => void>();
  return {
    client: procedures as Client,
    onConnection: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connect: (state) => {
      for (const listener of listeners) listener(state, HELLO);
    },
  };
}

export interface Feed<T> extends AsyncIterable<T> {
  push(event: T): void;
  end(): void;
  fail(error: unknown): void;
}

/** A stream of events that a test supplies. */
export function feed<T>(): Feed<T> {
  const steps: (() => IteratorResult<T>)[] = [];
  let wake: (() => void) | null = null;
  const add = (step: () => IteratorResult<T>) => {
    steps.push(step);
    wake?.();
  };
  return {
    push: (value) => add(() => ({ value, done: false })),
    end: () => add(() => ({ value: undefined, done: true })),
    fail: (error) =>
      add(() => {
        throw error;
      }),
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        if (steps.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return (steps.shift() as () => IteratorResult<T>)();
      },
    }),
  };
}
