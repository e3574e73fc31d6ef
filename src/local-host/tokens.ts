import { randomBytes, timingSafeEqual } from 'node:crypto';

const MAX_OPEN = 200;

/** Tokens that open a connection: single-use ones for windows, and one that lasts for the commands of this user. */
export interface Tokens {
  /** A new token, good for one connection. */
  mint(): string;
  /** Is `token` good? A single-use one is spent by asking. */
  accept(token: string): boolean;
  /** Stays good until the owner ends; published in a file that its user alone can read. */
  readonly lasting: string;
}

export function createTokens(): Tokens {
  const open = new Set<string>();
  const fresh = () => randomBytes(32).toString('base64url');
  const lasting = fresh();
  return {
    lasting,
    mint: () => {
      const token = fresh();
      open.add(token);
      // Windows that never came back must not pile up; a Set keeps the order of insertion.
      if (open.size > MAX_OPEN) open.delete(open.values().next().value as string);
      return token;
    },
    accept: (token) => open.delete(token) || equal(token, lasting),
  };
}

function equal(one: string, other: string): boolean {
  const a = Buffer.from(one);
  const b = Buffer.from(other);
  return a.length === b.length && timingSafeEqual(a, b);
}
