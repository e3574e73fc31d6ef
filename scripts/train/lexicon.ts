import { functionWords } from '../../src/core/support/text/stopWords.ts';
import { termOf } from '../../src/core/support/text/tokenise.ts';
import type { Pair } from './pairs.ts';

/** Term → its translations, strongest first, weight √(p·p′) from 0 to 1. */
export type Lexicon = Map<string, [string, number][]>;

const ITERATIONS = 6;
const LEAST_WEIGHT = 0.02;
const MOST_TRANSLATIONS = 8;
/** Weight of a pair from the hand-made list. */
const EVERYDAY_WEIGHT = 0.5;
const NULL_WORD = 0;

/**
 * Translations learnt from sentence pairs with IBM model 1 and a NULL word (Brown et al., 1993), in both directions. Keeps a
 * pair of terms if the geometric mean of its two probabilities is at least 0.02; drops function words and digits. `everyday`
 * adds hand-made pairs of words.
 */
export function learnLexicon(pairs: readonly Pair[], everyday: readonly Pair[]): Lexicon {
  const english = index(pairs.map((pair) => pair.english));
  const french = index(pairs.map((pair) => pair.french));
  const forward = ibmModel1(english, french);
  const backward = ibmModel1(french, english);
  const stops = new Set([...functionWords].map(termOf));
  const isContent = (term: string) => term.length > 1 && !stops.has(term) && !/\d/.test(term);
  const lexicon: Lexicon = new Map();
  const add = (from: string, to: string, weight: number) => {
    const known = lexicon.get(from);
    if (known) known.push([to, weight]);
    else lexicon.set(from, [[to, weight]]);
  };
  for (const [key, p] of forward) {
    const [e, f] = [Math.floor(key / SHIFT), key % SHIFT];
    const weight = Math.sqrt(p * (backward.get(f * SHIFT + e) ?? 0));
    const [one, other] = [english.terms[e] ?? '', french.terms[f] ?? ''];
    if (weight < LEAST_WEIGHT || one === other || !isContent(one) || !isContent(other)) continue;
    add(one, other, weight);
    add(other, one, weight);
  }
  for (const { english: ones, french: others } of everyday) {
    for (const one of ones) {
      for (const other of others) {
        if (one === other) continue;
        add(one, other, EVERYDAY_WEIGHT);
        add(other, one, EVERYDAY_WEIGHT);
      }
    }
  }
  for (const [term, translations] of lexicon) {
    const best = new Map<string, number>();
    for (const [to, weight] of translations) best.set(to, Math.max(best.get(to) ?? 0, weight));
    const sorted = [...best].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
    lexicon.set(term, sorted.slice(0, MOST_TRANSLATIONS));
  }
  return lexicon;
}

interface Indexed {
  /** Term by number; 0 is NULL. */
  terms: string[];
  sentences: Int32Array[];
}

/** Number of possible term numbers in each half of a pair's key. */
const SHIFT = 2 ** 22;

function index(sentences: readonly string[][]): Indexed {
  const numbers = new Map<string, number>();
  const terms = [''];
  return {
    terms,
    sentences: sentences.map((sentence) =>
      Int32Array.from(sentence, (term) => {
        let number = numbers.get(term);
        if (number === undefined) {
          number = terms.push(term) - 1;
          numbers.set(term, number);
        }
        return number;
      }),
    ),
  };
}

/** p(target | source) for every pair of terms that occur in one sentence pair; key = source × SHIFT + target. */
function ibmModel1(source: Indexed, target: Indexed): Map<number, number> {
  const slots = new Map<number, number>();
  const sources: number[] = [];
  // For each sentence pair, target by target: the slots of (NULL, target), (source 1, target), …
  const cells = source.sentences.map((from, number) => {
    const to = target.sentences[number] as Int32Array;
    const row = new Int32Array(to.length * (from.length + 1));
    let at = 0;
    for (const word of to) {
      for (let place = 0; place <= from.length; place += 1) {
        const origin = place === 0 ? NULL_WORD : (from[place - 1] as number);
        const key = origin * SHIFT + word;
        let slot = slots.get(key);
        if (slot === undefined) {
          slot = slots.size;
          slots.set(key, slot);
          sources.push(origin);
        }
        row[at] = slot;
        at += 1;
      }
    }
    return { row, width: from.length + 1 };
  });
  const probability = new Float64Array(slots.size).fill(1 / target.terms.length);
  const count = new Float64Array(slots.size);
  const total = new Float64Array(source.terms.length);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    count.fill(0);
    total.fill(0);
    for (const { row, width } of cells) {
      for (let start = 0; start < row.length; start += width) {
        let sum = 0;
        for (let place = 0; place < width; place += 1)
          sum += probability[row[start + place] as number] as number;
        for (let place = 0; place < width; place += 1) {
          const slot = row[start + place] as number;
          count[slot] = (count[slot] as number) + (probability[slot] as number) / sum;
        }
      }
    }
    for (let slot = 0; slot < count.length; slot += 1) {
      const origin = sources[slot] as number;
      total[origin] = (total[origin] as number) + (count[slot] as number);
    }
    for (let slot = 0; slot < count.length; slot += 1) {
      probability[slot] = (count[slot] as number) / (total[sources[slot] as number] as number);
    }
  }
  const result = new Map<number, number>();
  for (const [key, slot] of slots) {
    if (key >= SHIFT && (probability[slot] as number) > 1e-4) result.set(key, probability[slot] as number);
  }
  return result;
}
