/**
 * After this many failed attempts a job is left as failed, until it is asked for again: Sidekiq's default, which spreads them over
 * some three weeks (https://github.com/sidekiq/sidekiq/wiki/Error-Handling).
 */
export const MOST_ATTEMPTS = 25;

/**
 * Milliseconds from a failed attempt to the next one: 15 s + (attempts − 1)⁴ s, which is 15 s, 16 s, 31 s, 96 s, … Sidekiq's formula
 * without its random part, which keeps many clients from calling one server together; here is one.
 * @param attempts attempts that failed so far, at least 1
 */
export function retryDelayMs(attempts: number): number {
  return (15 + (attempts - 1) ** 4) * 1_000;
}
