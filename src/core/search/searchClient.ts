import type { Scope } from '../../shared/choices.ts';
import type { SearchFilter, SearchMode, SearchResult, SearchScope } from '../../shared/contract/retrieval.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, NoteId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import type { Serving } from '../embedding/vectorIndexer.ts';
import type { VectorMirror } from '../embedding/vectorMirror.ts';
import { isKind, KINDS } from '../items/index.ts';
import type { Db } from '../storage/database.ts';
import { anySignal, Deadline, unlessAborted } from '../support/abort.ts';
import { type Clock, monotonicMs } from '../support/clock.ts';
import type { Logger } from '../support/logger.ts';
import type { ThreadEntry } from '../support/workerThread.ts';
import type { SpaceCalibration } from './calibration/spaceCalibration.ts';
import type { FindTask, NearestTask, NearItem } from './engine.ts';
import { type Findings, type ItemRef, SOURCE_NAMES, type SourceName } from './findings.ts';
import { TermFeed } from './lexical/termFeed.ts';
import type { Marks } from './marks/marks.ts';
import { mergeParts, type Skipped } from './mergeParts.ts';
import { MirrorWriter } from './mirrorWriter.ts';
import type { RowFilter } from './narrowing.ts';
import { unpackFindings } from './packFindings.ts';
import type { FindPart } from './searchContract.ts';
import { type SearchCalls, SearchThread } from './searchThread.ts';
import { Late, skipReason } from './skipped.ts';
import { type EmbeddedQuestion, embedQuestion } from './vector/embedQuestion.ts';
import { embedFound, type OtherSpace, type OtherVectors } from './vector/otherVectors.ts';

export interface FindRequest {
  text: string;
  /** What was asked right before in the same conversation, the latest first. */
  before?: readonly string[] | undefined;
  conversationId?: ConversationId | undefined;
  /** Of a conversation that does not exist yet. Without it and without a conversation, everything is searched. */
  channel?: string | undefined;
  /** The turn that is being answered: it is not a memory of itself. */
  exceptTurn?: TurnId | undefined;
  /** Candidates of each source, if more than the setting says. */
  limit?: number | undefined;
  /** Waits for every source, so that two runs agree. */
  noDeadline?: boolean | undefined;
  /** Searches by words alone. */
  onlyWords?: boolean | undefined;
  /** What scores less is not given, and has only its beginning as an excerpt. All excerpts are made for 0, which is the default. */
  minScore?: number | undefined;
  /** Asks these sources alone. */
  sources?: readonly SourceName[] | undefined;
  /** Finds only what passes. */
  filter?: RowFilter | undefined;
  /** Items whose stored vectors are asked for beside what is found. */
  vectorsOf?: readonly ItemRef[] | undefined;
  /** In place of the scope that holds in the conversation. */
  scope?: Scope | undefined;
  /** Another embedder than that of the index, which embeds what is found. It waits for every source. */
  other?: OtherSpace | undefined;
  /** Leaves out what the user said of items for similar questions. */
  withoutMarks?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface SearchRequest extends SearchFilter {
  text: string;
  mode: SearchMode;
  limit: number;
  /** The text is still being typed: its last word may be the beginning of another. */
  typing?: boolean | undefined;
}

export interface SearchClientPorts {
  /** The module of the search thread; the built-in one by default. */
  entry: ThreadEntry | undefined;
  db: Db;
  settings(): Settings;
  /** The scope that holds in a conversation; in a new one, if none is given. */
  scopeOf(id: ConversationId | undefined): Scope;
  /** What the user said of items that were given. */
  marks: Marks;
  /** Null while the vectors are being opened, or if there are none. */
  serving(): Serving | null;
  /** Writes the vectors of the serving index into `mirror` again. Never rejects. */
  refill(): Promise<void>;
  /** Is a vault still being looked through? */
  indexing(): boolean;
  clock: Clock;
  log: Logger;
}

/** The embedder's share of the deadline; the rest is left for the search. */
const EMBEDDING_SHARE = 0.6;
/** The first question waits this long for the thread to be opened, before its own time begins. */
const OPENING_PATIENCE_MS = 10_000;
/** A search waits this long for vectors that are on their way to the thread. */
const WRITING_PATIENCE_MS = 5_000;

/**
 * Asks the search thread. Questions are embedded by the embedder's own thread; full text, vectors and excerpts are the search
 * thread's, so that a reply goes on streaming while a question is searched.
 */
export class SearchClient {
  readonly #ports: SearchClientPorts;
  readonly #thread: SearchThread;
  readonly #mirror: MirrorWriter;
  readonly #terms: TermFeed;
  #calibration: SpaceCalibration | null = null;

