// Tells whether the build in `out` is of the present sources. Plain JavaScript that Node 18 understands, because the set-up uses it
// before anything is installed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const stampIn = (root) => join(root, 'out', '.souvenir-build');

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

/** The hash, in hexadecimal, of everything in `root` that the build is made of. */
export function sourcesHash(root) {
  const hash = createHash('sha256');
  for (const name of ['src', 'resources', 'electron.vite.config.ts', 'package-lock.json']) {
    for (const file of filesUnder(join(root, name)))
      hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Was the build in `root` made of sources with this hash? */
export function isBuilt(root, hash) {
  const stamp = stampIn(root);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** Says that the build is of no known sources, while it changes. */
export function eraseStamp(root) {
  rmSync(stampIn(root), { force: true });
}

/** Says that the build was made of sources with this hash. */
export function writeStamp(root, hash) {
  mkdirSync(join(root, 'out'), { recursive: true });
  writeFileSync(stampIn(root), hash);
}
