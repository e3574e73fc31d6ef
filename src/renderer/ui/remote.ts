import { isLoopbackHost } from '../../shared/loopback.ts';

/** The address of a server on another computer; null if the server is on this one, or if there is no address. */
export function remoteAddress(address: string): URL | null {
  if (address === '') return null;
  const url = new URL(address);
  return isLoopbackHost(url.hostname) ? null : url;
}
