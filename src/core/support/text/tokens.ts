/**
 * Estimate of the tokens that a language model makes of a text. Byte-pair vocabularies give about 4 characters a token
 * for English and 3.3 for French; 3.5 errs on the side of a prompt that fits.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 3.5);
}
