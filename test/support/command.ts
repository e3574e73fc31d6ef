import { join } from 'node:path';
import { isBuilt, sourcesHash } from '../../scripts/buildStamp.mjs';

const ROOT = join(import.meta.dirname, '..', '..');

/** The command's entry: the built one if it is of the present sources, because it starts in half the time. */
export const CLI = isBuilt(ROOT, sourcesHash(ROOT))
  ? join(ROOT, 'out', 'main', 'cli.js')
  : join(ROOT, 'src', 'cli', 'cli.ts');
