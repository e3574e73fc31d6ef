import type { JobKind } from '../../jobs/jobKind.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { Clock } from '../../support/clock.ts';

/** The job that retires expired facts: it removes their vectors and tells open panes. They are out of use without it. */
export function expireFacts(store: FactStore, clock: Clock): JobKind {
  return {
    kind: 'expire-facts',
    schedule: () => store.nextExpiry(),
    handler: ({ commit }) => commit(() => store.expireDue(clock.now())),
  };
}
