import { SAME, type SimilarityScale, similarityOn } from '../../embedding/similarity.ts';
import { dot } from '../../embedding/wordVectors.ts';
import type { ItemMarkStore, QuestionMark } from '../../storage/itemMarks.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import type { ItemRef } from '../findings.ts';

/** What a mark does to a score. */
export interface Lowering {
  /** Of the question that the item was marked as wrong for, 0 to 1. */
  similarity: number;
  /** The score is multiplied by it. */
  factor: number;
}

export interface MarkedItemsPorts {
  marks: Pick<ItemMarkStore, 'ofItems'>;
  /** Do two texts differ in a number, a date, a name or a negation? */
  differs(one: string, other: string): boolean;
}

/** A question, as marked ones are compared with it. */
export interface AskedQuestion {
  text: string;
  /** Null if there are no vectors: then only the very same words are the same question. */
  vector: Float32Array | null;
  scale: SimilarityScale | null;
  /** The vector of another question; null if it has none in the same space. */
  embed(text: string): Promise<Float32Array | null>;
}

/**
 * Marks that are compared for one question. Only those of items that were found are: the number of all marks does not matter, and few
 * have the same items.
 */
const MOST_COMPARED = 50;
/**
 * From here on a question is similar: nearer to one that says the same (0.85) than to one that has nothing to do with it (0). What the
 * mark does grows from nothing here to everything at 0.85. Measured (docs/decisions/0019-calibration.md).
 */
export const SIMILAR = SAME / 2;
/** An item loses half of its relevance at most: then it is below the default minimum, and the first again where nothing else is near. */
const MOST_LOWERED = 0.5;

/**
 * The items that were marked as wrong for a question like this one. Of several marks of an item the one of the most similar question
 * counts, so that *useful* there takes back what *wrong* elsewhere would do.
 * @returns in the order of the items; null for those that nothing lowers
 */
export async function lowerings(
  items: readonly ItemRef[],
  asked: AskedQuestion,
  { marks, differs }: MarkedItemsPorts,
): Promise<(Lowering | null)[]> {
  const marked = marks.ofItems(
    items.map(({ id }) => id),
    MOST_COMPARED,
  );
  if (marked.length === 0) return items.map(() => null);
  const found = new Set(items.map(keyOf));
  const some = marked.filter((one) => found.has(keyOf({ kind: one.kind, id: one.itemId })));
  const nearest = new Map<string, { mark: QuestionMark['mark']; similarity: number }>();
  for (const one of some) {
    const similarity = await similarityTo(one.question, asked, differs);
    const key = keyOf({ kind: one.kind, id: one.itemId });
    if (similarity > SIMILAR && similarity > (nearest.get(key)?.similarity ?? 0))
      nearest.set(key, { mark: one.mark, similarity });
  }
  return items.map((item) => {
    const { mark, similarity = 0 } = nearest.get(keyOf(item)) ?? {};
    return mark === 'wrong' ? { similarity, factor: factorAt(similarity) } : null;
  });
}

/** Two questions that differ in a number, a date, a name or a negation are not similar, however alike they read. */
async function similarityTo(
  question: string,
  { text, vector, scale, embed }: AskedQuestion,
  differs: MarkedItemsPorts['differs'],
): Promise<number> {
  if (foldedWords(question) === foldedWords(text)) return 1;
  if (!vector || !scale || differs(question, text)) return 0;
  const other = await embed(question);
  return other && other.length === vector.length ? similarityOn(scale)(dot(vector, other)) : 0;
}

/** What is left of a score, as a share, for a question that is so similar, if similar ones begin at `from`. */
export const factorAt = (similarity: number, from = SIMILAR): number =>
  1 - MOST_LOWERED * Math.min(1, (similarity - from) / (SAME - from));

const keyOf = ({ kind, id }: ItemRef): string => `${kind} ${id}`;
