import type { VerdictReason } from '../../shared/contract/reasons.ts';
import type { Verdict } from '../../shared/contract/retrieval.ts';
import type { NoteId } from '../../shared/ids.ts';
import { cutExcerpt } from './excerpt.ts';
import type { Always, Finding, Span } from './findings.ts';

/** A stretch of an item's text that the prompt holds. */
export interface SentStretch {
  /** Number of its turn in the conversation. */
  turn: number;
  /** Id of the item, or of the turn whose message it is. */
  id: string;
  span: Span;
}

/** A text that the prompt holds, as candidates are compared with it. */
export interface SentText {
  turn: number;
  id: string;
  text: string;
  /** The item's vector, of the space that candidates have theirs in; null if it has none there. */
  vector: Float32Array | null;
}

/** What the next prompt holds beside the new block: a pure function of that prompt. */
export interface InPrompt {
  /** By hash of the item's whole text: two notes of one text are one passage. */
  stretches: ReadonlyMap<string, readonly SentStretch[]>;
  texts: readonly SentText[];
}

export const NOTHING_IN_PROMPT: InPrompt = { stretches: new Map(), texts: [] };

/** A finding as selection compares it. */
export interface Selectable {
  finding: Finding;
  /** Hash of the item's whole text. */
  textKey: string;
  /** False if the item was edited or deleted since it was found. */
  current: boolean;
}

export interface SelectionRules {
  minScore: number;
  maxResults: number;
  /** In all, with what is always given. */
  maxInjected: number;
  /** Tokens of the block that holds these findings. */
  blockTokens(findings: readonly Finding[]): number;
  /** Tokens that the block may take. */
  budget: number;
  /** Of them, those that what is given although it does not answer may take. */
  extraBudget: number;
  inPrompt: InPrompt;
  /** What is more similar than this says the same, 0 to 1. */
  dedupThreshold: number;
  /** 0 to 1; 0 if there is nothing to compare by. */
  similarity(one: Comparable, other: Comparable): number;
}

export interface Comparable {
  text: string;
  vector: Float32Array | null;
}

export interface Selection {
  /** With the excerpt that is left of it if a part of it is in the prompt. */
  finding: Finding;
  verdict: Verdict;
  reason: VerdictReason;
}

/** A shorter stretch says nothing by itself: about half a sentence. */
const LEAST_STRETCH = 40;

/** Passages of one note, while something else answers. */
const PASSAGES_OF_A_NOTE = 2;

/** What is given whatever is asked, the dearest first: who the user is, then what the user chose, then what is chosen for them. */
const ALWAYS_GIVEN: readonly (Always | null)[] = ['identity', 'pinned', 'important', 'tagged'];

/**
 * Gives every candidate its verdict, in order: changed, expired, below the minimum, in the prompt, the same as something in the
 * prompt or just selected, over the limit, over the budget; the others are injected. Pure.
 * @param candidates best first
 * @returns best first, but a turn that taught what is no longer true stands after what says what is true instead; then further passages
 * of notes of which enough was chosen; last what is given although it does not answer
 */
export function select(candidates: readonly Selectable[], rules: SelectionRules): Selection[] {
  const round = new SelectionRound(candidates, rules);
  const extras = candidates
    .filter((candidate) => isExtra(candidate, rules.minScore))
    .sort((one, other) => placeOf(one.finding.always) - placeOf(other.finding.always));
  const answers = candidates.filter((candidate) => !isExtra(candidate, rules.minScore));
  const further: Selectable[] = [];
  const selections = outdatedLast(answers, rules.minScore).flatMap((candidate) => {
    if (!round.hasEnoughOf(candidate)) return [round.judge(candidate)];
    further.push(candidate);
    return [];
  });
  return [
    ...selections,
    ...further.map((candidate) => round.judge(candidate)),
    ...extras.map((candidate) => round.judge(candidate)),
  ];
}

/** Is it given although it does not answer? */
const isExtra = ({ finding: { result, always } }: Selectable, minScore: number): boolean =>
  result.score < minScore && ALWAYS_GIVEN.includes(always);

const placeOf = (always: Always | null): number => ALWAYS_GIVEN.indexOf(always);

