/**
 * Estimates how many tokens a language model makes of a text. Byte-pair vocabularies average about 4 characters per token for
 * English and 3.3 for French; 3.5 errs on the side of a prompt that fits.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 3.5);
}
