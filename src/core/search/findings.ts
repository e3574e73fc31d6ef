import type { SkippedSource } from '../../shared/contract/reasons.ts';
import type { Retrieval, SearchResult, SearchScope } from '../../shared/contract/retrieval.ts';
import type { TurnId } from '../../shared/ids.ts';

/** A stretch of a text, in UTF-16 units, end excluded. */
export interface Span {
  start: number;
  end: number;
}

/** An item that a retrieval found, not judged yet. Plain data: it crosses a thread as it is. */
export interface Finding {
  /** The item with its excerpt, as panes show it. */
  result: SearchResult;
  /** The whole item as plain text. */
  text: string;
  /** Where the excerpt stands in `text`. */
  span: Span;
  /** The item's stored vector, unit length; null if it has none yet. */
  vector: Float32Array | null;
  /** Why it is given whatever its score; null if it has to reach the minimum. */
  always: 'identity' | 'pinned' | 'named' | null;
  /** A fact that has expired. */
  expired: boolean;
  /** The turn that taught a fact. */
  originTurn: TurnId | null;
  /** A turn that only asks, and tells nothing. */
  onlyAsks: boolean;
}

/** What a retrieval found, best first. */
export interface Findings {
  items: Finding[];
  skipped: SkippedSource[];
  timingsMs: Pick<Retrieval['timingsMs'], 'embed' | 'search' | 'excerpts'>;
  scope: SearchScope;
}
