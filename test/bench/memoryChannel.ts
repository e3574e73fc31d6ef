/** Where threads are asked how much memory they hold. */
export const CHANNEL = 'memory';

/** `ask` tells this question from others. */
export interface MemoryQuestion {
  ask: number;
}

export interface MemoryAnswer {
  /** The `ask` of the question. */
  answer: number;
  threadId: number;
  /** Of the thread's heap, and of buffers beside it. */
  bytes: number;
}
