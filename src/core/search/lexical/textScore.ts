/** A term of a question, with its idf and the words that count as a match of it. */
export interface WeightedTerm {
  term: string;
  weight: number;
  idf: number;
  /** How much each word counts: the term itself 1, its other names and translations less. */
  forms: readonly (readonly [string, number])[];
  /** Nothing holds the word itself, only translations of it. */
  isForeign?: boolean;
  /** Its forms are words that an unfinished one begins. */
  isBegun?: boolean;
}

export interface TextScore {
  /** BM25 with fields. Scores of different questions do not compare. */
  bm25: number;
  /** `bm25` as a share of the score of a passage that is full of every term: 0 to 1. */
  saturation: number;
}

/** What is known of all rows of an index. `fieldWeights` replaces some of the built-in weights. */
export interface Corpus {
  averageTerms: number;
  fieldWeights?: Readonly<Record<string, number>>;
  /** How much the length of a body counts, 0 to 1; `LENGTH_COUNTS` by default. */
  lengthCounts?: number | undefined;
}

const K1 = 1.2;
/** How much the length of a body counts: the `b` of BM25. */
export const LENGTH_COUNTS = 0.75;
/** What a term is worth at most, however frequent it is. */
export const MOST = K1 + 1;
/** One occurrence in a title counts as much as five in the text; measured on halves of real vaults. */
const FIELD_WEIGHTS: Readonly<Record<string, number>> = {
  title: 5,
  alias: 5,
  tag: 4,
  heading: 3,
  subject: 2,
  body: 1,
};

/** What one occurrence in a field counts. `fieldWeights` replaces some of the built-in weights. */
export function fieldWeight(field: string, fieldWeights?: Readonly<Record<string, number>>): number {
  return fieldWeights?.[field] ?? FIELD_WEIGHTS[field] ?? 1;
}

/** What a weighted frequency is worth: 0 to `MOST`. */
export function saturated(frequency: number): number {
  return (frequency * MOST) / (frequency + K1);
}

/** idf of BM25, never negative: ln(1 + (N − df + ½) / (df + ½)) (Robertson and Zaragoza, 2009, with Lucene's +1). */
export function idf(rows: number, documentFrequency: number): number {
  return Math.log(1 + (rows - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/**
 * BM25F (Robertson, Zaragoza and Taylor, 2004): term frequencies of the fields are weighted and summed, then saturated.
 * The body's are normalised by its length. `fieldWeights` replaces some of the weights above.
 */
export function scoreText(
  row: { fields: Readonly<Record<string, string>>; termCount: number },
  terms: readonly WeightedTerm[],
  corpus: Corpus,
): TextScore {
  const frequencies = countForms(row, terms, corpus);
  let bm25 = 0;
  let most = 0;
  for (const [index, { weight, idf: rarity }] of terms.entries()) {
    const frequency = frequencies[index] as number;
    const worth = weight * rarity;
    bm25 += worth * saturated(frequency);
    most += worth * MOST;
  }
  return { bm25, saturation: most > 0 ? bm25 / most : 0 };
}

/** Weighted frequency of each question term in a row. */
function countForms(
  row: { fields: Readonly<Record<string, string>>; termCount: number },
  terms: readonly WeightedTerm[],
  corpus: Corpus,
): Float64Array {
  const frequencies = new Float64Array(terms.length);
  const places = formPlaces(terms);
  const { averageTerms, lengthCounts: b = LENGTH_COUNTS } = corpus;
  const length = 1 - b + (b * row.termCount) / averageTerms;
  for (const [field, stream] of Object.entries(row.fields)) {
    const weight = fieldWeight(field, corpus.fieldWeights);
    const gain = field === 'body' ? weight / length : weight;
    for (const term of stream.split(' ')) {
      for (const { index, share } of places.get(term) ?? []) {
        frequencies[index] = (frequencies[index] as number) + gain * share;
      }
    }
  }
  return frequencies;
}

const placesOf = new WeakMap<readonly WeightedTerm[], Map<string, { index: number; share: number }[]>>();

/** Where each form counts. The same terms are looked for in many rows: built once for them. */
function formPlaces(terms: readonly WeightedTerm[]): Map<string, { index: number; share: number }[]> {
  const known = placesOf.get(terms);
  if (known) return known;
  const places = new Map<string, { index: number; share: number }[]>();
  for (const [index, { forms }] of terms.entries()) {
    for (const [form, share] of forms) {
      const list = places.get(form);
      if (list) list.push({ index, share });
      else places.set(form, [{ index, share }]);
    }
  }
  placesOf.set(terms, places);
  return places;
}
