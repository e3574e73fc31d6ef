import type { SkippedSource, SkipReason } from '../../shared/contract/reasons.ts';
import {
  type ItemKind,
  type Retrieval,
  SearchedSource,
  type SearchResult,
  type SearchScope,
} from '../../shared/contract/retrieval.ts';
import type { ErrorTrace } from '../../shared/errorTrace.ts';
import type { TurnId } from '../../shared/ids.ts';
import type { SimilarityScale } from '../embedding/similarity.ts';
import type { TurnLabel } from '../storage/turnLabels.ts';
import type { PartFailure } from './skipped.ts';

/** A stretch of a text, in UTF-16 units, end excluded. */
export interface Span {
  start: number;
  end: number;
}

/** An item, by its kind and id. */
export interface ItemRef {
  kind: ItemKind;
  id: string;
}

/** Why an item is given whatever its score: codes of `VerdictReason`. */
export type Always = 'identity' | 'pinned' | 'important' | 'tagged' | 'named' | 'said' | 'about-user';

/** An item that a retrieval found, not judged yet. Plain data: it crosses a thread as it is. */
export interface Finding {
  /** The item with its excerpt, as panes show it. */
  result: SearchResult;
  /** The whole item as plain text. */
  text: string;
  /** Of a turn: what stands beside it where it is quoted. */
  label?: TurnLabel | undefined;
  /** Hash of what a block would quote of the item; another one later means that it was edited. */
  quotedHash: string;
  /** Where the excerpt stands in `text`. */
  span: Span;
  /** The item's stored vector, unit length; null if it has none yet. */
  vector: Float32Array | null;
  /** Why it is given whatever its score; null if it has to reach the minimum. */
  always: Always | null;
  /** A fact that has expired. */
  expired: boolean;
  /** The turn that taught a fact. */
  originTurn: TurnId | null;
  /** A turn that only asks, and tells nothing. */
  onlyAsks: boolean;
  /** Of a turn that taught what is no longer true: the facts that are true instead, and the turns that taught those. */
  outdatedBy: readonly string[];
  /** The words that name a note inexactly, and its title; null if the message does not name it, or by its name. */
  namedBy: { words: string; title: string } | null;
  /** A folder of the conversation that the item lies in, and the score that it is placed by; null if it lies in none. */
  inFolder: { folder: string; placedAt: number } | null;
  /** Of a turn that gains by one beside it: that turn, and the score that it is placed by; null if it gains nothing. */
  beside: { turn: TurnId; placedAt: number } | null;
  /**
   * The turn that led to a fact, since it taught what the fact superseded: the fact has the score of that turn. `ownScore` is the one
   * that it has by itself, 0 if it was not found. Null if nothing but its own words led to it.
   */
  replaces: { turn: TurnId; ownScore: number } | null;
}

/** What a retrieval found, best first. */
export interface Findings {
  items: Finding[];
  /** Stored vectors of the items that the request named, in its order; null if an item has none. */
  vectors: (Float32Array | null)[];
  /** What the cosines of all these vectors mean; null if no index answers. */
  scale: SimilarityScale | null;
  /** Fingerprint of the index whose vectors were searched; null if none was. */
  fingerprint: string | null;
  /** Was the question read with the words of the one before it? */
  followsUp: boolean;
  skipped: SkippedSource[];
  timingsMs: Pick<Retrieval['timingsMs'], 'embed' | 'search' | 'excerpts'>;
  scope: SearchScope;
}

/** The sources of candidates, in the order in which they are asked. */
export const SOURCE_NAMES = SearchedSource.options;
export type SourceName = SearchedSource;

/** What one source found, or why it found nothing. Plain data. */
export type SourceFindings = {
  source: SourceName;
  /** What it was searched without. */
  failed: readonly PartFailure[];
} & (
  | { items: RankedFinding[]; timingsMs: Pick<Retrieval['timingsMs'], 'search' | 'excerpts'> }
  | { reason: SkipReason; error: ErrorTrace | null }
);

/** A finding with the unrounded scores that order it among those of other sources. */
export interface RankedFinding {
  finding: Finding;
  score: number;
  fused: number;
}

/**
 * Best first; ties by id, so that two runs agree. What was said stands before notes and facts about the same matter: a question about
 * the talk asks for it.
 */
export function byScore(one: RankedFinding, other: RankedFinding): number {
  return (
    Number(other.finding.always === 'said') - Number(one.finding.always === 'said') ||
    other.score - one.score ||
    other.fused - one.fused ||
    (one.finding.result.id < other.finding.result.id ? -1 : 1)
  );
}
