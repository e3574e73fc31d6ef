import type { Finding } from '../../search/findings.ts';
import { sha256 } from '../../support/ids.ts';

const known = new WeakMap<Finding, string>();

/** Hash of an item's whole text, computed once for a finding: it is asked for by each item of a block and each comparison. */
export function textKeyOf(finding: Finding): string {
  let key = known.get(finding);
  if (key === undefined) {
    key = sha256(finding.text);
    known.set(finding, key);
  }
  return key;
}
