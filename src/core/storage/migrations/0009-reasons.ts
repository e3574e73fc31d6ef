import type { SkippedSource, SkipReason, VerdictReason } from '../../../shared/contract/reasons.ts';
import type { Migration } from '../migrate.ts';

/**
 * Reasons of verdicts and of skipped sources as JSON `{code, figures}` instead of English sentences. `reason_of_sentence` and
 * `skipped_of_sentences` are functions of the connection.
 */
export const reasons: Migration = {
  version: 9,
  name: 'reasons',
  sql: `
    ALTER TABLE memory_retrieval_items RENAME COLUMN because TO reason;
    UPDATE memory_retrieval_items SET reason = reason_of_sentence(reason);
    UPDATE memory_retrievals SET skipped = skipped_of_sentences(skipped);
  `,
};

type Sentence = [pattern: RegExp, read: (parts: string[]) => VerdictReason];

/** The sentences that schema 8 wrote. */
const SENTENCES: readonly Sentence[] = [
  [/^relevance ([\d.]+)$/, ([score]) => ({ code: 'relevant', figures: { score: Number(score) } })],
  [
    /^(identity|pinned|named), relevance ([\d.]+)$/,
    ([code, score]) => ({
      code: code as 'identity' | 'pinned' | 'named',
      figures: { score: Number(score) },
    }),
  ],
  [
    /^([\d.]+) is below the minimum of ([\d.]+)$/,
    ([score, minimum]) => ({
      code: 'below-minimum',
      figures: { score: Number(score), minimum: Number(minimum) },
    }),
  ],
  [
    /^the prompt carries it since turn (\d+)$/,
    ([turn]) => ({ code: 'in-prompt', figures: { turn: Number(turn) } }),
  ],
  [
    /^([\d.]+) like what turn (\d+) holds$/,
    ([similarity, turn]) => ({
      code: 'like-prompt',
      figures: { similarity: Number(similarity), turn: Number(turn) },
    }),
  ],
  [
    /^([\d.]+) like (\S+)$/,
    ([similarity, item]) => ({
      code: 'like-selected',
      figures: { similarity: Number(similarity), item: item as string },
    }),
  ],
  [/^only asks, and tells nothing$/, () => ({ code: 'only-asks', figures: {} })],
  [/^(\S+) was learnt from it$/, ([item]) => ({ code: 'taught-fact', figures: { item: item as string } })],
  [
    /^(\d+) better ones were taken$/,
    ([limit]) => ({ code: 'over-limit', figures: { limit: Number(limit) } }),
  ],
  [
    /^(\d+) tokens, (-?\d+) of (\d+) left$/,
    ([tokens, left, budget]) => ({
      code: 'over-budget',
      figures: { tokens: Number(tokens), left: Number(left), budget: Number(budget) },
    }),
  ],
  [/^its time is over$/, () => ({ code: 'expired', figures: {} })],
];

/** The reason that a sentence of schema 8 gave, as JSON; code `unknown` if it cannot be read. */
export function reasonOfSentence(sentence: string): string {
  for (const [pattern, read] of SENTENCES) {
    const match = pattern.exec(sentence);
    if (match) return JSON.stringify(read(match.slice(1)));
  }
  return JSON.stringify({ code: 'unknown', figures: {} } satisfies VerdictReason);
}

/** The skipped sources of schema 8 (`[{source, because}]`), as JSON with reasons. */
export function skippedOfSentences(json: string): string {
  const skipped = JSON.parse(json) as { source: string; because: string }[];
  return JSON.stringify(
    skipped.map(({ source, because }): SkippedSource => ({ source, reason: skipReasonOf(because) })),
  );
}

function skipReasonOf(sentence: string): SkipReason {
  if (sentence === 'not ready') return { code: 'not-ready', figures: {} };
  const late = /^late: (?:(\d+) ms of (\d+) were used|nothing within (\d+) ms)$/.exec(sentence);
  if (late) {
    const limitMs = Number(late[2] ?? late[3]);
    return { code: 'late', figures: { elapsedMs: Number(late[1] ?? limitMs), limitMs } };
  }
  const failed = /^failed: (\S+)$/.exec(sentence);
  return failed
    ? { code: 'failed', figures: { error: failed[1] as string } }
    : { code: 'unknown', figures: {} };
}
