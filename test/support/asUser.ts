import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A user without rights beyond those of any: `nobody` on Linux and macOS. */
const NOBODY = 65_534;

export const isRoot = (): boolean => process.getuid?.() === 0;

/** Gives a folder and all in it to the user as whom `asUser` works. */
export function giveToUser(path: string): void {
  if (!isRoot()) return;
  lchownSync(path, NOBODY, NOBODY);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveToUser(join(path, name));
}

/**
 * Works as a user whom the modes of files bind: root may read anything. Every thread of the process is that user until the work, or the
 * promise that it returns, has ended.
 */
export function asUser<T>(work: () => T): T {
  if (!isRoot()) return work();
  const back = () => process.seteuid?.(0);
  process.seteuid?.(NOBODY);
  let result: T;
  try {
    result = work();
  } catch (error) {
    back();
    throw error;
  }
  if (result instanceof Promise) return result.finally(back) as T;
  back();
  return result;
}
