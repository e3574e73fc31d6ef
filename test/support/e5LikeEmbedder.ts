import { createHash } from 'node:crypto';
import {
  BUILT_IN,
  type Embedder,
  type StartEmbedder,
  startEmbedder,
} from '../../src/core/embedding/embedder.ts';
import { tokenise } from '../../src/core/support/text/tokenise.ts';

/** The setting that names it: it stands for the folder of a model. */
export const E5_LIKE = '/models/e5-like';

const HASHED = 192;
/** Cosines of E5's models lie between 0.7 and 1 (https://huggingface.co/intfloat/multilingual-e5-small, "FAQ" 3). */
const COMMON = 0.7;

/**
 * An embedder that passes for a contextual one: it tells words apart that the built-in vectors take for one another, and its cosines lie
 * between 0.7 and 1, whatever the texts.
 */
export const startE5Like: StartEmbedder = async (setting, log, signal) => {
  const builtIn = await startEmbedder(BUILT_IN, log, signal);
  if (setting !== E5_LIKE) return builtIn;
  const embed = async (texts: readonly string[], stop?: AbortSignal) =>
    (await builtIn.embedPassages(texts, stop)).map((known, place) =>
      combine(known, hashed(texts[place] ?? '')),
    );
  return {
    ...builtIn,
    id: 'e5-like',
    dimensions: builtIn.dimensions + HASHED + 1,
    contextual: true,
    embedQuery: async (text, stop) => (await embed([text], stop))[0] as Float32Array,
    embedPassages: embed,
  } satisfies Embedder;
};

function combine(known: Float32Array, words: Float32Array): Float32Array {
  const own = Math.sqrt((1 - COMMON) / 2);
  const all = Float32Array.from([
    Math.sqrt(COMMON),
    ...known.map((v) => own * v),
    ...words.map((v) => own * v),
  ]);
  const length = Math.hypot(...all);
  return all.map((value) => value / length);
}

const places = new Map<string, { place: number; sign: number }>();

function placeOf(term: string): { place: number; sign: number } {
  const known = places.get(term);
  if (known) return known;
  const bytes = createHash('sha256').update(term).digest();
  const found = { place: bytes.readUInt16LE(0) % HASHED, sign: (bytes[2] as number) % 2 === 0 ? 1 : -1 };
  places.set(term, found);
  return found;
}

/** Each word has a place and a sign of its own; of a text without words, all zeros. */
function hashed(text: string): Float32Array {
  const sum = new Float32Array(HASHED);
  for (const { term } of tokenise(text)) {
    const { place, sign } = placeOf(term);
    sum[place] = (sum[place] as number) + sign;
  }
  const length = Math.hypot(...sum);
  return length > 0 ? sum.map((value) => value / length) : sum;
}
