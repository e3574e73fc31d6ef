import type { ItemKind } from '../../shared/contract/retrieval.ts';
import { parseTexts } from '../../shared/json.ts';
import { labelOf, type TurnLabel, toLabel } from './turnLabels.ts';

/** One item of a context block, or of what a tool found, as it was given. */
export interface BlockItem {
  /** Citation number; it names one passage in the whole conversation. */
  number: number;
  kind: ItemKind;
  id: string;
  title: string;
  heading: readonly string[];
  /** A note's path, or the channel of a turn or fact. */
  origin: string;
  /** Of a turn: its place in its conversation, from 1; null of other kinds, and of a turn that is gone. */
  place: number | null;
  /** Of a turn: what stands beside it, as of when it was read; null of other kinds, and of a turn that is gone. */
  label?: TurnLabel | null;
  /** When it was written, milliseconds since 1970. */
  at: number;
  excerpt: string;
  /** Where the excerpt stands in the item's text, in UTF-16 units, end excluded. */
  span: { start: number; end: number };
  /** Hash of the item's whole text; empty if it is not known. */
  textKey: string;
  /** Relevance, 0 to 1. */
  score: number;
  /** It is a section of what was attached to the turn as its first, second, …; absent from what was found. */
  attached?: number;
}

/** A row of a table of quoted items; `holds` tells whether the item is still what it was. */
export interface QuotedColumns {
  ordinal: number;
  kind: ItemKind;
  item_id: string;
  title: string;
  heading: string;
  origin: string;
  at: number;
  excerpt: string;
  span_start: number;
  span_end: number;
  text_key: string;
  score: number;
  place: number | null;
  label: string | null;
  holds: number | null;
}

export const toItem = (row: QuotedColumns): BlockItem => ({
  number: row.ordinal,
  kind: row.kind,
  id: row.item_id,
  title: row.title,
  heading: parseTexts(row.heading),
  origin: row.origin,
  place: row.place,
  label: toLabel(row.label),
  at: row.at,
  excerpt: row.excerpt,
  span: { start: row.span_start, end: row.span_end },
  textKey: row.text_key,
  score: row.score,
});

/** SQL: the `place` and the `label` of the item in the row `i`. A turn keeps its place, so that neither is stored. */
export const TURN_PLACE = `iif(i.kind = 'turn', (SELECT t.ordinal FROM turns t WHERE t.id = i.item_id), NULL) AS place,
  iif(i.kind = 'turn', ${labelOf('i.item_id')}, NULL) AS label`;

/** The columns of what is quoted, in the order of `itemValues`. */
export const ITEM_COLUMNS =
  'ordinal, kind, item_id, title, heading, origin, at, excerpt, span_start, span_end, text_key, score, text_hash';

/** SQL that gives the values of `ITEM_COLUMNS` from the parameters of `itemParams` and `@now`; behind a SELECT, with its FROM. */
export const itemValues = (quotedHash: string): string =>
  `@number, i.kind, i.item_id, @title, @heading, @origin, @at, @excerpt, @start, @end, @textKey, @score, ${quotedHash}
   FROM (SELECT @kind AS kind, @id AS item_id) i`;

export const itemParams = (item: BlockItem) => ({
  number: item.number,
  kind: item.kind,
  id: item.id,
  title: item.title,
  heading: JSON.stringify(item.heading),
  origin: item.origin,
  at: item.at,
  excerpt: item.excerpt,
  start: item.span.start,
  end: item.span.end,
  textKey: item.textKey,
  score: item.score,
});