/** Puts what is outdated right after the last candidate that replaces it and may be given. */
function outdatedLast(candidates: readonly Selectable[], minScore: number): readonly Selectable[] {
  const ordered = candidates.filter(({ finding }) => finding.outdatedBy.length === 0);
  if (ordered.length === candidates.length) return candidates;
  const outdated = candidates.filter(({ finding }) => finding.outdatedBy.length > 0);
  for (const candidate of outdated) {
    const { outdatedBy } = candidate.finding;
    const mayBeGiven = ({ finding: { result, always } }: Selectable) =>
      result.score >= minScore || always !== null;
    const last = ordered.findLastIndex(
      (other) => outdatedBy.includes(other.finding.result.id) && mayBeGiven(other),
    );
    const { score } = candidate.finding.result;
    const byScore = ordered.findIndex(({ finding }) => finding.result.score < score);
    ordered.splice(Math.max(last + 1, byScore < 0 ? ordered.length : byScore), 0, candidate);
  }
  return ordered;
}

class SelectionRound {
  readonly #rules: SelectionRules;
  readonly #taken: Selectable[] = [];
  #tokens = 0;
  /** Of what was taken although it does not answer. */
  #extraTokens = 0;
  /** Notes that the message names: every passage of them is asked for. */
  readonly #named: ReadonlySet<NoteId | undefined>;
  /** The fact that a turn taught, by turn: it says what the turn said in fewer words. */
  readonly #taught: ReadonlyMap<string, string>;

