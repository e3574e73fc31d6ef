import type { ChunkMatch, FullText, TextIndex, TextMatch, TurnMatch } from '../storage/fullText.ts';
import { relevance } from './calibration.ts';
import type { Question } from './question.ts';
import { idf, scoreText, type TextScore, type WeightedTerm } from './textScore.ts';

export interface Scored<T> {
  row: T;
  text: TextScore;
  /** Relevance, 0 to 1. */
  score: number;
}

/** Small indexes are searched by every term: pruning saves nothing there. */
const SMALL_INDEX_ROWS = 2_000;
/**
 * In larger ones, by the rarest terms only: full scoring of what six terms return costs at most 0.001 of recall, and
 * common words would make FTS5 score most of the index.
 */
const RAREST = 6;
const AT_LEAST = 3;
const COMMON_SHARE = 0.1;
/** Rows that FTS5 hands over to exact scoring, for each candidate wanted. */
const RESCORED_PER_CANDIDATE = 6;

/**
 * Every index is taken for part of a larger one that holds none of the question's words. Without it a word that a small
 * vault lacks would weigh several times what one weighs that it holds, and nothing there would seem relevant.
 */
const BACKGROUND_ROWS = 500;

/** A turn's title is its conversation's, the same for all of its turns: it tells little. */
const TURN_FIELD_WEIGHTS = { title: 0.5 };

/**
 * Full-text candidates: FTS5 finds rows by the rarest terms, BM25F with every term and field orders them. idf is taken
 * over passages and turns together, so that their scores compare.
 */
export function createTextSource(fullText: FullText) {
  const weigh = (question: Question): WeightedTerm[] => {
    const rows = fullText.statistics('chunk').rows + fullText.statistics('turn').rows;
    const terms: WeightedTerm[] = [];
    for (const [term, weight] of question.weights) {
      const frequency = fullText.documentFrequency('chunk', term) + fullText.documentFrequency('turn', term);
      // A function word of a language in which nothing is written here is not something that was asked for.
      if (frequency === 0 && weight < 0.5) continue;
      terms.push({ term, weight, idf: idf(BACKGROUND_ROWS + Math.max(rows, frequency), frequency) });
    }
    return terms;
  };

  const searchTerms = (index: TextIndex, terms: readonly WeightedTerm[]): string[] => {
    const { rows } = fullText.statistics(index);
    const known = terms
      .map(({ term, weight }) => ({ term, weight, frequency: fullText.documentFrequency(index, term) }))
      .filter(({ frequency }) => frequency > 0);
    if (rows <= SMALL_INDEX_ROWS) {
      const content = known.filter(({ weight }) => weight >= 0.5);
      return (content.length > 0 ? content : known).map(({ term }) => term);
    }
    known.sort((one, other) => one.frequency - other.frequency || (one.term < other.term ? -1 : 1));
    return known
      .filter(
        ({ frequency }, place) => place < AT_LEAST || (place < RAREST && frequency <= rows * COMMON_SHARE),
      )
      .map(({ term }) => term);
  };

  const search = <T extends TextMatch & { id: string }>(
    index: TextIndex,
    terms: readonly WeightedTerm[],
    limit: number,
    load: (rowids: readonly number[]) => T[],
  ): Scored<T>[] => {
    const rowids = fullText.match(index, searchTerms(index, terms), limit * RESCORED_PER_CANDIDATE);
    const corpus = {
      averageTerms: fullText.statistics(index).averageTerms,
      ...(index === 'turn' ? { fieldWeights: TURN_FIELD_WEIGHTS } : {}),
    };
    return load(rowids)
      .map((row) => {
        const text = scoreText(row, terms, corpus);
        return { row, text, score: relevance(text) };
      })
      .sort((one, other) => other.text.bm25 - one.text.bm25 || (one.row.id < other.row.id ? -1 : 1))
      .slice(0, limit);
  };

  return {
    notes: (question: Question, limit: number): Scored<ChunkMatch>[] =>
      search('chunk', weigh(question), limit, fullText.chunks),
    turns: (question: Question, limit: number): Scored<TurnMatch>[] =>
      search('turn', weigh(question), limit, fullText.turns),
  };
}
