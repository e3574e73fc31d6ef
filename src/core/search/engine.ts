import { DEFAULT_CHANNEL } from '../../shared/channels.ts';
import type { SkipReason } from '../../shared/contract/reasons.ts';
import type { SearchFilter, SearchMode, SearchResult, SearchScope } from '../../shared/contract/retrieval.ts';
import { traceOf } from '../../shared/errorTrace.ts';
import type { ConversationId, NoteId, TurnId } from '../../shared/ids.ts';
import { quotedPhrases } from '../../shared/quoted.ts';
import type { Settings } from '../../shared/settings.ts';
import { type SimilarityScale, similarityOn } from '../embedding/similarity.ts';
import type { MirroredIndex, VectorSpace } from '../embedding/vectorMirror.ts';
import { isKind, items, type Kind } from '../items/index.ts';
import { cutToSpeech, type Speech, speechOf } from '../items/speech.ts';
import { type ConversationStore, createConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { FactStore } from '../storage/facts.ts';
import { NoteStore } from '../storage/notes/noteStore.ts';
import { monotonicMs } from '../support/clock.ts';
import { termStream } from '../support/text/tokenise.ts';
import {
  type MarkTask,
  type MeasuredPair,
  PairMeter,
  type PairScores,
  type PairTask,
} from './calibration/pairMeter.ts';
import type { SpaceCalibration } from './calibration/spaceCalibration.ts';
import { beginning, makeExcerpt } from './excerpt.ts';
import {
  type Finding,
  type ItemRef,
  type RankedFinding,
  SOURCE_NAMES,
  type SourceFindings,
  type SourceName,
} from './findings.ts';
import { FolderNotes } from './folderNotes.ts';
import { Ranker, type WordModels } from './fusion/ranker.ts';
import type { Shares } from './fusion/shares.ts';
import { FullText, type Place } from './lexical/fullText.ts';
import type { LoadedNames } from './lexical/loadedNames.ts';
import { NoteNames } from './lexical/names.ts';
import type { TermIndex } from './lexical/termIndex.ts';
import { inBoth, kindsOf, Narrowing, type RowFilter } from './narrowing.ts';
import { byFoundScore, readFound, Spelling, shownScore, toResult } from './present.ts';
import { type Question, readQuestion } from './query/question.ts';
import { asTyped } from './query/unfinished.ts';
import { Late, type PartFailure, skipReason } from './skipped.ts';
import {
  type Found,
  findAttached,
  findFacts,
  findNotes,
  findSummaries,
  findTurns,
  type SourceParts,
  type SourceRequest,
  type SourceSettings,
} from './sources.ts';
import type { EmbeddedQuestion } from './vector/embedQuestion.ts';
import { type OtherVectors, otherQuery } from './vector/otherVectors.ts';
import { type QueryVector, type RowSet, rowSetOf } from './vector/queryVector.ts';
import { loadWordModels } from './wordModels.ts';

/** What is to be found for a question. Plain data. */
export interface FindTask {
  text: string;
  /** What was asked right before in the same conversation, the latest first. */
  before?: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  now: number;
  settings: SourceSettings & Pick<Settings, 'scope'>;
  /** Candidates of each source. */
  limit: number;
  conversationId: ConversationId | undefined;
  /** Of a conversation that does not exist yet. */
  channel?: string | undefined;
  /** The turn that is being answered: it is not a memory of itself. */
  exceptTurn: TurnId | undefined;
  /** Items whose stored vectors are asked for. */
  vectorsOf: readonly ItemRef[];
  /** Null if the vectors are late, failed, or not there yet. */
  query: EmbeddedQuestion | null;
  /** What another embedder makes of the question and of what may be found, in place of the index. */
  other?: OtherVectors | null | undefined;
  /** Searches by words alone. */
  onlyWords?: boolean | undefined;
  /** What scores less is not given, and has only its beginning as an excerpt; 0 by default. */
  minScore?: number | undefined;
  /** The sources that are asked, in this order. */
  sources: readonly SourceName[];
  /** Finds only what passes. */
  filter?: RowFilter | undefined;
  /** Sources that would start after it are left out; null waits for all. Times as `monotonicMs` tells them. */
  deadline: { startedAt: number; limitMs: number } | null;
}

/** What a search pane asks. Plain data. */
export interface SearchTask {
  text: string;
  now: number;
  mode: SearchMode;
  filter: SearchFilter;
  limit: number;
  query: EmbeddedQuestion | null;
  /** The text is still being typed: its last word may be the beginning of another. */
  typing?: boolean | undefined;
}

/** The items of a kind that are nearest to one of them. Plain data. */
export interface NearestTask {
  kind: Kind;
  id: string;
  limit: number;
}

/** What is being typed of the name of a note. Plain data. */
export interface LikeTask {
  text: string;
  limit: number;
}

/** An item, and how alike it is, from 0 to 1. */
export interface NearItem {
  id: string;
  similarity: number;
}

/** What the answer of every source is judged by. Plain data. */
export interface FindContext {
  /** Of the items that the task named, in its order; null if an item has none. */
  vectors: (Float32Array | null)[];
  /** Null if no index answers. */
  scale: SimilarityScale | null;
  /** The index whose vectors were searched. */
  fingerprint: string | null;
  scope: Omit<SearchScope, 'indexing'>;
  /** Was the question read with the words of the one before it? */
  followsUp: boolean;
}

export interface EngineParts {
  db: Db;
  fullText: FullText;
  names: NoteNames;
  notes: NoteStore;
  conversations: ConversationStore;
  facts: FactStore;
  models: WordModels;
  /** The measured ones by default. */
  shares?: Shares | undefined;
  /** The vectors that are searched; null if no index answers. */
  index(): MirroredIndex | null;
}

/** Characters of a passage that a turn is given. */
const CONTEXT_CHARACTERS = 500;
/** Characters of a search result. */
const RESULT_CHARACTERS = 200;

const SOURCES: Readonly<Record<SourceName, (request: SourceRequest, parts: SourceParts) => Found[]>> = {
  facts: findFacts,
  notes: findNotes,
  turns: findTurns,
  summaries: findSummaries,
  attachments: findAttached,
};

/** What the first question would have to wait for is done before it. */
const WARM_UP: FindTask = {
  text: 'Quand a-t-on parlé de la réunion du jardin ? What did we decide yesterday?',
  now: 0,
  settings: {
    importanceFloor: 1,
    recentHours: 0,
    maxInjected: 1,
    noteContext: true,
    pinnedNotes: [],
    contextTag: 'tag',
    scope: 'everything',
  },
  limit: 20,
  conversationId: undefined,
  channel: undefined,
  exceptTurn: undefined,
  vectorsOf: [],
  query: null,
  sources: SOURCE_NAMES,
  deadline: null,
};

/**
 * An engine on one connection, with the built-in models. `index` gives the vectors that are searched; without `terms` the words are
 * searched in the database, and without `names` no note is named inexactly.
 */
export function openEngine(
  db: Db,
  index: EngineParts['index'],
  {
    terms = null,
    names = null,
    shares,
  }: { terms?: TermIndex | null; names?: LoadedNames | null; shares?: Shares } = {},
): SearchEngine {
  return new SearchEngine({
    db,
    fullText: new FullText(db, terms),
    names: new NoteNames(db, () => names?.index ?? null),
    notes: new NoteStore(db),
    conversations: createConversationStore(db),
    facts: new FactStore(db, () => undefined),
    models: loadWordModels(),
    shares,
    index,
  });
}

function besideOf(
  { scored: { beside = -1, placedAt } }: Found,
  turns: ReadonlyMap<number, TurnId>,
): Finding['beside'] {
  const turn = turns.get(beside);
  return turn !== undefined && placedAt !== undefined ? { turn, placedAt } : null;
}

/** Answers questions from one connection and one copy of the vectors. Reads only. */
export class SearchEngine {
  readonly #parts: EngineParts;
  readonly #ranker: Ranker;
  readonly #wordRanker: Ranker;
  readonly #meter: PairMeter;
  readonly #questions = new WeakMap<FindTask, Question>();
  #calibration: SpaceCalibration | null = null;
  /** What there is to be searched, counted once for each state of the database. */
  #counts: ({ version: string } & Omit<SearchScope, 'indexing'>) | null = null;

  constructor(parts: EngineParts) {
    const { fullText, names, models, shares } = parts;
    this.#parts = parts;
    this.#ranker = new Ranker({ fullText, names, models, shares });
    this.#wordRanker = new Ranker({ fullText, names, models: null, shares });
    this.#meter = new PairMeter({ db: parts.db, ranker: this.#ranker, vectors: models.vectors });
  }

  /** What the scores of an index mean from now on, as long as that index answers; null for what is built in. */
  calibrate(calibration: SpaceCalibration | null): void {
    this.#calibration = calibration;
  }

  /** Scores a pair without what was calibrated before. @returns null if its item is gone, or another index answers */
  async measurePair(task: PairTask, question: EmbeddedQuestion): Promise<MeasuredPair | null> {
    this.#parts.fullText.refresh();
    const query = this.#queryVector(question);
    return query && this.#meter.measure(task, query);
  }

  /** Scores a marked item. @returns as `measurePair` */
  measureMark(task: MarkTask, question: EmbeddedQuestion): PairScores[] | null {
    this.#parts.fullText.refresh();
    const query = this.#queryVector(question);
    return query && this.#meter.measureMark(task, query);
  }

  /** What every source finds, source after source, each by itself: one that fails or is late leaves the others as they are. */
  *find(task: FindTask): Generator<SourceFindings, void> {
    let request: SourceRequest;
    try {
      this.#parts.fullText.refresh();
      const question = this.#read(task);
      const { db } = this.#parts;
      const narrowing = task.filter ? new Narrowing(db, task.filter, task.now) : null;
      const query = task.other ? otherQuery(task.other) : this.#queryVector(task.query);
      const folders = this.#parts.fullText.attempts.run(
        'names',
        () => FolderNotes.ofConversation(db, task.conversationId),
        null,
      );
      request = { ...task, question, query, place: this.#placeOf(task), narrowing, folders, told: new Map() };
    } catch (error) {
      const failed = this.#parts.fullText.attempts.take();
      for (const source of task.sources) {
        yield { source, reason: skipReason(error), error: traceOf(error), failed };
      }
      return;
    }
    for (const source of task.sources) yield this.#ask(source, request, task);
  }

  /** Prepares the statements, and has the code compiled. */
  warmUp(): void {
    for (const _ of this.find(WARM_UP));
  }

  context(task: FindTask): FindContext {
    const { vectorsOf, exceptTurn, other } = task;
    const { fullText, notes, conversations } = this.#parts;
    const version = fullText.refresh();
    if (this.#counts?.version !== version) {
      const { indexed, pending } = notes.countIndexed();
      this.#counts = {
        version,
        notesIndexed: indexed,
        notesTotal: indexed + pending,
        turns: conversations.countTurns(),
      };
    }
    const { notesIndexed, notesTotal, turns } = this.#counts;
    const { space } = this.#parts.index() ?? {};
    return {
      vectors: vectorsOf.map((item) => this.#vectorOf(item, other)),
      scale: other?.scale ?? (space ? this.#scaleOf(space) : null),
      fingerprint: other?.query.fingerprint ?? space?.fingerprint ?? null,
      scope: { notesIndexed, notesTotal, turns: turns - (exceptTurn === undefined ? 0 : 1) },
      followsUp: this.#read(task).followsUp ?? false,
    };
  }

  /** Searches by words alone (`text`), by vectors alone (`semantic`), or by both (`hybrid`). Best first. */
  search(task: SearchTask): SearchResult[] {
    const { text, now, mode, limit } = task;
    const { fullText, db } = this.#parts;
    fullText.refresh();
    const read = readQuestion(text, now);
    const question = task.typing ? asTyped(read) : read;
    const query = mode === 'text' ? null : this.#queryVector(task.query);
    // A turn stands for its own summary, unless that is asked for.
    const levels = task.filter.levels ?? (task.filter.kinds?.includes('summary') ? undefined : [0, 2]);
    const narrowing = new Narrowing(db, { ...task.filter, levels }, now);
    const isNarrow = Object.keys(task.filter).some((part) => part !== 'kinds');
    const ranker = mode === 'text' ? this.#wordRanker : this.#ranker;
    const found = kindsOf(task.filter).flatMap((kind): Found[] => {
      const within = this.#holding(kind, question, narrowing.rows(kind));
      if (within?.rowids.size === 0) return [];
      const onlyMatches = mode === 'text';
      const options = { limit, now, query, within, thorough: isNarrow, onlyMatches };
      const { speech } = narrowing;
      const ranked =
        mode === 'semantic'
          ? ranker.rankByVector(kind, options)
          : kind === 'turn' && speech
            ? ranker.rank(kind, question, { ...options, cut: (rows) => cutToSpeech(db, rows, speech) })
            : ranker.rank(kind, question, options);
      return ranked.map((scored) => ({ kind, scored, always: null }) as Found);
    });
    fullText.attempts.rethrow();
    const best = found.sort(byFoundScore).slice(0, limit);
    return this.#excerpts(best, { question, speech: narrowing.speech, ranker, now });
  }

  /** The rows among `within` that hold every phrase of a question; null for all. */
  #holding(kind: Kind, { phrases }: Question, within: RowSet | null): RowSet | null {
    const { fullText, db } = this.#parts;
    return phrases.reduce<RowSet | null>((rows, phrase) => {
      const rowids = JSON.stringify([...fullText.holding(kind, phrase)]);
      const holding = db.all<{ rowid: number; id: string }>(
        `SELECT rowid, id FROM ${items[kind].table} WHERE rowid IN (SELECT value FROM json_each(?))`,
        rowids,
      );
      return inBoth(rows, rowSetOf(holding));
    }, within);
  }

  /** Tells of the phrases of a question that nothing holds. */
  #missingPhrases({ text }: Question): PartFailure[] {
    const { fullText } = this.#parts;
    const missing = quotedPhrases(text).filter((phrase) => {
      const terms = termStream(phrase);
      return terms !== '' && !fullText.isHeld(terms);
    });
    if (missing.length === 0) return [];
    const reason: SkipReason = { code: 'phrase-not-found', figures: { phrase: missing.join(' · ') } };
    return [{ source: 'phrase', reason, error: null }];
  }

  /** What was found, with the passages of it that say most about the question: of turns, in the words that were searched. */
  #excerpts(
    found: readonly Found[],
    {
      question,
      speech,
      ranker,
      now,
    }: { question: Question; speech: Speech | null; ranker: Ranker; now: number },
  ): SearchResult[] {
    const { db } = this.#parts;
    const turns = found.flatMap(({ kind, scored }) => (kind === 'turn' ? [scored.row.id] : []));
    const words = speech ? speechOf(db, turns, speech) : new Map<string, string>();
    const spelling = new Spelling(question, ranker.stoodFor(question, now));
    return readFound(found, this.#parts).map((reading, index) => {
      const text = words.get(reading.place.id) ?? reading.text;
      const excerpt = makeExcerpt(text, spelling.weights, RESULT_CHARACTERS);
      return { ...toResult(found[index] as Found, reading, excerpt), ...spelling.tellOf(reading) };
    });
  }

  /** Notes whose names are like what is being typed, best first; null until all names were read. */
  notesNamedLike({ text, limit }: LikeTask): NoteId[] | null {
    return this.#parts.names.like(text, limit);
  }

  /** The question of a task, which is read once. */
  #read(task: FindTask): Question {
    const known = this.#questions.get(task) ?? readQuestion(task.text, task.now, task.before);
    this.#questions.set(task, known);
    return known;
  }

  /** The items whose vectors are nearest to that of an item, best first; null if it has none. */
  nearest({ kind, id, limit }: NearestTask): NearItem[] | null {
    const index = this.#parts.index();
    const vector = index?.matrices.vector(kind, id);
    if (!index || !vector) return null;
    const similarity = similarityOn(this.#scaleOf(index.space));
    return index.matrices
      .nearest(kind, vector, { limit, accept: (other) => other !== id })
      .map((one) => ({ id: one.id, similarity: similarity(one.cosine) }));
  }

  #ask(
    source: SourceName,
    request: SourceRequest,
    {
      deadline,
      onlyWords,
      minScore = 0,
      other,
    }: Pick<FindTask, 'deadline' | 'onlyWords' | 'minScore' | 'other'>,
  ): SourceFindings {
    const startedAt = monotonicMs();
    const { attempts } = this.#parts.fullText;
    try {
      if (deadline && startedAt - deadline.startedAt > deadline.limitMs) {
        throw new Late(startedAt - deadline.startedAt, deadline.limitMs);
      }
      const ranker = onlyWords ? this.#wordRanker : this.#ranker;
      const found = SOURCES[source](request, { ...this.#parts, ranker });
      const searched = monotonicMs();
      const findings = this.#present(found, request, { ranker, minScore, other });
      return {
        source,
        items: findings,
        timingsMs: { search: searched - startedAt, excerpts: monotonicMs() - searched },
        failed: [...this.#missingPhrases(request.question), ...attempts.take()],
      };
    } catch (error) {
      const trace = error instanceof Late ? null : traceOf(error);
      return { source, reason: skipReason(error), error: trace, failed: attempts.take() };
    }
  }

  #present(
    found: readonly Found[],
    { question, now }: SourceRequest,
    { ranker, minScore, other }: { ranker: Ranker; minScore: number; other: FindTask['other'] },
  ): RankedFinding[] {
    const spelling = new Spelling(question, ranker.stoodFor(question, now));
    const readings = readFound(found, this.#parts);
    const beside = this.#parts.fullText.turnIds(found.flatMap(({ scored }) => scored.beside ?? []));
    const refs = found.map(({ kind, scored }): ItemRef => ({ kind, id: scored.row.id }));
    return found.map((one, index): RankedFinding => {
      const reading = readings[index] as (typeof readings)[number];
      // To look for the best sentences of everything would take as long as the search.
      const excerpt = mayBeGiven(one, minScore)
        ? makeExcerpt(reading.text, spelling.weights, CONTEXT_CHARACTERS)
        : beginning(reading.text, CONTEXT_CHARACTERS);
      const finding: Finding = {
        result: { ...toResult(one, reading, excerpt), ...spelling.tellOf(reading) },
        text: reading.text,
        label: reading.label,
        quotedHash: one.scored.row.quotedHash,
        span: excerpt.span,
        vector: this.#vectorOf(refs[index] as ItemRef, other),
        always: one.always,
        expired: one.kind === 'fact' && (one.scored.row.expiresAt ?? Number.POSITIVE_INFINITY) <= now,
        originTurn: one.kind === 'fact' ? one.scored.row.turnId : null,
        // What was asked is what such a question asks for.
        onlyAsks: one.always !== 'said' && reading.onlyAsks(question.weights),
        outdatedBy: one.outdatedBy ?? [],
        namedBy: one.namedBy ?? null,
        inFolder: one.inFolder ?? null,
        beside: besideOf(one, beside),
        replaces: one.replaces === undefined ? null : { turn: one.replaces, ownScore: 0 },
      };
      return { finding, score: one.scored.placedAt ?? one.scored.score, fused: one.scored.fused };
    });
  }

  #queryVector(query: EmbeddedQuestion | null): QueryVector | null {
    const index = this.#parts.index();
    // Another index may have been taken over since the question was embedded.
    if (!query || index?.space.fingerprint !== query.fingerprint) return null;
    const { matrices, space } = index;
    const { values, contextual } = query;
    const calibration = this.#calibrationOf(space);
    const scale = this.#scaleOf(space);
    return {
      values,
      contextual,
      matrices,
      scale,
      similarity: similarityOn(scale),
      calibration: calibration?.relevance,
      contextualShare: calibration?.contextualShare ?? undefined,
    };
  }

  #calibrationOf({ fingerprint }: VectorSpace): SpaceCalibration | null {
    return this.#calibration?.fingerprint === fingerprint ? this.#calibration : null;
  }

  #scaleOf(space: VectorSpace): SimilarityScale {
    return this.#calibrationOf(space)?.scale ?? space.scale;
  }

  /** A copy: the vectors that are searched change with the next write. */
  #vectorOf({ kind, id }: ItemRef, other: FindTask['other']): Float32Array | null {
    if (other) return other.vectors.find((one) => one.id === id && one.kind === kind)?.vector ?? null;
    return isKind(kind) ? (this.#parts.index()?.matrices.vector(kind, id)?.slice() ?? null) : null;
  }

  #placeOf({ settings: { scope }, conversationId, channel }: FindTask): Place | null {
    if (scope === 'everything' || (conversationId === undefined && channel === undefined)) return null;
    // Nothing was said yet in a conversation that does not exist.
    if (scope === 'conversation') return { conversationId: conversationId ?? ('' as ConversationId) };
    const own = conversationId && this.#parts.conversations.get(conversationId)?.channel;
    return { channel: own ?? channel ?? DEFAULT_CHANNEL };
  }
}

/** Scores are compared as they are shown. What a turn led to may also be given for itself. */
const mayBeGiven = ({ always, replaces, scored }: Found, minScore: number): boolean =>
  always !== null || replaces !== undefined || shownScore(scored.score) >= minScore;
