import { readFileSync } from 'node:fs';
import { resourcePath } from '../../support/resources.ts';
import { isFunctionTerm, tokenise } from '../../support/text/tokenise.ts';

/** Terms that answer a question for another one in the same language, each with how much it counts as a match: 0 to 1. */
export interface RelatedWords {
  related(term: string): readonly (readonly [string, number])[];
}

/** By the sign of a line: of a form of the same word, of the same in other words, and of what is near to that. */
const SHARES: Readonly<Record<string, number>> = { '=': 0.8, '~': 0.5, '≈': 0.3 };
/** Of what a wider word may mean. */
const NARROWER = 0.3;

/** French and English words that stand for each other, as `resources/related-words.txt` lists them; read at the first question. */
export function loadRelatedWords(): RelatedWords {
  let known: ReadonlyMap<string, readonly (readonly [string, number])[]> | undefined;
  return {
    related: (term) => {
      known ??= parseRelatedWords(readFileSync(resourcePath('related-words.txt'), 'utf8'));
      return known.get(term) ?? [];
    },
  };
}

/** Reads lines of `= forms`, `~ synonyms`, `≈ near synonyms` and `> wider narrower…`; of two relations of the same words, the closer one counts. */
export function parseRelatedWords(text: string): Map<string, (readonly [string, number])[]> {
  const shares = new Map<string, Map<string, number>>();
  const relate = (from: string, to: string, share: number) => {
    if (from === to) return;
    const known = shares.get(from) ?? new Map<string, number>();
    shares.set(from, known.set(to, Math.max(share, known.get(to) ?? 0)));
  };
  for (const line of text.split('\n')) {
    const relation = line[0] ?? '';
    const share = SHARES[relation];
    if (share === undefined && relation !== '>') continue;
    const terms = tokenise(line).map(({ term }) => term);
    // A word that also is a function word would match everything.
    const all = [...new Set(terms)].filter((term) => !isFunctionTerm(term));
    const [wider, ...narrower] = all;
    if (share !== undefined) for (const from of all) for (const to of all) relate(from, to, share);
    else if (wider !== undefined) for (const to of narrower) relate(wider, to, NARROWER);
  }
  return new Map([...shares].map(([term, others]) => [term, [...others]]));
}
