import { loadWordVectors } from '../embedding/wordVectors.ts';
import type { WordModels } from './fusion/ranker.ts';
import { loadLexicon } from './lexical/lexicon.ts';
import { loadRelatedWords } from './lexical/relatedWords.ts';

/** The built-in knowledge of French and English words. */
export const loadWordModels = (): WordModels => ({
  lexicon: loadLexicon(),
  related: loadRelatedWords(),
  vectors: loadWordVectors(),
});
