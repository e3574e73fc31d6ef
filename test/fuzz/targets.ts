import { commandTarget } from './commands.ts';
import { contractTarget } from './contract.ts';
import { historyTarget } from './histories.ts';
import { importTarget } from './imports.ts';
import { streamTarget } from './streams.ts';
import type { FuzzTarget } from './target.ts';

/** Everything that `npm run soak -- fuzz` throws random input at. */
export const TARGETS: readonly FuzzTarget[] = [
  contractTarget,
  importTarget,
  historyTarget,
  streamTarget,
  commandTarget,
];
