import type { Language } from '../../../shared/errors.ts';
import { englishFunctionWords, frenchFunctionWords } from './stopWords.ts';
import { fold } from './tokenise.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

// What people greet, thank, agree and take leave with, which often is all of a message. What both languages say, as "hello" or
// "super", is left out.
const FRENCH_COURTESIES = words(`
 bonjour bonsoir salut coucou rebonjour merci mercis mille infiniment beaucoup oui ouais non pardon desole parfait entendu compris bien bonne bon
 nuit soiree journee week revoir bientot volontiers nickel impeccable exactement allez attends dors laisse tomber bisous slt bjr bsr mdr`);
const ENGLISH_COURTESIES = words(`
 thanks thank thx hi hey bye goodbye yes yep yeah nope please sorry cheers good great nice fine sure sounds perfect awesome amazing brilliant
 wonderful lovely understood noted right exactly indeed absolutely definitely maybe morning afternoon evening night welcome okay funny`);

/**
 * Detects French or English from the function words and accents of a text, and if these do not decide, from its courtesies; returns
 * `otherwise` if neither language shows. Designed for short questions, on which statistical detectors err.
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
  if (french === english) {
    const said = fold(text).split(/[^\p{L}]+/u);
    french += said.filter((word) => FRENCH_COURTESIES.has(word)).length;
    english += said.filter((word) => ENGLISH_COURTESIES.has(word)).length;
  }
  if (french === english) return otherwise;
  return french > english ? 'fr' : 'en';
}
