import { randomBytes, timingSafeEqual } from 'node:crypto';

const MAX_OPEN = 200;

/** Tokens that open a connection: single-use ones for windows, and a lasting one for this user's commands. */
export interface Tokens {
  /** Makes a token that opens one connection. */
  mint(): string;
  /** Is `token` valid? Checking a single-use token uses it up. */
  accept(token: string): boolean;
  /** Valid until the owner ends; published in a file that only its user can read. */
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
      // Tokens that no window used must not accumulate. A Set keeps insertion order, so the first is the oldest.
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
