type Listener<T> = (event: T) => void;

/** A broadcast of state: a listener receives only what is published after it starts to listen. */
export interface Broadcast<T> {
  send(event: T): void;
  listen(listener: Listener<T>): () => void;
}

export function createBroadcast<T>(): Broadcast<T> {
  const listeners = new Set<Listener<T>>();
  return {
    send: (event) => {
      for (const listener of listeners) listener(event);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A queue that one producer fills and one reader drains as an async iterable; `fail` makes the reader throw. */
export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void;
  close(): void;
  fail(error: unknown): void;
}

export function createChannel<T>(onReturn: () => void = () => undefined): Channel<T> {
  const values: T[] = [];
  let ended = false;
  let error: unknown;
  let wake: (() => void) | null = null;
  const notify = () => {
    wake?.();
    wake = null;
  };
  async function* read(): AsyncGenerator<T> {
    try {
      while (true) {
        while (values.length > 0) yield values.shift() as T;
        if (error !== undefined) throw error;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      // The reader has stopped: later items are dropped.
      ended = true;
      values.length = 0;
      onReturn();
    }
  }
  return {
    push: (value) => {
      if (ended) return;
      values.push(value);
      notify();
    },
    close: () => {
      ended = true;
      notify();
    },
    fail: (cause) => {
      ended = true;
      error = cause;
      notify();
    },
    [Symbol.asyncIterator]: read,
  };
}

/**
 * The broadcast's events as an async iterable that ends when `signal` aborts. A reader that falls more than `maxBehind` events
 * behind loses the oldest, so that a stuck window cannot exhaust the memory.
 */
export async function* follow<T>(
  broadcast: Broadcast<T>,
  signal: AbortSignal | undefined,
  maxBehind = 1_000,
): AsyncGenerator<T> {
  let waiting: T[] = [];
  let wake: (() => void) | null = null;
  const notify = () => {
    wake?.();
    wake = null;
  };
  const stop = broadcast.listen((event) => {
    waiting.push(event);
    if (waiting.length > maxBehind) waiting = waiting.slice(-maxBehind);
    notify();
  });
  signal?.addEventListener('abort', notify, { once: true });
  try {
    while (!signal?.aborted) {
      const batch = waiting;
      waiting = [];
      for (const event of batch) yield event;
      if (batch.length === 0 && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    stop();
    signal?.removeEventListener('abort', notify);
  }
}
