import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ParseFigures } from './parseInChild.ts';

/** Parses notes in a process of their own, see `parseInChild.ts`. @throws if the process does not end well */
export async function runParseChild(...args: string[]): Promise<ParseFigures> {
  const child = spawn(
    process.execPath,
    ['--no-wasm-tier-up', join(import.meta.dirname, 'parseInChild.ts'), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const output = await text(child.stdout);
  if ((await ended) !== 0) throw new Error(`the parsing process ended: ${args.join(' ')}`);
  return JSON.parse(output) as ParseFigures;
}
