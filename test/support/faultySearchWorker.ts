import { getEnvironmentData } from 'node:worker_threads';
import { KINDS } from '../../src/core/items/index.ts';
import { FullText } from '../../src/core/search/lexical/fullText.ts';
import { BROKEN, ENDS, FAULTS, STARTS } from './searchFaults.ts';

/** The search thread, with the faults that `SearchFaults` sets. */
const cells = getEnvironmentData(FAULTS) as Int32Array;
Atomics.add(cells, STARTS, 1);

const load = FullText.prototype.load;
FullText.prototype.load = function (kind, rowids, now) {
  const cell = KINDS.indexOf(kind);
  const fault = Atomics.load(cells, cell);
  if (rowids.length === 0) return load.call(this, kind, rowids, now) as never;
  if (fault === BROKEN) throw new Error('broken');
  if (fault === ENDS) {
    Atomics.store(cells, cell, 0);
    process.exit(1);
  }
  const until = performance.now() + fault;
  while (performance.now() < until);
  return load.call(this, kind, rowids, now) as never;
};

await import('../../src/core/search/searchWorker.ts');
