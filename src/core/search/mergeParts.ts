import type { SkippedSource } from '../../shared/contract/reasons.ts';
import type { FindContext } from './engine.ts';
import { byScore, type Finding, type Findings, type RankedFinding, type SourceName } from './findings.ts';
import type { FindPart } from './searchContract.ts';
import { skipReason } from './skipped.ts';

/** A source that was left out, with what may be logged of it. */
export interface Skipped extends SkippedSource {
  error: unknown;
}

export interface MergedParts {
  /** Null if not even this came in time. */
  context: FindContext | null;
  /** Best first, of all sources that answered. */
  items: Finding[];
  skipped: Skipped[];
  timingsMs: Pick<Findings['timingsMs'], 'search' | 'excerpts'>;
}

/**
 * What the search thread found for a question, source by source, as one list. Sources that were asked and are not among `parts` are
 * skipped for `error`.
 */
export function mergeParts(
  parts: readonly FindPart[],
  asked: readonly SourceName[],
  error: unknown,
): MergedParts {
  const merged: MergedParts = {
    context: null,
    items: [],
    skipped: [],
    timingsMs: { search: 0, excerpts: 0 },
  };
  const ranked: RankedFinding[] = [];
  const answered = new Set<string>();
  for (const part of parts) {
    if ('context' in part) {
      merged.context = part.context;
      continue;
    }
    const { found } = part;
    answered.add(found.source);
    // Several sources are searched by one part.
    merged.skipped.push(
      ...found.failed.filter(({ source }) => merged.skipped.every((one) => one.source !== source)),
    );
    if ('reason' in found) {
      merged.skipped.push(found);
      continue;
    }
    ranked.push(...found.items);
    merged.timingsMs.search += found.timingsMs.search;
    merged.timingsMs.excerpts += found.timingsMs.excerpts;
  }
  for (const source of asked) {
    if (!answered.has(source)) merged.skipped.push({ source, reason: skipReason(error), error });
  }
  merged.items = withoutTwins(ranked.sort(byScore)).map(({ finding }) => finding);
  return merged;
}

/**
 * Each item once, where it is found best: a fact is found by itself, and by turns that taught what it superseded. What is always given
 * stays so.
 */
function withoutTwins(ranked: readonly RankedFinding[]): RankedFinding[] {
  const twins = Map.groupBy(ranked, ({ finding: { result } }) => `${result.kind} ${result.id}`);
  return [...twins.values()].map(([best, ...others]) => {
    const { finding, ...scores } = best as RankedFinding;
    const itself = others.find((other) => other.finding.replaces === null)?.finding;
    if (!itself || finding.replaces === null) return best as RankedFinding;
    const replaces = { ...finding.replaces, ownScore: itself.result.score };
    return { finding: { ...finding, always: itself.always, replaces }, ...scores };
  });
}
