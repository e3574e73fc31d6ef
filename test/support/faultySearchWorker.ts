import { getEnvironmentData } from 'node:worker_threads';
import { VectorMatrices } from '../../src/core/embedding/vectorMatrix.ts';
import { FullText } from '../../src/core/search/lexical/fullText.ts';
import { NoteNames } from '../../src/core/search/lexical/names.ts';
import { Postings } from '../../src/core/search/lexical/postings.ts';
import { BROKEN, ENDS, FAULTS, FAULTY, type Faulty, STARTS } from './searchFaults.ts';

/** The search thread, with the faults that `SearchFaults` sets. */
const cells = getEnvironmentData(FAULTS) as Int32Array;
Atomics.add(cells, STARTS, 1);

function suffer(one: Faulty): void {
  const cell = FAULTY.indexOf(one);
  const fault = Atomics.load(cells, cell);
  if (fault === BROKEN) throw new Error('broken');
  if (fault === ENDS) {
    Atomics.store(cells, cell, 0);
    process.exit(1);
  }
  const until = performance.now() + fault;
  while (performance.now() < until);
}

const { load, match } = FullText.prototype;
FullText.prototype.load = function (kind, rowids, now) {
  if (rowids.length > 0) suffer(kind);
  return load.call(this, kind, rowids, now) as never;
};
FullText.prototype.match = function (...args) {
  suffer('text');
  return match.apply(this, args);
};
const { score } = Postings.prototype;
Postings.prototype.score = function (terms) {
  suffer('terms');
  return score.call(this, terms);
};
const { nearest } = VectorMatrices.prototype;
VectorMatrices.prototype.nearest = function (...args) {
  suffer('vectors');
  return nearest.apply(this, args);
};
const { named } = NoteNames.prototype;
NoteNames.prototype.named = function (names) {
  suffer('names');
  return named.call(this, names);
};

await import('../../src/core/search/searchWorker.ts');
