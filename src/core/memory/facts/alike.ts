import type { FactId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import type { JobKind } from '../../jobs/jobKind.ts';
import type { Cause } from '../../storage/factLinks.ts';
import type { FactColumns } from '../../storage/factRows.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { Clock } from '../../support/clock.ts';
import { comparableFacts } from './comparable.ts';
import type { Consolidation, Outcome } from './consolidate.ts';
import { refineFact } from './refineFact.ts';

/** A fact that says something alike, and how alike it is, from 0 to 1. */
export interface Alike {
  id: FactId;
  similarity: number;
}

export interface AlikePorts {
  store: FactStore;
  clock: Clock;
  consolidation: Consolidation;
  /** The nearest facts by their vectors, once a fact has its own; null if it has none. */
  nearest(id: FactId, signal: AbortSignal): Promise<Alike[] | null>;
  /** Similarity above which two say the same thing. */
  threshold: number;
}

export const COMPARE_FACTS = 'compare-facts';
/** Vectors may have to wait until large vaults are indexed. */
const LEASE_MS = 6 * 3_600_000;

/**
 * The job that compares a fact that was learnt with the facts that are nearest by their vectors. When it was learnt it was compared with
 * those that share its words; what says the same in other words is found here, and becomes what it would have become then.
 */
export function compareFacts(ports: AlikePorts): JobKind {
  return {
    kind: COMPARE_FACTS,
    leaseMs: LEASE_MS,
    handler: async ({ subject, signal, commit }) => {
      const id = subject as FactId;
      if (!ports.store.inUse([id], ports.clock.now())[0]) return;
      const nearest = await ports.nearest(id, signal);
      if (nearest !== null) commit(() => relateAlike(id, nearest, ports));
    },
  };
}

/** In the caller's transaction. What was edited, merged or removed meanwhile is left alone. */
export function relateAlike(
  id: FactId,
  nearest: readonly Alike[],
  { store, clock, consolidation, threshold }: Omit<AlikePorts, 'nearest'>,
): void {
  const at = clock.now();
  const [fact] = store.inUse([id], at);
  if (!fact || store.people.tiesOf(id).some(({ tie }) => tie === 'alias')) return;
  // Each pair is compared once, with the newer one of both; what is connected was compared before.
  const older = store
    .inUse(
      nearest.map((one) => one.id),
      at,
    )
    .filter((row) => row.rowid < fact.rowid && !store.links.areConnected(id, row.id as FactId));
  const [comparable] = comparableFacts(store.people, [fact]);
  if (!comparable) return;
  const known = comparableFacts(store.people, older);
  const by = { at, turnId: fact.turn_id as Cause['turnId'] };
  const outcome = consolidation.decide(comparable, known);
  const into = 'id' in outcome ? older.find((row) => row.id === outcome.id) : undefined;
  if (into && store.isAsTaught(id)) {
    apply(outcome, fact, { store, by, into });
    return;
  }
  const similarities = new Map(nearest.map((one) => [one.id, one.similarity]));
  for (const one of known) {
    const isAlike = (similarities.get(one.id) ?? 0) > threshold;
    if (isAlike && consolidation.maySaySame(comparable, one)) store.links.relate(one.id, id, by);
  }
}

/** Has an outcome the effect that it would have had when the fact was learnt, so that the turn that taught it can be undone. */
function apply(
  outcome: Outcome,
  fact: FactColumns,
  { store, by, into }: { store: FactStore; by: Cause; into: FactColumns },
): void {
  const [id, other] = [fact.id as FactId, into.id as FactId];
  // A fact that gives no relation its value cannot say what does.
  const isKeyLost = fact.key !== null && into.key === null;
  if (outcome.is === 'contradiction') store.links.contradict(other, id, by);
  else if (outcome.is === 'successor' || isKeyLost) store.links.supersede(other, id, by);
  else {
    const ties = store.people.tiesOf(id);
    store.dropLearnt(id);
    if (outcome.is !== 'refinement') return;
    const { content, importance, value, expires_at: expiresAt } = fact;
    const wording = { content, importance, subjects: parseTexts(fact.subjects), value, expiresAt };
    refineFact(store, other, { wording, ties, by });
  }
}
