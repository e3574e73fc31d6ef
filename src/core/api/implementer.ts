import { implement, ORPCError } from '@orpc/server';
import { codeOfIssues } from '../../shared/address.ts';
import type { Host, WindowAddress } from '../../shared/contract/app.ts';
import { ERROR_STATUS } from '../../shared/contract/base.ts';
import { contract } from '../../shared/contract/index.ts';
import { AppError, codeOf, describeError, type ErrorCode, type ErrorParams } from '../../shared/errors.ts';
import type { Services } from '../services.ts';

/** What a host adds to each connection. */
export interface ConnectionContext {
  services: Services;
  /** Gives the token that opens the next connection of the same window; null if the transport needs none. */
  reconnectToken: (() => string) | null;
  host: Host;
  /** Shows a window, or returns what opens another, once; null if the host opens no windows. */
  openWindow: ((as: WindowAddress) => string | null) | null;
  /** Opens an address in the user's own browser, and returns whether there is one; null if the host has no window that asks. */
  openOutside: ((url: string) => boolean) | null;
}

const coded = (code: ErrorCode, params: ErrorParams, cause: unknown) =>
  new ORPCError(code, {
    status: ERROR_STATUS,
    message: describeError(code, params),
    data: { params },
    cause,
  });

const toOrpcError = (error: unknown, services: Services): unknown => {
  if (error instanceof AppError) {
    if (error.cause !== undefined) services.log.warn({ code: error.code, err: error.cause }, 'call failed');
    return coded(error.code, error.params, error);
  }
  if (error instanceof ORPCError && error.code === 'BAD_REQUEST') {
    const issues =
      (error.data as { issues?: { path?: unknown[]; message?: string }[] } | undefined)?.issues ?? [];
    const code = codeOfIssues(issues);
    if (code) return coded(code, {}, error);
    const reason = issues
      .slice(0, 3)
      .map((issue) => `${(issue.path ?? []).join('.')}: ${issue.message ?? ''}`)
      .join('; ');
    return coded('BAD_INPUT', { reason: reason || error.message }, error);
  }
  services.log.error({ err: error }, 'call failed');
  return coded(codeOf(error).code, {}, undefined);
};

/** What can be asked while the data cannot be opened: what it takes to replace it. */
const WITHOUT_DATA: ReadonlySet<string> = new Set([
  'app.hello',
  'app.events',
  'app.openWindow',
  'data.copies',
  'data.restore',
  'data.startAnew',
  'data.erase',
]);

/** The contract's implementer: every error leaves as one of the closed set, and every bug is logged and masked. */
export const api = implement(contract)
  .$context<ConnectionContext>()
  .use(async ({ context, next, path }) => {
    try {
      const { damage } = context.services;
      if (damage && !WITHOUT_DATA.has(path.join('.'))) throw damage;
      return await next();
    } catch (error) {
      throw toOrpcError(error, context.services);
    }
  });

/** The same for the items of an event iterator, which are produced after the call has returned. */
export async function* guarded<T>(events: AsyncIterable<T>, services: Services): AsyncGenerator<T> {
  try {
    yield* events;
  } catch (error) {
    throw toOrpcError(error, services);
  }
}
