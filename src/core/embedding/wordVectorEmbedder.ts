import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resourcePath } from '../support/resources.ts';
import { tokenise } from '../support/text/tokenise.ts';
import type { LocalEmbedder } from './embedderWorker.ts';
import { loadWordVectors } from './wordVectors.ts';

/** The built-in embedder: the vector of a text is the weighted sum of its words' vectors. It reads texts of any length whole. */
export function openWordVectorEmbedder(): LocalEmbedder {
  const vectors = loadWordVectors();
  const hash = createHash('sha256')
    .update(readFileSync(resourcePath('word-vectors.bin')))
    .digest('hex');
  return {
    id: `word-vectors-${hash.slice(0, 12)}`,
    dimensions: vectors.dimensions,
    maxTokens: Number.MAX_SAFE_INTEGER,
    contextual: false,
    embed: (_kind, texts, signal) => {
      signal?.throwIfAborted();
      return Promise.resolve(texts.map((text) => vectors.text(tokenise(text).map(({ term }) => term))));
    },
    dispose: () => Promise.resolve(),
  };
}
