import { items } from '../../items/index.ts';
import type { PassageRow } from '../../items/passage.ts';
import type { TurnRow } from '../../items/turn.ts';
import type { Db } from '../../storage/database.ts';
import { splitSentences } from '../../support/text/sentences.ts';
import { countTerms, termStream } from '../../support/text/tokenise.ts';

/** The kinds that pairs are drawn from: what users have most of. */
export type PairKind = 'note' | 'turn';

/**
 * A text that stands for a question, and the item that it was taken out of, which answers it better than others do: an inverse cloze
 * (Lee, Chang and Toutanova, 2019). Plain data.
 */
export interface Pair {
  kind: PairKind;
  id: string;
  question: string;
  /** What is left of the item, as its vector is made. */
  rest: string;
  /** The note or the conversation of the item: others of it may answer as well. */
  group: string;
}

/** A row as search reads it, without the question that was taken out of it. */
export type CutRow = PassageRow | TurnRow;

/** Characters of what stands for a question: shorter texts name nothing, and longer ones are not asked. */
const SHORTEST = 12;
const LONGEST = 200;
/** Terms of a question, and of what is left. */
const LEAST_TERMS = 3;
const LEAST_LEFT = 8;
/** Rows that are looked at for each pair: of some nothing can be taken out. */
const ROWS_PER_PAIR = 3;

/**
 * Draws pairs at random, and the same ones from the same rows: headings and sentences of notes, and messages of turns with what
 * was replied. Both kinds in proportion to their numbers.
 */
export function drawPairs(db: Db, limit: number, now: number): Pair[] {
  const counts = { note: countOf(db, 'note', now), turn: countOf(db, 'turn', now) };
  const all = counts.note + counts.turn;
  return (['note', 'turn'] as const).flatMap((kind) =>
    draw(db, kind, { limit: Math.round((limit * counts[kind]) / Math.max(1, all)), now }),
  );
}

/** How many items there are that pairs are drawn from. */
export function countOf(db: Db, kind: PairKind, now: number): number {
  const { table, inUse } = items[kind];
  return db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table} r WHERE ${inUse('r')}`, { now })?.n ?? 0;
}

function draw(db: Db, kind: PairKind, { limit, now }: { limit: number; now: number }): Pair[] {
  const { table, inUse } = items[kind];
  const rowids = db
    .all<{ rowid: number }>(
      // Hashes are in no order that has to do with what was hashed.
      `SELECT r.rowid FROM ${table} r WHERE ${inUse('r')} ORDER BY r.text_hash, r.id LIMIT @limit`,
      { now, limit: limit * ROWS_PER_PAIR },
    )
    .map((row) => row.rowid);
  const pairs: Pair[] = [];
  for (const row of items[kind].load(db, rowids, now)) {
    if (pairs.length === limit) break;
    const pair = takeOut(db, kind, row, now);
    if (pair) pairs.push(pair);
  }
  return pairs;
}

function takeOut(db: Db, kind: PairKind, row: CutRow, now: number): Pair | null {
  const text = items[kind].embeddable(db, row.id, now)?.text ?? '';
  const candidates = splitSentences(text).filter(({ start, end }) => {
    const question = text.slice(start, end).trim();
    return (
      question.length >= SHORTEST &&
      question.length <= LONGEST &&
      countTerms(termStream(question)) >= LEAST_TERMS
    );
  });
  // Row ids differ from one another as much as chance does.
  const picked = candidates[row.rowid % Math.max(1, candidates.length)];
  if (!picked) return null;
  // A heading leaves its line.
  const gap = text.slice(picked.start, picked.end).endsWith('\n') ? '\n' : ' ';
  const rest = text.slice(0, picked.start) + gap + text.slice(picked.end);
  if (countTerms(termStream(rest)) < LEAST_LEFT) return null;
  const group = 'noteId' in row ? row.noteId : row.conversationId;
  return { kind, id: row.id, question: text.slice(picked.start, picked.end).trim(), rest, group };
}

/** A row without the terms of the question that was taken out of it. */
export function cutRow<T extends CutRow>(row: T, { rest }: Pick<Pair, 'rest'>): T {
  // The text of a passage begins with its headings, which are a field of their own.
  const [heading, body] = 'noteId' in row ? splitAt(rest, rest.indexOf('\n')) : ['', rest];
  const terms = termStream(body);
  const fields = { ...row.fields, body: terms, ...('noteId' in row ? { heading: termStream(heading) } : {}) };
  const removed = countTerms(row.fields.body ?? '') - countTerms(terms);
  return { ...row, fields, termCount: Math.max(1, row.termCount - removed) };
}

const splitAt = (text: string, at: number): [string, string] =>
  at < 0 ? ['', text] : [text.slice(0, at), text.slice(at + 1)];
