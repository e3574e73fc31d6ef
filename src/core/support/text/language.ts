import type { Language } from '../../../shared/errors.ts';
import { englishFunctionWords, frenchFunctionWords } from './stopWords.ts';
import { fold } from './tokenise.ts';

/**
 * Detects French or English from the function words and accents of a text; returns `otherwise` if neither language shows.
 * Designed for short questions, on which statistical detectors err.
 */
export function detectLanguage(text: string, otherwise: Language): Language {
  let french = (text.match(/[éèêëàâçîïôùûœ]/gi)?.length ?? 0) > 0 ? 1.5 : 0;
  let english = 0;
  for (const word of fold(text).split(/[^\p{L}]+/u)) {
    const isFrench = frenchFunctionWords.has(word);
    const isEnglish = englishFunctionWords.has(word);
    if (isFrench && !isEnglish) french += 1;
    if (isEnglish && !isFrench) english += 1;
  }
  if (french === english) return otherwise;
  return french > english ? 'fr' : 'en';
}
