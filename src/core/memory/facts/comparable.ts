import type { FactKind } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';

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
