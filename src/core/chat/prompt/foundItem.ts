import { clampTime } from '../../../shared/time.ts';
import type { Finding } from '../../search/findings.ts';
import type { BlockItem } from '../../storage/contextBlocks.ts';
import { textKeyOf } from './textKey.ts';

/** What is quoted of a finding, before it has a citation number. `now` dates what has no date. */
export const foundItem = (finding: Finding, now: number): Omit<BlockItem, 'number'> => ({
  ...quotedOf(finding, now),
  textKey: textKeyOf(finding),
});

/** The same as far as a block tells it. */
export function quotedOf(finding: Finding, now: number): Omit<BlockItem, 'number' | 'textKey'> {
  const { result, span, label } = finding;
  const { kind, id, title, heading, path, channel, ordinal, createdAt, excerpt, score } = result;
  return {
    kind,
    id,
    title: title ?? '',
    heading: heading ?? [],
    origin: path ?? channel ?? '',
    place: ordinal ?? null,
    label: label ?? null,
    at: clampTime(createdAt ?? now),
    excerpt,
    span,
    score,
  };
}
