import type { FactId } from '../../../shared/ids.ts';
import type { Cause } from '../../storage/factLinks.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { Tie } from '../../storage/people.ts';
import { foldedWords } from '../../support/text/tokenise.ts';

/** What a fuller wording says. */
export interface FullerWording {
  content: string;
  importance: number;
  subjects: readonly string[];
  /** Of its relation; null keeps what is known. */
  value: string | null;
  /** Null keeps what is known. */
  expiresAt: number | null;
}

/** Gives a fact a fuller wording: the former one is a revision, subjects are united. In the caller's transaction. */
export function refineFact(
  store: FactStore,
  id: FactId,
  { wording, ties, by }: { wording: FullerWording; ties: readonly Tie[]; by: Cause },
): void {
  const before = store.get(id, by.at);
  if (!before) return;
  const { content, importance, subjects, value, expiresAt } = wording;
  store.change(
    id,
    {
      content,
      subjects: united(before.subjects, subjects),
      importance: Math.max(before.importance, importance),
      value,
      ...(expiresAt === null ? {} : { expiresAt }),
    },
    by,
  );
  meet(store, id, { ties, by });
}

/** Notes who people are; facts about somebody who was known as two are brought together. */
export function meet(
  { people, links }: FactStore,
  id: FactId,
  { ties, by }: { ties: readonly Tie[]; by: Cause },
): void {
  people.add(id, ties, by.turnId);
  links.settle([id, ...people.rekey([id])], by);
}

/** The subjects of two wordings, each once, as written first. */
function united(before: readonly string[], after: readonly string[]): string[] {
  const byWords = new Map([...after, ...before].map((subject) => [foldedWords(subject), subject]));
  return [...byWords.values()];
}
