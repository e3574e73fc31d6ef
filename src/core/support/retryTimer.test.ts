import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RetryTimer } from './retryTimer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A timer whose attempts fail, and the times at which they were made. */
function failing() {
  const madeAt: number[] = [];
  const startedAt = Date.now();
  const timer = new RetryTimer({ firstMs: 100, longestMs: 350 }, () => {
    madeAt.push(Date.now() - startedAt);
    timer.failed();
  });
  return { timer, madeAt };
}

it('waits twice as long after each failure, up to the longest wait, and the shortest again after a success', () => {
  const { timer, madeAt } = failing();
  timer.failed();
  vi.advanceTimersByTime(1_000);
  expect(madeAt).toEqual([100, 300, 650, 1_000]);
  timer.succeeded();
  // The attempt that was planned comes first.
  vi.advanceTimersByTime(450);
  expect(madeAt.slice(4)).toEqual([1_350, 1_450]);
});

it('plans one attempt however many failures are told of, and none once it is closed', () => {
  const { timer, madeAt } = failing();
  timer.failed();
  timer.failed();
  vi.advanceTimersByTime(100);
  expect(madeAt).toEqual([100]);
  timer.close();
  timer.failed();
  vi.advanceTimersByTime(10_000);
  expect(madeAt).toEqual([100]);
});
