import type { Particularity } from '../../support/text/particulars.ts';
import { pairsInUse } from './pairs.ts';
import type { ReviewSource } from './reviewSource.ts';

/** Facts in use that say otherwise, of which only the user can tell which is true. */
export function contradictions(particularity: Particularity): ReviewSource {
  return {
    group: 'contradictions',
    items: pairsInUse('contradicts'),
    reason: ([one, other]) => ({
      code: 'otherwise',
      in: particularity.disagreements(one?.content ?? '', other?.content ?? ''),
    }),
    // What was said last is likelier to be true.
    proposed: (facts) => facts.at(-1)?.content ?? '',
  };
}
