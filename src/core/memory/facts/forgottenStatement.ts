import type { Forgotten } from '../../storage/tombstones.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import type { Statement } from '../extraction/statement.ts';

/** What of a statement may have been forgotten: its words, or the value that it gives somebody. */
export function asForgotten({ content, states }: Statement): Forgotten[] {
  const said: Forgotten = { kind: 'content', content };
  if (!states) return [said];
  const { of, relation, value } = states;
  const name = of.entity === 'user' ? null : foldedWords(of.name ?? of.kinship ?? '').replaceAll(' ', '-');
  return [said, { kind: 'value', entity: name === null ? 'user' : `person:${name}`, relation, value }];
}
