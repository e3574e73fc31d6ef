/** One question term with its idf, as the scorer needs it. */
export interface WeightedTerm {
  term: string;
  weight: number;
  idf: number;
}

export interface TextScore {
  /** BM25 with fields; comparable within one question only. */
  bm25: number;
  /** `bm25` as a share of what a passage that is full of every term would get: 0 to 1. */
  saturation: number;
  /** Share of the question's weight (weight × idf) whose terms the passage holds: 0 to 1. */
  coverage: number;
}

const K1 = 1.2;
const B = 0.75;
/** One occurrence in a title counts as five in the text; measured on halves of real vaults. */
const FIELD_WEIGHTS: Readonly<Record<string, number>> = { title: 5, alias: 5, tag: 4, heading: 3, body: 1 };

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
  corpus: { averageTerms: number; fieldWeights?: Readonly<Record<string, number>> },
): TextScore {
  const frequencies = new Map<string, number>(terms.map(({ term }) => [term, 0]));
  const length = 1 - B + (B * row.termCount) / corpus.averageTerms;
  for (const [field, stream] of Object.entries(row.fields)) {
    const weight = corpus.fieldWeights?.[field] ?? FIELD_WEIGHTS[field] ?? 1;
    const gain = field === 'body' ? weight / length : weight;
    for (const term of stream.split(' ')) {
      const known = frequencies.get(term);
      if (known !== undefined) frequencies.set(term, known + gain);
    }
  }
  let bm25 = 0;
  let most = 0;
  let held = 0;
  let asked = 0;
  for (const { term, weight, idf: rarity } of terms) {
    const frequency = frequencies.get(term) ?? 0;
    const worth = weight * rarity;
    bm25 += (worth * frequency * (K1 + 1)) / (frequency + K1);
    most += worth * (K1 + 1);
    asked += worth;
    if (frequency > 0) held += worth;
  }
  return { bm25, saturation: most > 0 ? bm25 / most : 0, coverage: asked > 0 ? held / asked : 0 };
}
