import { foldedWords } from '../../support/text/tokenise.ts';
import type { Mention } from '../extraction/statement.ts';

/**
 * Whom a mention means: `user`, `person:david` by given name, `person:sister` where no name is known. Null if the text does not
 * say who it is.
 */
export function entityOf(of: Mention): string | null {
  if (of.entity === 'user') return 'user';
  const given = of.name === null ? null : foldedWords(of.name.split(/\s+/)[0] ?? '').replaceAll(' ', '-');
  const who = given || of.kinship;
  return who ? `person:${who}` : null;
}