  constructor(candidates: readonly Selectable[], rules: SelectionRules) {
    this.#rules = rules;
    this.#named = new Set(
      candidates.flatMap(({ finding: { always, result } }) => (always === 'named' ? [result.noteId] : [])),
    );
    this.#taught = new Map(
      candidates.flatMap(({ finding: { originTurn, expired, result, replaces }, current }) => {
        const score = replaces?.ownScore ?? result.score;
        return originTurn !== null && !expired && current && score >= rules.minScore
          ? [[originTurn, result.id] as const]
          : [];
      }),
    );
  }

  /** Are enough passages of its note taken, as long as something else answers? */
  hasEnoughOf({ finding: { result } }: Selectable): boolean {
    const { noteId } = result;
    if (noteId === undefined || this.#named.has(noteId)) return false;
    return this.#taken.filter(({ finding }) => finding.result.noteId === noteId).length >= PASSAGES_OF_A_NOTE;
  }

  judge(candidate: Selectable): Selection {
    const { finding } = candidate;
    const set = (
      verdict: Verdict,
      code: VerdictReason['code'],
      figures: VerdictReason['figures'] = {},
    ): Selection => ({
      finding,
      verdict,
      reason: { code, figures: { ...figures, ...whatWasLowered(finding), ...whatWasRespelled(finding) } },
    });
    const { minScore, maxResults, maxInjected, budget, extraBudget } = this.#rules;
    const score = figure(finding.result.score);
    if (!candidate.current) return set('failed', 'changed');
    if (finding.expired) return set('expired', 'expired');
    if (finding.result.score < minScore && finding.always === null) {
      const wasEnough = (finding.result.lowered?.was ?? 0) >= minScore;
      const code = wasEnough ? 'marked-wrong' : 'below-minimum';
      return set('below-minimum', code, { score, minimum: minScore });
    }
    const remainder = this.#withoutSent(candidate);
    if ('sent' in remainder) {
      const { turn, id } = remainder.sent;
      return id === finding.result.id
        ? set('in-window', 'in-prompt', { turn })
        : set('similar', 'like-prompt', { similarity: 1, turn, item: id });
    }
    if (finding.onlyAsks) return set('similar', 'only-asks');
    const rest: Selectable = { ...candidate, finding: remainder.finding };
    const same = this.#sameAs(rest);
    if (same) return set('similar', same.code, same.figures);
    const taught = finding.always === 'said' ? undefined : this.#taught.get(finding.result.id);
    if (taught !== undefined) return set('similar', 'taught-fact', { item: taught });
    const answering = this.#taken.filter(({ finding: { always } }) => always === null || always === 'named');
    if (finding.always === null && answering.length >= maxResults) {
      return this.hasEnoughOf(candidate)
        ? set('over-limit', 'note-limit', { limit: PASSAGES_OF_A_NOTE })
        : set('over-limit', 'over-limit', { limit: maxResults });
    }
    if (this.#taken.length >= maxInjected) return set('over-limit', 'over-limit', { limit: maxInjected });
    const tokens = this.#rules.blockTokens([...this.#taken.map((one) => one.finding), rest.finding]);
    if (tokens > budget) {
      const left = budget - this.#tokens;
      return set('over-budget', 'over-budget', { tokens: tokens - this.#tokens, left, budget });
    }
    if (isExtra(candidate, minScore)) {
      const own = tokens - this.#tokens;
      const left = extraBudget - this.#extraTokens;
      if (own > left) return set('over-budget', 'over-share', { tokens: own, left, budget: extraBudget });
      this.#extraTokens += own;
    }
    this.#taken.push(rest);
    this.#tokens = tokens;
    const { code, figures } = whyGiven(finding);
    return { ...set('injected', code, { score, ...figures }), finding: rest.finding };
  }

  /**
   * The finding with the part of its excerpt that the prompt does not hold, or where the prompt holds it: an excerpt is held back
   * if most of its matches stand there, and cut otherwise, so that no stretch stands there twice.
   */
  #withoutSent({ finding, textKey }: Selectable): { finding: Finding } | { sent: SentStretch } {
    const sent = this.#rules.inPrompt.stretches.get(textKey) ?? [];
    const overlapping = sent
      .filter(({ span }) => overlap(span, finding.span) > 0)
      .sort((one, other) => overlap(other.span, finding.span) - overlap(one.span, finding.span));
    const [largest] = overlapping;
    if (!largest) return { finding };
    const cut = cutExcerpt(
      finding,
      overlapping.map(({ span }) => span),
    );
    const weight = (one: Finding) =>
      finding.result.marks.length > 0 ? one.result.marks.length : size(one.span);
    const common = overlapping.reduce((sum, { span }) => sum + overlap(span, finding.span), 0);
    const isEnough =
      cut !== null &&
      size(cut.span) >= LEAST_STRETCH &&
      (common < LEAST_STRETCH || weight(cut) * 2 > weight(finding));
    return isEnough ? { finding: cut } : { sent: largest };
  }

  #sameAs({ finding, textKey }: Selectable): Pick<VerdictReason, 'code' | 'figures'> | null {
    const { inPrompt, similarity, dedupThreshold } = this.#rules;
    const excerpt = finding.text.slice(finding.span.start, finding.span.end);
    const own = { text: excerpt, vector: finding.vector };
    // What stands in the prompt under the same text is compared by its stretches, above.
    const stretches = inPrompt.stretches.get(textKey) ?? [];
    const isOwn = (id: string) => stretches.some((stretch) => stretch.id === id);
    for (const { turn, id, text, vector } of inPrompt.texts) {
      const value = holds(text, excerpt) ? 1 : isOwn(id) ? 0 : similarity(own, { text, vector });
      if (value > dedupThreshold) {
        return { code: 'like-prompt', figures: { similarity: figure(value), turn, item: id } };
      }
    }
    for (const taken of this.#taken) {
      const { span, text, vector } = taken.finding;
      const other = { text: text.slice(span.start, span.end), vector };
      const value = taken.textKey === textKey ? 1 : similarity(own, other);
      if (value > dedupThreshold) {
        return {
          code: 'like-selected',
          figures: { similarity: figure(value), item: taken.finding.result.id },
        };
      }
    }
    return null;
  }
}

/** What is known of an item that was marked as wrong for a similar question, whatever its verdict. */
function whatWasLowered({ result: { lowered } }: Finding): VerdictReason['figures'] {
  return lowered ? { was: figure(lowered.was), alike: figure(lowered.similarity) } : {};
}

function whatWasRespelled({ result: { respelled } }: Finding): VerdictReason['figures'] {
  return respelled ?? {};
}

function whyGiven({
  always,
  namedBy,
  outdatedBy: [newer],
  replaces,
  inFolder,
  beside,
  result,
}: Finding): VerdictReason {
  if (always === 'named' && namedBy !== null) return { code: 'nearly-named', figures: namedBy };
  if (always !== null) return { code: always, figures: {} };
  if (newer !== undefined) return { code: 'outdated', figures: { item: newer } };
  if (replaces !== null) return { code: 'replaces', figures: { item: replaces.turn } };
  if (inFolder !== null)
    return {
      code: 'in-folder',
      figures: { folder: inFolder.folder, placed: figure(inFolder.placedAt) },
    };
  if (beside !== null && figure(beside.placedAt) > figure(result.score))
    return { code: 'beside', figures: { item: beside.turn, placed: figure(beside.placedAt) } };
  return { code: 'relevant', figures: {} };
}

/** Does a text hold a passage, word for word and not within a word? */
function holds(text: string, passage: string): boolean {
  const isLetter = (at: number) => /[\p{L}\p{N}]/u.test(text.charAt(at));
  if (passage === '') return false;
  for (let at = text.indexOf(passage); at >= 0; at = text.indexOf(passage, at + 1)) {
    if (!isLetter(at - 1) && !isLetter(at + passage.length)) return true;
  }
  return false;
}

const figure = (value: number): number => Number(value.toFixed(2));
const size = ({ start, end }: Span): number => end - start;
const overlap = (one: Span, other: Span): number =>
  Math.min(one.end, other.end) - Math.max(one.start, other.start);