  constructor(ports: SearchClientPorts) {
    const { entry, db, log } = ports;
    this.#ports = ports;
    this.#thread = new SearchThread({
      entry,
      databasePath: db.path,
      log,
      onOpened: (isFirst) => {
        this.#terms.opened();
        if (this.#calibration) void this.#sendCalibration();
        this.#mirror.opened(isFirst, () => ports.refill());
      },
    });
    this.#terms = new TermFeed(db, this.#thread, log);
    this.#mirror = new MirrorWriter(this.#thread, log);
  }

  /** What the scores of an index mean from now on, as long as that index answers; null for what is built in. */
  setCalibration(calibration: SpaceCalibration | null): Promise<void> {
    this.#calibration = calibration;
    return this.#thread.isStarted ? this.#sendCalibration() : Promise.resolve();
  }

  /** Calls that measure what scores mean. @throws AppError SEARCH_UNAVAILABLE; the signal's reason if it was aborted */
  async measure<T>(
    work: (calls: SearchCalls['calibration'], signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    if (!this.#thread.wasOpened) await this.#opened(signal);
    await unlessAborted(this.#mirror.settled(), signal);
    return this.#thread.call((calls, both) => work(calls.calibration, both), signal);
  }

  /** A thread that could not be told is told when it is opened again. */
  async #sendCalibration(): Promise<void> {
    const calibration = this.#calibration;
    try {
      await this.#thread.call((calls, signal) => calls.calibration.use(calibration, { signal }));
    } catch (error) {
      if (!this.#thread.isClosing) this.#ports.log.warn({ err: error }, 'calibration could not be sent');
    }
  }

  /** The vectors that are searched. */
  get mirror(): VectorMirror {
    return this.#mirror;
  }

  /** Begins to open the thread. Opened before the vectors, it is given them as they come. */
  start(): void {
    void this.#opened(undefined);
  }

  /** Waits until the thread can be asked and has the vectors that were written before. Never throws. */
  async whenReady(): Promise<void> {
    await this.#opened(undefined);
    await this.#mirror.settled();
  }

  /** Waits until the thread has also read the terms of all rows: until then it finds words more slowly. Never throws. */
  async whenLoaded(): Promise<void> {
    await this.whenReady();
    await this.#terms.settled();
  }

  /**
   * What every source finds for a question, not judged yet. A source that fails or is late is left out, and `skipped` says why.
   * Reads only what is committed.
   * @throws the reason of the request's signal if it was aborted
   */
  async find(request: FindRequest): Promise<Findings> {
    const { settings: readSettings, clock, indexing, log } = this.#ports;
    // The deadline is about searching: the thread is opened once, in the first moments.
    if (!this.#thread.wasOpened) await this.#opened(request.signal);
    const startedAt = monotonicMs();
    const settings = readSettings();
    const limitMs = settings.timeoutMs;
    const { sources = SOURCE_NAMES } = request;
    const skipped: Skipped[] = [];
    const query = request.onlyWords
      ? null
      : await this.#embedInTime(request, limitMs * EMBEDDING_SHARE, skipped);
    const embedded = monotonicMs();
    const { importanceFloor, recentHours, maxInjected, noteContext, pinnedNotes, contextTag } = settings;
    const { conversationId, channel } = request;
    const scope = request.scope ?? this.#ports.scopeOf(conversationId);
    const task: FindTask = {
      text: request.text,
      before: request.before,
      now: clock.now(),
      settings: { importanceFloor, recentHours, maxInjected, noteContext, pinnedNotes, contextTag, scope },
      limit: Math.max(settings.candidatesPerSource, request.limit ?? 0),
      conversationId,
      channel,
      exceptTurn: request.exceptTurn,
      vectorsOf: request.vectorsOf ?? [],
      query,
      onlyWords: request.onlyWords,
      minScore: request.minScore,
      sources,
      filter: request.filter,
      deadline: request.noDeadline ? null : { startedAt, limitMs },
    };
    const first = await this.#ask(task, request.signal);
    const other = request.other && (await this.#embedAgain(request, request.other, first.parts));
    const { parts: found, error } = other ? await this.#ask({ ...task, other }, request.signal) : first;
    const parts = await this.#withMarks(found, request, { query, skipped });
    const { context, items, timingsMs, ...merged } = mergeParts(parts, sources, error);
    skipped.push(...merged.skipped);
    const searched = other?.query ?? query;
    if (searched && context && context.fingerprint !== searched.fingerprint) skipped.push(VECTORS_NOT_READY);
    const unsearched = sources.filter((name) => skipped.some(({ source }) => source === name));
    for (const { source, reason, error: cause } of skipped) {
      // It holds words of the message, and nothing failed.
      if (reason.code === 'phrase-not-found') continue;
      log[reason.code === 'failed' ? 'error' : 'warn']({ source, reason, err: cause }, 'source skipped');
    }
    return {
      items,
      vectors: context?.vectors ?? (request.vectorsOf ?? []).map(() => null),
      scale: context?.scale ?? null,
      fingerprint: searched && context?.fingerprint === searched.fingerprint ? searched.fingerprint : null,
      followsUp: context?.followsUp ?? false,
      skipped: skipped.map(({ source, reason }) => ({ source, reason })),
      timingsMs: { embed: embedded - startedAt, ...timingsMs },
      scope: {
        ...(context?.scope ?? NOTHING_SEARCHED),
        indexing: indexing(),
        ...(unsearched.length === 0 ? {} : { unsearched }),
      },
    };
  }

  /**
   * Searches by words alone (`text`), by vectors alone (`semantic`), or by both (`hybrid`). Best first.
   * @throws AppError MODE_UNAVAILABLE if there are no vectors, KIND_UNAVAILABLE, EMBEDDER_FAILED, SEARCH_UNAVAILABLE
   */
  async search({ text, mode, limit, typing, ...filter }: SearchRequest): Promise<SearchResult[]> {
    const { serving: readServing, clock, log } = this.#ports;
    for (const kind of filter.kinds ?? []) {
      if (!isKind(kind)) throw new AppError('KIND_UNAVAILABLE', { kind, available: KINDS.join(', ') });
    }
    const serving = readServing();
    const unavailable = () => new AppError('MODE_UNAVAILABLE', { mode, available: 'text, hybrid' });
    if (!serving && mode === 'semantic') throw unavailable();
    if (!this.#thread.wasOpened) await this.#opened(undefined);
    const query = serving && mode !== 'text' ? await this.#embedPatiently(text, serving) : null;
    const task = { text, now: clock.now(), mode, filter, limit, query, typing };
    const answer = await this.#thread.call((calls, signal) => calls.search(task, { signal }));
    if ('problem' in answer) {
      const { code, params, trace } = answer.problem;
      log.error({ error: trace }, 'search failed');
      throw new AppError(code, params);
    }
    // The vectors of a thread that was just replaced may still be on their way.
    if (mode === 'semantic' && answer.fingerprint !== serving?.fingerprint) throw unavailable();
    // As relevant here as in a turn that asks the same.
    return mode === 'hybrid'
      ? this.#ports.marks.lowerResults(answer.results, { text, query })
      : answer.results;
  }

  /**
   * Notes whose titles or aliases are like what is being typed, best first; some may be gone. None before the names were read. Never throws.
   */
  async notesLike(text: string, limit: number): Promise<NoteId[]> {
    this.start();
    if (text.trim() === '' || !this.#thread.wasOpened) return [];
    try {
      return (
        (await this.#thread.call((calls, signal) => calls.names.like({ text, limit }, { signal }))) ?? []
      );
    } catch (error) {
      this.#ports.log.warn({ err: error }, 'names of notes could not be compared');
      return [];
    }
  }

  /**
   * The items of a kind whose vectors are nearest to that of one of them, best first; null if it has none.
   * @throws AppError SEARCH_UNAVAILABLE; the signal's reason if it was aborted
   */
  async nearest(task: NearestTask, signal: AbortSignal): Promise<NearItem[] | null> {
    if (!this.#thread.wasOpened) await this.#opened(signal);
    await unlessAborted(this.#mirror.settled(), signal);
    return this.#thread.call((calls, both) => calls.nearest(task, { signal: both }), signal);
  }

  /** Lets what runs end, then ends the thread. When this returns the thread has closed the database. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  /** Waits for the thread, a while. A thread that cannot be opened is told by the question that needs it. */
  async #opened(signal: AbortSignal | undefined): Promise<void> {
    const patience = new Deadline(
      OPENING_PATIENCE_MS,
      () => new Late(OPENING_PATIENCE_MS, OPENING_PATIENCE_MS),
    );
    try {
      await unlessAborted(this.#thread.open(), anySignal(signal, patience.signal));
    } catch (error) {
      signal?.throwIfAborted();
      this.#ports.log.warn({ err: error }, 'search thread is not open yet');
    } finally {
      patience.clear();
    }
  }

  /** The question, what was found for it, and what is in its prompt, as another embedder sees them. */
  #embedAgain(
    { text, vectorsOf = [], signal }: FindRequest,
    other: OtherSpace,
    parts: readonly FindPart[],
  ): Promise<OtherVectors> {
    const found = parts.flatMap((part) =>
      'found' in part && 'items' in part.found ? part.found.items.map(({ finding }) => finding.result) : [],
    );
    const { db, clock } = this.#ports;
    return embedFound({ text, refs: [...vectorsOf, ...found] }, other, { db, now: clock.now(), signal });
  }

  /** The question's vector, if it is ready within its share of the deadline; if not, `skipped` says why. */
  async #embedInTime(
    request: FindRequest,
    limitMs: number,
    skipped: Skipped[],
  ): Promise<EmbeddedQuestion | null> {
    const serving = this.#ports.serving();
    if (!serving) {
      skipped.push(VECTORS_NOT_READY);
      return null;
    }
    const deadline = new Deadline(limitMs, () => new Late(limitMs, Math.round(limitMs)));
    const signal = anySignal(request.signal, request.noDeadline ? undefined : deadline.signal);
    try {
      return await this.#embed(request.text, serving, signal);
    } catch (error) {
      request.signal?.throwIfAborted();
      const reason = skipReason(signal.aborted ? signal.reason : error);
      skipped.push({ source: 'vectors', reason, error });
      return null;
    } finally {
      deadline.clear();
    }
  }

  /** The question's vector. Vectors that are not written in time do not take part. */
  async #embedPatiently(text: string, serving: Serving): Promise<EmbeddedQuestion> {
    const patience = new Deadline(
      WRITING_PATIENCE_MS,
      () => new Late(WRITING_PATIENCE_MS, WRITING_PATIENCE_MS),
    );
    try {
      await unlessAborted(this.#mirror.settled(), patience.signal);
    } catch (error) {
      this.#ports.log.warn({ err: error }, 'vectors are still being written to the search thread');
    } finally {
      patience.clear();
    }
    return embedQuestion(text, serving);
  }

  /** Vectors that were written before the question are searched: it waits for them too. */
  async #embed(text: string, serving: Serving, signal: AbortSignal): Promise<EmbeddedQuestion> {
    const [question] = await Promise.all([
      embedQuestion(text, serving, signal),
      unlessAborted(this.#mirror.settled(), signal),
    ]);
    return question;
  }

  /**
   * What was found, less relevant where it was marked as wrong for a similar question. Where the questions cannot be compared in time,
   * marks are left out, and `skipped` says so.
   */
  async #withMarks(
    parts: readonly FindPart[],
    request: FindRequest,
    { query, skipped }: { query: EmbeddedQuestion | null; skipped: Skipped[] },
  ): Promise<readonly FindPart[]> {
    if (request.withoutMarks) return parts;
    const limitMs = this.#ports.settings().timeoutMs * (1 - EMBEDDING_SHARE);
    const deadline = new Deadline(limitMs, () => new Late(limitMs, Math.round(limitMs)));
    const signal = anySignal(request.signal, request.noDeadline ? undefined : deadline.signal);
    try {
      return await this.#ports.marks.lowerParts(parts, { text: request.text, query, signal });
    } catch (error) {
      request.signal?.throwIfAborted();
      skipped.push({ source: 'marks', reason: skipReason(signal.aborted ? signal.reason : error), error });
      return parts;
    } finally {
      deadline.clear();
    }
  }

  /** What the thread has found until the deadline, and why the rest is missing. */
  async #ask(
    task: FindTask,
    signal: AbortSignal | undefined,
  ): Promise<{ parts: FindPart[]; error: unknown }> {
    const { startedAt, limitMs } = task.deadline ?? {};
    const late = () => new Late(monotonicMs() - (startedAt ?? 0), limitMs ?? 0);
    const deadline =
      startedAt === undefined || limitMs === undefined
        ? undefined
        : new Deadline(Math.max(1, startedAt + limitMs - monotonicMs()), late);
    const parts: FindPart[] = [];
    try {
      await this.#thread.call(
        async (calls, both) => {
          for await (const part of await calls.find(task, { signal: both }))
            parts.push('found' in part ? { found: unpackFindings(part.found) } : part);
        },
        signal,
        deadline?.signal,
      );
      return { parts, error: null };
    } catch (error) {
      signal?.throwIfAborted();
      // What arrives after the deadline is not waited for, and does not count.
      return { parts: [...parts], error: deadline?.signal.aborted ? deadline.signal.reason : error };
    } finally {
      deadline?.clear();
    }
  }
}

const VECTORS_NOT_READY: Skipped = {
  source: 'vectors',
  reason: { code: 'not-ready', figures: {} },
  error: null,
};
const NOTHING_SEARCHED: Omit<SearchScope, 'indexing'> = { notesIndexed: 0, notesTotal: 0, turns: 0 };
