import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/** Path of a file or folder of the shared data; null if it is not on this machine. */
export function sharedData(name: string): string | null {
  const path = `${ROOT}${name}`;
  return existsSync(path) ? path : null;
}
