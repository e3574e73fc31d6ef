import { z } from 'zod';
import { describeError, type ErrorCode, isErrorCode } from './errors.ts';

/**
 * The part of an address before its host, with the user name and the password that it holds: as browsers read it, up to the last `@`
 * before the path, with any number of slashes or backslashes.
 */
const SECRET = /^(\s*https?:[\\/]*)[^\\/?#]*@/i;

/** An address of the web without the user name and the password that it holds; null if it holds neither. */
export function withoutSecret(address: string): string | null {
  // Browsers leave these out, wherever they stand.
  const read = address.replace(/[\t\n\r]/g, '');
  return SECRET.test(read) ? read.replace(SECRET, '$1') : null;
}

/** The address of a server. It is logged and exported, so that no key may stand in it: keys have a place of their own. */
export const serverAddress = (protocol: RegExp) =>
  z.url({ protocol }).refine((address) => withoutSecret(address) === null, {
    error: describeError('ADDRESS_HOLDS_KEY'),
    params: { code: 'ADDRESS_HOLDS_KEY' satisfies ErrorCode },
  });

/** The code of the closed set that a schema gave to one of its issues; null if they are plain ones. */
export function codeOfIssues(issues: readonly unknown[]): ErrorCode | null {
  for (const issue of issues) {
    const { params, errors = [] } = issue as { params?: { code?: unknown }; errors?: unknown[][] };
    const code = params?.code ?? codeOfIssues(errors.flat());
    if (typeof code === 'string' && isErrorCode(code)) return code;
  }
  return null;
}
