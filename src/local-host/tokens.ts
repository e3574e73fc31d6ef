import { randomBytes, timingSafeEqual } from 'node:crypto';

/** What a token opens. `used` was good once: somebody has connected with it already. */
export type Presented = 'command' | 'window' | 'used' | 'unknown';

/**
 * Unused tokens kept: printed addresses that nobody opened, windows that were closed. A user has a few; the bound only keeps
 * them from adding up for ever.
 */
const MOST_UNUSED = 200;
/** Used tokens remembered, to tell one that is presented again from one that never was ours. */
const MOST_USED = 1_000;

/** Tokens that open a connection: single-use ones for windows, and a lasting one for this user's commands. */
export class Tokens {
  /** Valid until the owner ends; published in a file that only its user can read. */
  readonly lasting = fresh();
  /** Oldest first, as a Set keeps insertion order. */
  readonly #unused = new Set<string>();
  /** Of open windows, for their next connection. There are as many as windows, so none is ever dropped. */
  readonly #held = new Set<string>();
  readonly #used = new Set<string>();

  /** Makes a token that opens one connection. */
  mint(): string {
    const token = fresh();
    keep(this.#unused, token, MOST_UNUSED);
    return token;
  }

  /** Makes the token of an open window's next connection. It stays valid, however many others are made, until `release`. */
  hold(): string {
    const token = fresh();
    this.#held.add(token);
    return token;
  }

  /** The window's connection has ended: its token waits for it, as the newest of the unused ones. */
  release(token: string): void {
    if (this.#held.delete(token)) keep(this.#unused, token, MOST_UNUSED);
  }

  /** Tells what a token opens, and uses it up if it is a window's. */
  present(token: string): Presented {
    if (equal(token, this.lasting)) return 'command';
    if (this.#unused.delete(token) || this.#held.delete(token)) {
      keep(this.#used, token, MOST_USED);
      return 'window';
    }
    return this.#used.has(token) ? 'used' : 'unknown';
  }
}

/** 256 random bits. */
function fresh(): string {
  return randomBytes(32).toString('base64url');
}

/** Adds a token and drops the oldest beyond `most`. */
function keep(tokens: Set<string>, token: string, most: number): void {
  tokens.add(token);
  if (tokens.size > most) tokens.delete(tokens.values().next().value as string);
}

function equal(one: string, other: string): boolean {
  const a = Buffer.from(one);
  const b = Buffer.from(other);
  return a.length === b.length && timingSafeEqual(a, b);
}
