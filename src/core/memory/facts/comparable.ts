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

/** Facts as they are compared. */
export function comparableFacts(people: PeopleStore, facts: readonly FactColumns[]): KnownFact[] {
  const named = people.ofFacts(facts.map(({ id }) => id as FactId));
  return facts.map(({ id, content, kind, key, value, subjects }) => ({
    id: id as FactId,
    content,
    kind,
    key,
    value,
    subjects: parseTexts(subjects),
    people: named.get(id as FactId) ?? new Set(),
  }));
}
