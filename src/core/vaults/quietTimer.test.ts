import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QuietTimer } from './quietTimer.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A timer, and the times at which it called back. */
function timed() {
  const calledAt: number[] = [];
  const startedAt = performance.now();
  const timer = new QuietTimer(600, () => calledAt.push(performance.now() - startedAt));
  const signal = (atMs: number, quietMs: number) => {
    vi.advanceTimersByTime(startedAt + atMs - performance.now());
    timer.signal(quietMs);
  };
  return { timer, calledAt, signal };
}

it('calls back once nothing came for as long as the last signal asked for', () => {
  const { calledAt, signal } = timed();
  for (const atMs of [0, 50, 100]) signal(atMs, 60);
  vi.advanceTimersByTime(1_000);
  expect(calledAt).toEqual([160]);
});

it('is not hurried by a later signal that asks for less', () => {
  const { calledAt, signal } = timed();
  signal(0, 150);
  signal(10, 60);
  vi.advanceTimersByTime(1_000);
  expect(calledAt).toEqual([150]);
});

it('does not wait longer than the longest time for what never ends', () => {
  const { calledAt, signal } = timed();
  for (let atMs = 0; atMs <= 1_300; atMs += 50) signal(atMs, 60);
  vi.advanceTimersByTime(1_000);
  expect(calledAt).toEqual([600, 1_200, 1_360]);
});

it('calls back no more once it is cancelled', () => {
  const { timer, calledAt, signal } = timed();
  signal(0, 60);
  timer.cancel();
  vi.advanceTimersByTime(1_000);
  expect(calledAt).toEqual([]);
});
