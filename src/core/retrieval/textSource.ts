import type { Lexicon } from '../models/lexicon.ts';
import { dot, type WordVectors } from '../models/wordVectors.ts';
import type {
  ChunkMatch,
  FactMatch,
  FullText,
  TextIndex,
  TextMatch,
  TurnMatch,
} from '../storage/fullText.ts';
import { relevance } from './calibration.ts';
import { createMaxSim } from './maxSim.ts';
import type { Question } from './question.ts';
import { idf, scoreText, type TextScore, type WeightedTerm } from './textScore.ts';

export interface Evidence extends TextScore {
  /** How much of the question the passage says word by word, by meaning (MaxSim): 0 to 1. */
  meaning: number;
  /** Cosine of question and passage as wholes. */
  cosine: number;
}

export interface Scored<T> {
  row: T;
  evidence: Evidence;
  /** Orders candidates of one question. */
  fused: number;
  /** Relevance, 0 to 1. */
  score: number;
}

/** What ranking uses beside the words themselves; without it, text alone decides. */
export interface Meaning {
  lexicon: Lexicon;
  vectors: WordVectors;
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
/** Of a term's forms, itself and its strongest translations find rows; all of them score what is found. */
const SEARCHED_FORMS = 3;
/** Rows that FTS5 hands over to exact scoring, for each candidate wanted. */
const RESCORED_PER_CANDIDATE = 5;
/** Of these, how many for each candidate wanted are looked at by meaning too, which costs most. */
const UNDERSTOOD_PER_CANDIDATE = 3;

/**
 * Every index is taken for part of a larger one that holds none of the question's words. Without it a word that a small
 * vault lacks would weigh several times what one weighs that it holds, and nothing there would seem relevant.
 */
const BACKGROUND_ROWS = 500;

const INDEXES: readonly TextIndex[] = ['chunk', 'turn', 'fact'];

/** A turn's title is its conversation's, the same for all of its turns: it tells little. */
const TURN_FIELD_WEIGHTS = { title: 0.5 };

/** What meaning adds to text, beside a saturation of 1; measured on halves (docs/decisions/0005-meaning.md). */
const MAX_SIM_SHARE = 0.3;
const COSINE_SHARE = 0.15;

/**
 * Full-text candidates: FTS5 finds rows by the rarest terms, BM25F with every term and field orders them. idf is taken
 * over passages and turns together, so that their scores compare.
 */
export function createTextSource(fullText: FullText, meaning: Meaning | null) {
  const weighed = new WeakMap<Question, WeightedTerm[]>();
  /** A question's terms as the index stands; every source of one question shares them. */
  const weigh = (question: Question): WeightedTerm[] => {
    const known = weighed.get(question);
    if (known) return known;
    const rows = INDEXES.reduce((sum, index) => sum + fullText.statistics(index).rows, 0);
    const terms: WeightedTerm[] = [];
    const frequencyOf = (term: string) =>
      INDEXES.reduce((sum, index) => sum + fullText.documentFrequency(index, term), 0);
    for (const [term, weight] of question.weights) {
      const translations = weight < 0.5 ? [] : (meaning?.lexicon.translations(term) ?? []);
      const forms = [[term, 1] as const, ...translations.filter(([other]) => frequencyOf(other) > 0)];
      // As rare as the form that is most often there, by how much it counts.
      const frequency = Math.max(...forms.map(([form, share]) => share * frequencyOf(form)));
      // A function word of a language in which nothing is written here is not something that was asked for.
      if (frequency === 0 && weight < 0.5) continue;
      terms.push({ term, weight, forms, idf: idf(BACKGROUND_ROWS + Math.max(rows, frequency), frequency) });
    }
    weighed.set(question, terms);
    return terms;
  };

  const searchTerms = (index: TextIndex, terms: readonly WeightedTerm[]): string[] => {
    const { rows } = fullText.statistics(index);
    const known = terms
      .map(({ weight, forms, term }) => ({
        term,
        weight,
        forms: forms
          .map(([form]) => form)
          .filter((form) => fullText.documentFrequency(index, form) > 0)
          .slice(0, SEARCHED_FORMS),
        frequency: Math.max(...forms.map(([form, share]) => share * fullText.documentFrequency(index, form))),
      }))
      .filter(({ frequency }) => frequency > 0);
    if (rows <= SMALL_INDEX_ROWS) {
      const content = known.filter(({ weight }) => weight >= 0.5);
      return unique((content.length > 0 ? content : known).flatMap(({ forms }) => forms));
    }
    known.sort((one, other) => one.frequency - other.frequency || (one.term < other.term ? -1 : 1));
    const rarest = known.filter(
      ({ frequency }, place) => place < AT_LEAST || (place < RAREST && frequency <= rows * COMMON_SHARE),
    );
    return unique(rarest.flatMap(({ forms }) => forms));
  };

  /** What meaning says of a row, for one question. */
  const understand = (
    terms: readonly WeightedTerm[],
  ): ((row: TextMatch) => Pick<Evidence, 'meaning' | 'cosine'>) => {
    const { vectors } = meaning ?? {};
    if (!vectors) return () => ({ meaning: 0, cosine: 0 });
    const maxSim = createMaxSim(vectors, terms);
    const asked = vectors.text(terms.map(({ term }) => term));
    return (row) => ({
      meaning: maxSim(Object.values(row.fields)),
      cosine: Math.max(0, dot(asked, vectors.text(row.fields.body?.split(' ') ?? []))),
    });
  };

  const search = <T extends TextMatch & { id: string }>(
    index: TextIndex,
    terms: readonly WeightedTerm[],
    limit: number,
    load: (rowids: readonly number[]) => T[],
    always: readonly number[] = [],
  ): Scored<T>[] => {
    const matched = fullText.match(index, searchTerms(index, terms), limit * RESCORED_PER_CANDIDATE);
    const wanted = new Set(always);
    const rowids = [...new Set([...always, ...matched])];
    const corpus = {
      averageTerms: fullText.statistics(index).averageTerms,
      ...(index === 'turn' ? { fieldWeights: TURN_FIELD_WEIGHTS } : {}),
    };
    const understood = understand(terms);
    return load(rowids)
      .map((row) => ({ row, text: scoreText(row, terms, corpus) }))
      .sort(
        (one, other) => other.text.saturation - one.text.saturation || (one.row.id < other.row.id ? -1 : 1),
      )
      .filter(({ row }, place) => place < limit * UNDERSTOOD_PER_CANDIDATE || wanted.has(row.rowid))
      .map(({ row, text }) => {
        const evidence: Evidence = { ...text, ...understood(row) };
        const fused = evidence.saturation + MAX_SIM_SHARE * evidence.meaning + COSINE_SHARE * evidence.cosine;
        return { row, evidence, fused, score: relevance(fused) };
      })
      .sort((one, other) => other.fused - one.fused || (one.row.id < other.row.id ? -1 : 1))
      .filter(({ row }, place) => place < limit || wanted.has(row.rowid));
  };

  return {
    notes: (question: Question, limit: number): Scored<ChunkMatch>[] =>
      search('chunk', weigh(question), limit, fullText.chunks),
    turns: (question: Question, limit: number): Scored<TurnMatch>[] =>
      search('turn', weigh(question), limit, fullText.turns),
    /** Facts that match, and those of `always`, whether they do or not. */
    facts: (question: Question, limit: number, always: readonly number[]): Scored<FactMatch>[] =>
      search('fact', weigh(question), limit, fullText.facts, always),
  };
}

const unique = (terms: readonly string[]): string[] => [...new Set(terms)];
