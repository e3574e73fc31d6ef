import { lchownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A user without rights beyond those of any: `nobody` on Linux and macOS. */
const NOBODY = 65_534;

const isRoot = (): boolean => process.getuid?.() === 0;

/** Gives a folder and all in it to the user as whom `asUser` works. */
export function giveToUser(path: string): void {
  if (!isRoot()) return;
  lchownSync(path, NOBODY, NOBODY);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveToUser(join(path, name));
}

/**
 * Works as a user whom the modes of files bind: root may read anything. Everything in `folder` is given to that user first. Every
 * thread of the process is that user meanwhile.
 */
export function asUser<T>(folder: string, work: () => T): T {
  if (!isRoot()) return work();
  giveToUser(folder);
  process.seteuid?.(NOBODY);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}
