import { eventIterator, oc, type } from '@orpc/contract';
import type { SearchResult } from '../../shared/contract/retrieval.ts';
import type { ErrorCode, ErrorParams } from '../../shared/errors.ts';
import type { ErrorTrace } from '../../shared/errorTrace.ts';
import type { NoteId } from '../../shared/ids.ts';
import type { VectorSpace } from '../embedding/vectorMirror.ts';
import type { Kind } from '../items/index.ts';
import type { MarkTask, MeasuredPair, PairScores, PairTask } from './calibration/pairMeter.ts';
import type { Pair } from './calibration/pairs.ts';
import type { SpaceCalibration } from './calibration/spaceCalibration.ts';
import type { FindContext, FindTask, LikeTask, NearestTask, NearItem, SearchTask } from './engine.ts';
import type { SourceFindings } from './findings.ts';
import type { PackedFindings } from './packFindings.ts';
import type { EmbeddedQuestion } from './vector/embedQuestion.ts';

/** A part of what is found for a question: first what it is judged by, then each source as it is ready. */
export type FindPart = { context: FindContext } | { found: SourceFindings };
/** The same, as it crosses the thread. */
export type PackedPart = { context: FindContext } | { found: PackedFindings };

export interface SearchAnswer {
  results: SearchResult[];
  /** The index whose vectors were searched; null if none answers. */
  fingerprint: string | null;
}

/** An error of the database, as it crosses the thread. */
export interface SearchProblem {
  code: ErrorCode;
  params: ErrorParams;
  trace: ErrorTrace;
}

/** Rows of vectors, column by column. `values` holds one vector after another. */
export interface PackedVectors {
  kinds: Kind[];
  ids: string[];
  values: Float32Array;
}

/** What the core asks of the search thread. Both ends are ours and in one process: types, without checks. */
export const searchContract = {
  /** Opens the database for reading, and loads the models. */
  open: oc.input(type<{ databasePath: string }>()).output(type<void>()),
  find: oc.input(type<FindTask>()).output(eventIterator(type<PackedPart>())),
  search: oc.input(type<SearchTask>()).output(type<SearchAnswer | { problem: SearchProblem }>()),
  nearest: oc.input(type<NearestTask>()).output(type<NearItem[] | null>()),
  calibration: {
    /** What scores of an index mean from now on; null for what is built in. */
    use: oc.input(type<SpaceCalibration | null>()).output(type<void>()),
    draw: oc.input(type<{ limit: number; now: number }>()).output(type<Pair[]>()),
    /** Null if the item is gone, or another index answers. */
    measure: oc.input(type<PairTask & { query: EmbeddedQuestion }>()).output(type<MeasuredPair | null>()),
    measureMark: oc.input(type<MarkTask & { query: EmbeddedQuestion }>()).output(type<PairScores[] | null>()),
  },
  /** Answers as soon as the thread has nothing else to do. */
  ping: oc.output(type<void>()),
  terms: {
    /** Reads some more rows into the index of terms; true once all were read. */
    load: oc.output(type<boolean>()),
    /** Rows were written. */
    update: oc.input(type<{ kind: Kind; rowids: number[] }[]>()).output(type<void>()),
  },
  names: {
    /** Reads the names of some more notes; true once all were read. */
    load: oc.output(type<boolean>()),
    /** Notes whose names are like what is being typed, best first; null until all names were read. */
    like: oc.input(type<LikeTask>()).output(type<NoteId[] | null>()),
  },
  mirror: {
    /** Begins another index. The former one answers until `commit`. */
    begin: oc.input(type<VectorSpace>()).output(type<void>()),
    stage: oc.input(type<PackedVectors>()).output(type<void>()),
    commit: oc.output(type<void>()),
    put: oc.input(type<PackedVectors>()).output(type<void>()),
    remove: oc.input(type<{ kind: Kind; ids: string[] }>()).output(type<void>()),
    clear: oc.output(type<void>()),
  },
};
