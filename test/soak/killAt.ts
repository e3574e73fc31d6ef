import { setTimeout as sleep } from 'node:timers/promises';

/** What a kill is compared with. */
export interface Expected {
  before: unknown;
  after: unknown;
  /** How long it takes, in milliseconds. */
  ms: number;
}

/**
 * Kills a core some milliseconds after it began some work, or once it is done.
 * @returns whether the work was acknowledged; it fails where the kill comes first
 */
export async function killAt(
  ms: number,
  work: Promise<unknown>,
  kill: () => Promise<void>,
): Promise<boolean> {
  const outcome = work.then(
    () => true,
    () => false,
  );
  await Promise.race([sleep(ms), outcome]);
  await kill();
  return outcome;
}
