import { featuresOf, TABLE_ROWS } from '../../src/core/embedding/features.ts';
import { seeded } from '../../test/support/seeded.ts';

export interface TrainOptions {
  dimensions: number;
  batch: number;
  steps: number;
  seed: number;
  onStep(step: number, loss: number): void;
}

/** Inverse temperature of the softmax over cosines in a batch. */
const SCALE = 16;
const LEARNING_RATE = 0.15;

/**
 * Trains a table of vectors in which texts with the same meaning are close. Contrastive: each pair against the others of its
 * batch, in both directions (Henderson et al., 2017). A term's vector is the mean of its features' rows, and a text's is the
 * sum of its terms', so the length of a row is the weight of its term. Adagrad with one rate per row. Deterministic for a seed.
 * @param groups lists of pairs of texts, as terms, with each list's share of the batches
 */
export function trainWordVectors(
  groups: readonly { pairs: readonly [string[], string[]][]; share: number }[],
  options: TrainOptions,
): Float32Array {
  const { dimensions, batch, steps } = options;
  const random = seeded(options.seed);
  const table = Float32Array.from({ length: TABLE_ROWS * dimensions }, () => (random() - 0.5) * 0.2);
  const squares = new Float32Array(TABLE_ROWS).fill(1e-3);
  const features = new Map<string, Int32Array>();
  const featuresFor = (term: string) => {
    let rows = features.get(term);
    if (!rows) {
      rows = Int32Array.from(featuresOf(term));
      features.set(term, rows);
    }
    return rows;
  };

  let smoothed = 0;
  for (let step = 0; step < steps; step += 1) {
    const { pairs } = pick(groups, random());
    const chosen = Array.from(
      { length: batch },
      () => pairs[Math.floor(random() * pairs.length)] as [string[], string[]],
    );
    const terms = new Map<string, number>();
    const numbered = chosen.map((pair) =>
      pair.map((text) =>
        Int32Array.from(text, (term) => {
          let number = terms.get(term);
          if (number === undefined) {
            number = terms.size;
            terms.set(term, number);
          }
          return number;
        }),
      ),
    );
    const rows = [...terms.keys()].map(featuresFor);
    const words = termVectors(table, rows, dimensions);
    const sides = [0, 1].map((side) => numbered.map((pair) => pair[side] as Int32Array));
    const [left, right] = sides.map((texts) => textVectors(words, texts, dimensions)) as [Texts, Texts];
    const { loss, toLeft, toRight } = contrast(left, right, dimensions);
    const gradient = new Float32Array(words.length);
    spread(toLeft, left, sides[0] as Int32Array[], gradient, dimensions);
    spread(toRight, right, sides[1] as Int32Array[], gradient, dimensions);
    const rate = LEARNING_RATE * (1 - (0.9 * step) / steps);
    update({ table, squares, rows, gradient, dimensions, rate });
    smoothed = step === 0 ? loss : smoothed * 0.99 + loss * 0.01;
    options.onStep(step, smoothed);
  }
  return table;
}

function pick<T extends { share: number }>(groups: readonly T[], at: number): T {
  let sum = 0;
  for (const group of groups) {
    sum += group.share;
    if (at < sum) return group;
  }
  return groups.at(-1) as T;
}

function termVectors(table: Float32Array, rows: readonly Int32Array[], dimensions: number): Float32Array {
  const vectors = new Float32Array(rows.length * dimensions);
  for (const [number, features] of rows.entries()) {
    const to = number * dimensions;
    for (const row of features) {
      const from = row * dimensions;
      for (let d = 0; d < dimensions; d += 1) vectors[to + d] += table[from + d];
    }
    for (let d = 0; d < dimensions; d += 1) vectors[to + d] /= features.length;
  }
  return vectors;
}

interface Texts {
  /** Unit vectors, concatenated. */
  unit: Float32Array;
  lengths: Float32Array;
}

