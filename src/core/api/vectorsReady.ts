import type { ConnectionContext } from './implementer.ts';

/**
 * Waits for the vectors if the caller is a command in this process: it asks once and ends, and nothing else opens them. Windows
 * do not wait: their vectors are opened in the background, and words answer meanwhile.
 */
export async function vectorsReady({ services, host }: ConnectionContext): Promise<void> {
  if (host === 'none') await services.vectors.whenReady();
}

/** As `vectorsReady`, and for the thread that searches them. */
export async function searchReady(context: ConnectionContext): Promise<void> {
  await vectorsReady(context);
  if (context.host === 'none') await context.services.search.whenReady();
}
