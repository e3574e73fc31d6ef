import type { Similarity, SimilarityScale } from '../embedding/similarity.ts';
import type { VectorMatrices } from '../embedding/vectorMatrix.ts';
import { dot, type WordVectors } from '../embedding/wordVectors.ts';
import { KINDS, type Kind, type RowOf } from '../items/index.ts';
import type { ItemRow } from '../items/item.ts';
import { tokenise } from '../support/text/tokenise.ts';
import { relevance } from './calibration.ts';
import type { FullText } from './fullText.ts';
import type { Lexicon } from './lexicon.ts';
import { createMaxSim } from './maxSim.ts';
import type { NameStore } from './names.ts';
import type { Question } from './question.ts';
import { idf, scoreText, type TextScore, type WeightedTerm } from './textScore.ts';
import type { TimeRange } from './timeRange.ts';

export interface Evidence extends TextScore {
  /** How much of the question the passage says word by word, by meaning (MaxSim): 0 to 1. */
  meaning: number;
  /** Closeness of question and passage as wholes, from 0 (no closer than unrelated texts may be by chance) to 1. */
  closeness: number;
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

/** The question's own vector, and where its neighbours are looked for. */
export interface Asked {
  vector: Float32Array;
  vectors: VectorMatrices;
  scale: SimilarityScale;
  similarity: Similarity;
  /** Does the embedder read words in their context? Then it tells more than sums of words do. */
  contextual: boolean;
}

/** What raises a row whatever it says; not every kind has it. */
type Prior = ItemRow & { createdAt?: number; backlinks?: number };

/** Some rows of an index, by both of their keys. */
export interface Rows {
  rowids: ReadonlySet<number>;
  ids: ReadonlySet<string>;
}

/** What a search of one index may be told beside the question. */
export interface SearchOptions {
  limit: number;
  /** Milliseconds since 1970: decides which rows are in use. */
  now: number;
  asked: Asked | null;
  /** Row ids that are candidates whatever the question says; they do not count against the limit. */
  always?: readonly number[];
  /** Only these rows. */
  within?: Rows | null;
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
/** Of these, how many for each candidate wanted are looked at word by word, which costs most. */
const UNDERSTOOD_PER_CANDIDATE = 2;

/**
 * Every index is taken for part of a larger one that holds none of the question's words. Without it a word that a small
 * vault lacks would weigh several times what one weighs that it holds, and nothing there would seem relevant.
 */
const BACKGROUND_ROWS = 500;

/** What is less alike than this is nearest only because nothing is near. Of unrelated sentences one in a hundred passes. */
const LEAST_SIMILARITY = 0.35;

/** A turn's title is its conversation's, the same for all of its turns: it tells little. */
const TURN_FIELD_WEIGHTS = { title: 0.5 };

/** What meaning adds to text, beside a saturation of 1; measured on halves (docs/decisions/0005-meaning.md). */
const MAX_SIM_SHARE = 0.25;
const CLOSENESS_SHARE = 0.15;
/** Of an embedder that reads words in context. Set by hand: no such model can be had where this is developed. */
const CONTEXTUAL_SHARE = 0.5;
/**
 * Notes that others link to are what a vault turns around: of two that say as much, the one to show (the prior of in-links:
 * Kraaij, Westerveld and Hiemstra, 2002). It decides between near equals only.
 */
const BACKLINK_SHARE = 0.08;
/** So many backlinks count in full. */
const MANY_BACKLINKS = 20;
/** A function word is in so large a share of the rows of its language, at least. */
const FUNCTION_WORD_ROWS = 0.2;
/** What it is worth that something happened when the question says. */
const TIME_SHARE = 0.15;

/**
 * Full-text candidates: FTS5 finds rows by the rarest terms, BM25F with every term and field orders them. idf is taken
 * over passages and turns together, so that their scores compare.
 */
export function createCandidateSource(
  fullText: FullText,
  meaning: Meaning | null,
  otherNames: NameStore['others'] = () => [],
) {
  const weighed = new WeakMap<Question, WeightedTerm[]>();
  /** A question's terms as the index stands; every source of one question shares them. */
  const weigh = (question: Question, now: number): WeightedTerm[] => {
    const known = weighed.get(question);
    if (known) return known;
    const rows = KINDS.reduce((sum, kind) => sum + fullText.statistics(kind).rows, 0);
    const terms: WeightedTerm[] = [];
    const called = meaning
      ? readOtherNames(question, (names) => otherNames(names, now))
      : new Map<string, Form[]>();
    const frequencyOf = (term: string) =>
      KINDS.reduce((sum, kind) => sum + fullText.documentFrequency(kind, term), 0);
    for (const [term, weight] of question.weights) {
      const translations = weight < 0.5 ? [] : (meaning?.lexicon.translations(term) ?? []);
      const forms = [
        [term, 1] as const,
        ...(called.get(term) ?? []),
        ...translations.filter(([other]) => frequencyOf(other) > 0),
      ];
      // As rare as the form that is most often there, by how much it counts.
      const frequency = Math.max(...forms.map(([form, share]) => share * frequencyOf(form)));
      // A function word of a language in which nothing is written here is not something that was asked for.
      if (frequency === 0 && weight < 0.5) continue;
      const all = Math.max(BACKGROUND_ROWS, rows, frequency);
      // …nor is it rare for that: French function words are seldom in English notes, and tell no more there.
      const common = weight < 0.5 ? Math.max(frequency, all * FUNCTION_WORD_ROWS) : frequency;
      terms.push({ term, weight, forms, idf: idf(all, common) });
    }
    weighed.set(question, terms);
    return terms;
  };

  const searchTerms = (kind: Kind, terms: readonly WeightedTerm[]): string[] => {
    const { rows } = fullText.statistics(kind);
    // Function words find rows only where the question has nothing else, in this index or not.
    const matters = terms.some(({ weight }) => weight >= 0.5);
    const known = terms
      .map(({ weight, forms, term }) => ({
        term,
        weight,
        forms: forms
          .map(([form]) => form)
          .filter((form) => fullText.documentFrequency(kind, form) > 0)
          .slice(0, SEARCHED_FORMS),
        frequency: Math.max(...forms.map(([form, share]) => share * fullText.documentFrequency(kind, form))),
      }))
      .filter(({ frequency, weight }) => frequency > 0 && (weight >= 0.5 || !matters));
    if (rows <= SMALL_INDEX_ROWS) return unique(known.flatMap(({ forms }) => forms));
    known.sort((one, other) => one.frequency - other.frequency || (one.term < other.term ? -1 : 1));
    const rarest = known.filter(
      ({ frequency }, place) => place < AT_LEAST || (place < RAREST && frequency <= rows * COMMON_SHARE),
    );
    return unique(rarest.flatMap(({ forms }) => forms));
  };

  /** How close a row is to the question as a whole, from 0 (no closer than unrelated texts may be by chance) to 1. */
  const closenessOf = (kind: Kind, id: string, asked: Asked | null): number => {
    const vector = asked?.vectors.vector(kind, id);
    if (!asked || !vector) return 0;
    const { chance } = asked.scale;
    return Math.max(0, (dot(asked.vector, vector) - chance) / (1 - chance));
  };

  /** Row ids of the nearest by meaning, as many as wanted among those that are let pass and are at least so much alike. */
  const nearest = (
    kind: Kind,
    { asked, limit, within }: SearchOptions,
    leastSimilarity: number,
  ): number[] => {
    if (!asked) return [];
    const accept = within ? (id: string) => within.ids.has(id) : undefined;
    const found = asked.vectors
      .nearest(kind, asked.vector, { limit, accept })
      .filter(({ cosine }) => asked.similarity(cosine) >= leastSimilarity);
    return fullText.rowids(
      kind,
      found.map(({ id }) => id),
    );
  };

  const search = <K extends Kind>(
    kind: K,
    question: Question,
    options: SearchOptions,
  ): Scored<RowOf<K>>[] => {
    const { limit, now, asked, always = [], within = null } = options;
    const terms = weigh(question, now);
    const matched = fullText.match(kind, searchTerms(kind, terms), {
      limit: limit * RESCORED_PER_CANDIDATE,
      within: within?.rowids ?? null,
    });
    const forced = new Set(always);
    const wanted = new Set([...always, ...nearest(kind, options, LEAST_SIMILARITY)]);
    const rowids = [...new Set([...wanted, ...matched])];
    const corpus = {
      averageTerms: fullText.statistics(kind).averageTerms,
      ...(kind === 'turn' ? { fieldWeights: TURN_FIELD_WEIGHTS } : {}),
    };
    // A message that asks two things is answered by what answers one of them.
    const asks = [terms, ...question.parts.map((part) => weigh(part, now))].map((some) => ({
      terms: some,
      meaningOf: meaning ? createMaxSim(meaning.vectors, some) : () => 0,
    }));
    const closenessShare = asked?.contextual ? CONTEXTUAL_SHARE : CLOSENESS_SHARE;
    const read = fullText
      .load(kind, rowids, now)
      .map((row) => {
        const { createdAt, backlinks = 0 }: Prior = row;
        const texts = asks.map((ask) => scoreText(row, ask.terms, corpus));
        const closeness = closenessOf(kind, row.id, asked);
        const fixed =
          closenessShare * closeness +
          (happened(createdAt, question.range) ? TIME_SHARE : 0) +
          (meaning ? BACKLINK_SHARE * popularity(backlinks) : 0);
        return {
          row,
          texts,
          closeness,
          fixed,
          sum: fixed + Math.max(...texts.map((text) => text.saturation)),
        };
      })
      .sort((one, other) => other.sum - one.sum || (one.row.id < other.row.id ? -1 : 1));
    const ranked: Scored<RowOf<K>>[] = [];
    // Fused scores of the best so far, descending: what cannot come among them with full meaning is not looked at closer.
    const best: number[] = [];
    for (const [place, { row, texts, closeness, fixed, sum }] of read.entries()) {
      const lowest = best.length < limit ? Number.NEGATIVE_INFINITY : (best.at(-1) as number);
      const hasNoChance = place >= limit * UNDERSTOOD_PER_CANDIDATE || sum + MAX_SIM_SHARE < lowest;
      if (hasNoChance && !forced.has(row.rowid)) continue;
      const streams = Object.values(row.fields);
      const [evidence, fused] = asks
        .map(({ meaningOf }, ask): [Evidence, number] => {
          const text = texts[ask] as TextScore;
          const meaning = meaningOf(streams);
          return [{ ...text, meaning, closeness }, text.saturation + MAX_SIM_SHARE * meaning + fixed];
        })
        .sort((one, other) => other[1] - one[1])[0] as [Evidence, number];
      ranked.push({ row, evidence, fused, score: relevance(fused) });
      const above = best.findIndex((other) => other < fused);
      best.splice(above < 0 ? best.length : above, 0, fused);
      if (best.length > limit) best.pop();
    }
    return ranked
      .sort((one, other) => other.fused - one.fused || (one.row.id < other.row.id ? -1 : 1))
      .filter(({ row }, place) => place < limit || forced.has(row.rowid));
  };

  /** By meaning alone: the nearest, scored by how alike they are. */
  const alike = <K extends Kind>(kind: K, _: Question, options: SearchOptions): Scored<RowOf<K>>[] => {
    const { asked, now } = options;
    if (!asked) return [];
    return fullText
      .load(kind, nearest(kind, options, 0), now)
      .map((row) => {
        const vector = asked.vectors.vector(kind, row.id);
        const cosine = vector ? dot(asked.vector, vector) : 0;
        const evidence: Evidence = { bm25: 0, saturation: 0, meaning: 0, closeness: cosine };
        return { row, evidence, fused: cosine, score: asked.similarity(cosine) };
      })
      .sort((one, other) => other.fused - one.fused || (one.row.id < other.row.id ? -1 : 1));
  };

  return { search, alike: { search: alike } };
}

type Form = readonly [string, number];
/** Another name of what a question names counts nearly as the name itself. */
const OTHER_NAME_SHARE = 0.8;
const MOST_OTHER_NAMES = 6;

/** "dev" is Mickael: for the words of each name in the question, the words of the other names of the same thing. */
function readOtherNames(
  question: Question,
  otherNames: (names: readonly string[]) => ReturnType<NameStore['others']>,
): Map<string, Form[]> {
  const called = new Map<string, Form[]>();
  const byName = Map.groupBy(otherNames(question.names), ({ name }) => name);
  for (const [name, others] of byName) {
    // What shares its name with a crowd ("index") is no other name of anything.
    if (others.length > MOST_OTHER_NAMES) continue;
    const forms = others.flatMap(({ other }) =>
      tokenise(other).map(({ term }): Form => [term, OTHER_NAME_SHARE]),
    );
    for (const { term } of tokenise(name)) {
      if ((question.weights.get(term) ?? 0) >= 0.5) called.set(term, [...(called.get(term) ?? []), ...forms]);
    }
  }
  return called;
}

function popularity(backlinks: number): number {
  return Math.min(1, Math.log1p(backlinks) / Math.log1p(MANY_BACKLINKS));
}

function happened(at: number | undefined, range: TimeRange | null): boolean {
  return range !== null && at !== undefined && at >= range.from && at < range.to;
}

const unique = (terms: readonly string[]): string[] => [...new Set(terms)];
