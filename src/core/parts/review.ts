import type { Drift } from '../memory/drift/drift.ts';
import { Merging } from '../memory/facts/merge.ts';
import { conflicts } from '../memory/review/conflicts.ts';
import { contradictions } from '../memory/review/contradictions.ts';
import { duplicates } from '../memory/review/duplicates.ts';
import { pending } from '../memory/review/pending.ts';
import { Review } from '../memory/review/review.ts';
import { stale } from '../memory/review/stale.ts';
import { unused } from '../memory/review/unused.ts';
import { FactLines } from '../storage/factLines.ts';
import type { Particularity } from '../support/text/particulars.ts';

import type { PartsConfig, Stores } from './stores.ts';

/** Merging, and each kind of things to review, in the order in which they are shown. */
export function createReview(
  { clock }: PartsConfig,
  stores: Stores,
  { drift, particularity }: { drift: Drift; particularity: Particularity },
) {
  const { db, factStore, settings } = stores;
  const merging = new Merging({ db, store: factStore, clock, particularity });
  const lines = new FactLines(db);
  const review = new Review({
    db,
    facts: factStore,
    merging,
    clock,
    sources: [
      conflicts((id) => lines.conflictOf(id)),
      contradictions(particularity),
      pending,
      stale(drift),
      duplicates(particularity),
      unused(() => settings.read().importanceFloor),
    ],
  });
  return { merging, review };
}
