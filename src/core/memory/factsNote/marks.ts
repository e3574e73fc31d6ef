import type { FactId } from '../../../shared/ids.ts';
import { sha256 } from '../../support/ids.ts';

const OWN = /^fact_([A-Za-z0-9]+)$/;
const IN_HASH = 20;

/**
 * What stands for a fact in a block id, which may hold letters, digits and hyphens (https://help.obsidian.md/links): the id without its
 * prefix. An imported fact may have any id; then it is a hash.
 */
export function markOf(id: FactId): string {
  return OWN.exec(id)?.[1] ?? `x-${sha256(id).slice(0, IN_HASH)}`;
}

/** The id that a mark stands for, unless it is a hash. */
export const idOfMark = (mark: string): FactId => `fact_${mark}` as FactId;