function textVectors(words: Float32Array, texts: readonly Int32Array[], dimensions: number): Texts {
  const unit = new Float32Array(texts.length * dimensions);
  const lengths = new Float32Array(texts.length);
  for (const [number, terms] of texts.entries()) {
    const to = number * dimensions;
    for (const term of terms) {
      const from = term * dimensions;
      for (let d = 0; d < dimensions; d += 1) unit[to + d] += words[from + d];
    }
    let square = 1e-12;
    for (let d = 0; d < dimensions; d += 1) square += unit[to + d] ** 2;
    const length = Math.sqrt(square);
    lengths[number] = length;
    for (let d = 0; d < dimensions; d += 1) unit[to + d] /= length;
  }
  return { unit, lengths };
}

/** Softmax cross-entropy over the batch in both directions; gradients with respect to the unit vectors. */
function contrast(left: Texts, right: Texts, dimensions: number) {
  const size = left.lengths.length;
  const logits = new Float32Array(size * size);
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      let dot = 0;
      for (let d = 0; d < dimensions; d += 1)
        dot += left.unit[i * dimensions + d] * right.unit[j * dimensions + d];
      logits[i * size + j] = dot * SCALE;
    }
  }
  const slope = new Float32Array(size * size);
  let loss = 0;
  for (const byRow of [true, false]) {
    for (let i = 0; i < size; i += 1) {
      const at = (j: number) => (byRow ? i * size + j : j * size + i);
      let most = Number.NEGATIVE_INFINITY;
      for (let j = 0; j < size; j += 1) most = Math.max(most, logits[at(j)]);
      let sum = 0;
      for (let j = 0; j < size; j += 1) sum += Math.exp(logits[at(j)] - most);
      loss += (Math.log(sum) + most - logits[at(i)]) / (2 * size);
      for (let j = 0; j < size; j += 1) {
        const p = Math.exp(logits[at(j)] - most) / sum;
        slope[at(j)] += ((p - (i === j ? 1 : 0)) * SCALE) / (2 * size);
      }
    }
  }
  const toLeft = new Float32Array(size * dimensions);
  const toRight = new Float32Array(size * dimensions);
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; j += 1) {
      const s = slope[i * size + j];
      if (Math.abs(s) < 1e-7) continue;
      for (let d = 0; d < dimensions; d += 1) {
        toLeft[i * dimensions + d] += s * right.unit[j * dimensions + d];
        toRight[j * dimensions + d] += s * left.unit[i * dimensions + d];
      }
    }
  }
  return { loss, toLeft, toRight };
}

/** Propagates gradients of unit vectors through the normalisation to the terms. */
function spread(
  toUnit: Float32Array,
  texts: Texts,
  terms: readonly Int32Array[],
  gradient: Float32Array,
  dimensions: number,
): void {
  const raw = new Float32Array(dimensions);
  for (const [number, list] of terms.entries()) {
    const from = number * dimensions;
    let along = 0;
    for (let d = 0; d < dimensions; d += 1) along += toUnit[from + d] * texts.unit[from + d];
    for (let d = 0; d < dimensions; d += 1)
      raw[d] = (toUnit[from + d] - along * texts.unit[from + d]) / texts.lengths[number];
    for (const term of list)
      for (let d = 0; d < dimensions; d += 1) gradient[term * dimensions + d] += raw[d];
  }
}

function update(state: {
  table: Float32Array;
  squares: Float32Array;
  rows: readonly Int32Array[];
  gradient: Float32Array;
  dimensions: number;
  rate: number;
}): void {
  const { table, squares, rows, gradient, dimensions, rate } = state;
  const sums = new Map<number, Float32Array>();
  for (const [number, features] of rows.entries()) {
    for (const row of features) {
      let sum = sums.get(row);
      if (!sum) {
        sum = new Float32Array(dimensions);
        sums.set(row, sum);
      }
      for (let d = 0; d < dimensions; d += 1) sum[d] += gradient[number * dimensions + d] / features.length;
    }
  }
  for (const [row, sum] of sums) {
    let square = 0;
    for (let d = 0; d < dimensions; d += 1) square += sum[d] ** 2;
    squares[row] += square / dimensions;
    const step = rate / Math.sqrt(squares[row]);
    for (let d = 0; d < dimensions; d += 1) table[row * dimensions + d] -= step * sum[d];
  }
}
