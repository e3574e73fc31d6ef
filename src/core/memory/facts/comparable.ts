import type { FactKind } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import type { FactColumns } from '../../storage/factRows.ts';
import type { PeopleStore } from '../../storage/people.ts';

/** A statement, or a fact that is known, as far as they are compared. */
export interface Comparable {
  content: string;
  /** What has one value at a time; null for everything else. */
  key: string | null;
  value: string | null;
  subjects: readonly string[];
  kind: FactKind;
  /** The people that it names, as they are known now, by slug. */
  people: ReadonlySet<string>;
  /** It says that one name stands for another. */
  isAlias?: boolean;
}

export interface KnownFact extends Comparable {
  id: FactId;
}

/** Facts that statements are compared with again and again, as in an import of messages that are nearly alike. */
const KEPT = 1_000;
/** What is read in a fact is kept with the object that stands for it, so a fact that has not changed is the same object. */
const kept = new WeakMap<PeopleStore, Map<string, KnownFact>>();

/** Facts as they are compared. */
export function comparableFacts(people: PeopleStore, facts: readonly FactColumns[]): KnownFact[] {
  const named = people.ofFacts(facts.map(({ id }) => id as FactId));
  const known = kept.get(people) ?? new Map<string, KnownFact>();
  kept.set(people, known);
  if (known.size > KEPT) known.clear();
  return facts.map((row) => {
    const { id, content, kind, key, value } = row;
    const own = named.get(id as FactId) ?? new Set<string>();
    const state = JSON.stringify([id, content, kind, key, value, row.subjects, [...own].sort()]);
    const fact = known.get(state) ?? {
      id: id as FactId,
      content,
      kind,
      key,
      value,
      subjects: parseTexts(row.subjects),
      people: own,
    };
    known.set(state, fact);
    return fact;
  });
}
