import type { ConnectionContext } from './implementer.ts';

/**
 * Waits for the vectors if the caller is a command in this process: it asks once and ends, and nothing else opens the vectors.
 * Windows do not wait: their vectors open in the background, and full text answers meanwhile.
 */
export async function vectorsReady({ services, host }: ConnectionContext): Promise<void> {
  if (host === 'none') await services.vectors.whenReady();
}

/** As `vectorsReady`, and also waits until the search thread has received the vectors. */
export async function searchReady(context: ConnectionContext): Promise<void> {
  const { services, host } = context;
  if (host !== 'none') return;
  services.search.start();
  await vectorsReady(context);
  await services.search.whenReady();
}
