import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../shared/errors.ts';
import type { Serving } from '../../embedding/vectorIndexer.ts';
import type { JobKind } from '../../jobs/jobKind.ts';
import type { CalibrationStore, StoredCalibration } from '../../storage/calibrations.ts';
import type { ItemMarkStore } from '../../storage/itemMarks.ts';
import { type Clock, monotonicMs } from '../../support/clock.ts';
import type { SearchClient } from '../searchClient.ts';
import { embedQuestion } from '../vector/embedQuestion.ts';
import type { MeasuredPair } from './pairMeter.ts';
import type { Pair } from './pairs.ts';
import { CONTEXTUAL_SHARES, fitSpace, type MeasuredMark, spaceOf } from './spaceCalibration.ts';

export interface CalibratingPorts {
  store: CalibrationStore;
  marks: Pick<ItemMarkStore, 'latest'>;
  search: Pick<SearchClient, 'measure' | 'setCalibration'>;
  /** The index that answers; null if there is none. */
  serving(): Serving | null;
  /** Does it hold the vectors of all items? */
  isComplete(): boolean;
  clock: Clock;
}

/** The kind of the job. */
export const CALIBRATE = 'calibrate';
const REST_MS = 10 * 60_000;
/** Pairs that are measured: with so many, the share of them at some relevance is known to 3 %. */
const PAIRS = 240;
/** The latest marks count. */
const MOST_MARKS = 500;
/** With fewer items what is built in holds. */
const LEAST_ITEMS = 20;
/** It is measured again once there are so many times as many items, or as few, or as many more marks. */
const GROWTH = 2;
const MORE_MARKS = 10;
/** Items that have nothing to do with a question, as far as chance goes. */
const OTHERS = 8;

/**
 * Measures what scores of the index that answers mean on this computer, and has them mean that. What was measured is stored by the
 * index's fingerprint, so that it holds at the next start, and for another index nothing does.
 */
export class Calibrating {
  readonly #ports: CalibratingPorts;
  #inUse: StoredCalibration | null = null;

  constructor(ports: CalibratingPorts) {
    this.#ports = ports;
  }

  /** What holds for the index that answers; null if nothing was measured for it, or none answers. */
  inUse(): StoredCalibration | null {
    const serving = this.#ports.serving();
    return serving && this.#of(serving.fingerprint);
  }

  #of(fingerprint: string): StoredCalibration | null {
    return this.#ports.store.get(fingerprint) ?? null;
  }

  /** Has the scores of the index that answers mean what was measured for it. */
  adopt(): void {
    const fingerprint = this.#ports.serving()?.fingerprint;
    if (fingerprint === undefined || this.#inUse?.fingerprint === fingerprint) return;
    const stored = this.#of(fingerprint);
    if (!stored && !this.#inUse) return;
    this.#inUse = stored;
    void this.#ports.search.setCalibration(stored && spaceOf(stored));
  }

  /** The job that measures when there is something to measure. It begins again after a restart. */
  job(): JobKind {
    return {
      kind: CALIBRATE,
      restMs: REST_MS,
      schedule: () => this.dueAt(),
      handler: async ({ signal, commit }) => {
        const measured = await this.measure(signal);
        commit(() => this.#ports.store.set(measured));
        this.#inUse = null;
        this.adopt();
      },
    };
  }

  /** When something is due to be measured; null for never. */
  dueAt(): number | null {
    const { serving: readServing, isComplete, store, clock } = this.#ports;
    const serving = readServing();
    if (!serving || !isComplete()) return null;
    const { items, marks } = store.counts();
    const last = this.#of(serving.fingerprint);
    if (!last) return items < LEAST_ITEMS ? null : clock.now();
    const hasChanged = items > last.items * GROWTH || items * GROWTH < last.items;
    const isMarked = Math.abs(marks - last.marks) >= Math.max(MORE_MARKS, last.marks / GROWTH);
    return hasChanged || isMarked ? clock.now() : null;
  }

  /**
   * Measures, and returns what is to be stored. A question of the user's waits for one pair at most.
   * @throws AppError SEARCH_UNAVAILABLE, EMBEDDER_FAILED; the signal's reason
   */
  async measure(signal: AbortSignal): Promise<StoredCalibration> {
    const { serving: readServing, store, clock, search } = this.#ports;
    const serving = readServing();
    if (!serving) throw new AppError('SEARCH_UNAVAILABLE', { reason: 'it has no vectors' });
    const now = clock.now();
    const counts = store.counts();
    const drawn = await search.measure(
      (calls, both) => calls.draw({ limit: PAIRS, now }, { signal: both }),
      signal,
    );
    const pairs = await this.#measurePairs(drawn, serving, { now, signal });
    const marks = await this.#measureMarks(serving, { now, signal });
    if (readServing()?.fingerprint !== serving.fingerprint)
      throw new AppError('SEARCH_UNAVAILABLE', { reason: 'another index answers' });
    const { relevance, contextualShare, scale } = fitSpace(
      { pairs, marks, scale: serving.scale },
      { fingerprint: serving.fingerprint, contextual: serving.embedder.contextual },
    );
    return {
      fingerprint: serving.fingerprint,
      embedder: serving.setting,
      ...relevance,
      contextualShare,
      ...scale,
      pairs: pairs.length,
      marks: counts.marks,
      items: counts.items,
      at: clock.now(),
    };
  }

  async #measurePairs(
    drawn: readonly Pair[],
    serving: Serving,
    { now, signal }: { now: number; signal: AbortSignal },
  ): Promise<MeasuredPair[]> {
    const shares = sharesOf(serving);
    const measured: MeasuredPair[] = [];
    for (const [place, pair] of drawn.entries()) {
      const startedAt = monotonicMs();
      const query = await embedQuestion(pair.question, serving, signal);
      const [rest] = await serving.embedder.embedPassages([pair.rest], signal);
      if (!rest) continue;
      const others = othersOf(drawn, place);
      const one = await this.#ports.search.measure(
        (calls, both) => calls.measure({ pair, query, rest, others, shares, now }, { signal: both }),
        signal,
      );
      if (one) measured.push(one);
      // Half of the time is left to whoever asks.
      await delay(monotonicMs() - startedAt, undefined, { signal });
    }
    return measured;
  }

  async #measureMarks(
    serving: Serving,
    { now, signal }: { now: number; signal: AbortSignal },
  ): Promise<MeasuredMark[]> {
    const measured: MeasuredMark[] = [];
    for (const { kind, itemId: id, question, mark } of this.#ports.marks.latest(MOST_MARKS)) {
      const query = await embedQuestion(question, serving, signal);
      const task = { kind, id, question, shares: sharesOf(serving), now };
      const scores = await this.#ports.search.measure(
        (calls, both) => calls.measureMark({ ...task, query }, { signal: both }),
        signal,
      );
      if (scores) measured.push({ scores, mark });
    }
    return measured;
  }
}

const sharesOf = ({ embedder }: Serving): readonly (number | undefined)[] =>
  embedder.contextual ? CONTEXTUAL_SHARES : [undefined];

/** Items of other notes and conversations, those that were drawn after it. */
function othersOf(drawn: readonly Pair[], place: number): Pick<Pair, 'kind' | 'id'>[] {
  const { group } = drawn[place] as Pair;
  return [...drawn.slice(place + 1), ...drawn.slice(0, place)]
    .filter((other) => other.group !== group)
    .slice(0, OTHERS)
    .map(({ kind, id }) => ({ kind, id }));
}
