import type { ConnectionContext } from './implementer.ts';

/**
 * Waits for the vectors if the caller is a command in this process: it asks once and ends, and nothing else opens them. Windows
 * do not wait: their vectors are opened in the background, and words answer meanwhile.
 */
export async function vectorsReady({ services, host }: ConnectionContext): Promise<void> {
  if (host === 'none') await services.vectors.whenReady();
}

/** As `vectorsReady`, and for the thread that searches them, which is given them as they come. */
export async function searchReady(context: ConnectionContext): Promise<void> {
  const { services, host } = context;
  if (host !== 'none') return;
  services.search.start();
  await vectorsReady(context);
  await services.search.whenReady();
}
