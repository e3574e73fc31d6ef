import { isLoopbackHost } from '../../shared/loopback.ts';

/** The address of a server that is not on this computer; null for one that is, and for none. */
export function remoteAddress(address: string): URL | null {
  if (address === '') return null;
  const url = new URL(address);
  return isLoopbackHost(url.hostname) ? null : url;
}
