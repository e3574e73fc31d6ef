import { dot, type WordVectors } from '../../embedding/wordVectors.ts';
import type { WeightedTerm } from '../lexical/textScore.ts';

/**
 * Tells how much of a question a passage says in its own words: the cosine of each question term and the passage's nearest term,
 * averaged with the weights of BM25, 0 to 1 (MaxSim: Khattab and Zaharia, 2020, here over word vectors instead of contextual
 * ones). The passage is given as its fields, each a space-joined stream of terms.
 */
export function createMaxSim(
  vectors: WordVectors,
  terms: readonly WeightedTerm[],
): (streams: Iterable<string>) => number {
  const weighed = terms.map(({ term, weight, idf }) => ({
    unit: vectors.term(term).unit,
    worth: weight * idf,
  }));
  const total = weighed.reduce((sum, one) => sum + one.worth, 0);
  const best = new Float32Array(weighed.length);
  // Many passages have the same terms.
  const cosines = new Map<string, Float32Array>();
  const cosinesOf = (term: string): Float32Array => {
    const known = cosines.get(term);
    if (known) return known;
    const { unit } = vectors.term(term);
    const result = Float32Array.from(weighed, (one) => dot(one.unit, unit));
    cosines.set(term, result);
    return result;
  };
  return (streams) => {
    best.fill(0);
    for (const stream of streams) {
      if (stream === '') continue;
      for (const term of stream.split(' ')) {
        const found = cosinesOf(term);
        for (let index = 0; index < best.length; index += 1) {
          if ((found[index] as number) > (best[index] as number)) best[index] = found[index] as number;
        }
      }
    }
    if (total === 0) return 0;
    return weighed.reduce((sum, one, index) => sum + one.worth * (best[index] as number), 0) / total;
  };
}
