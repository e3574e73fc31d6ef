import type { ClauseNet, ClauseNets } from '../../../src/core/memory/extraction/clauseNets.ts';
import type { Shown } from '../../../src/core/memory/extraction/shown.ts';
import { Dice } from '../../support/seeded.ts';

/** A clause of a dialogue: what it shows, and whether what it says is to be kept. */
export interface Example {
  shown: Shown;
  isKept: boolean;
}

/** Of hidden units; 12 are as good on what other authors wrote, and keep less of what their own write. */
const HIDDEN = 24;
/** Nets whose mean counts: with each the odds depend less on the seed. */
const NETS = 3;
const ROUNDS = 25;
const BATCH = 64;
/** Of ridge regularisation, and the shares of inputs and of hidden units that are left out at random. */
const RIDGE = 0.002;
const LEFT_OUT = 0.3;
/** Of Adam (Kingma and Ba, 2015): its first step, which shrinks to a tenth, and what it forgets of slopes and their squares. */
const STEP = 0.003;
const FORGETS = { slope: 0.1, square: 0.001 };
/** What fewer clauses show tells of them more than of others: of named evidence, and of words. */
const LEAST_SHOWN = 15;
const LEAST_WORDED = 6;

const isWording = (name: string) => /^(?:word|pair|opens) /.test(name);

/** Trains nets to tell which clauses are to be kept, with the same result for the same examples. */
export function trainNets(examples: readonly Example[], { rounds = ROUNDS, nets = NETS } = {}): ClauseNets {
  const shown = Map.groupBy(
    examples.flatMap(({ shown: { evidence } }) => evidence),
    (name) => name,
  );
  const names = [...shown]
    .filter(([name, some]) => some.length >= (isWording(name) ? LEAST_WORDED : LEAST_SHOWN))
    .map(([name]) => name)
    .sort();
  const dimensions = examples[0]?.shown.meaning.length ?? 0;
  const index = new Map(names.map((name, row) => [name, row]));
  const rows = examples.map(({ shown: { evidence, meaning }, isKept }): Row => {
    const told = evidence.flatMap((name) => index.get(name) ?? []);
    return {
      inputs: Uint32Array.from([...told, ...Array.from(meaning, (_, at) => names.length + at)]),
      values: Float32Array.from([...told.map(() => 1), ...meaning]),
      isKept,
    };
  });
  const trained = Array.from({ length: nets }, (_, seed) =>
    new Training(names.length + dimensions, seed + 1).train(rows, rounds),
  );
  return { names, dimensions, hidden: HIDDEN, nets: trained };
}

/** Inputs that are not zero, and their values. */
interface Row {
  inputs: Uint32Array;
  values: Float32Array;
  isKept: boolean;
}

/** Rows of inputs, then the ends, in one list of parameters. */
class Training {
  readonly #dice: Dice;
  readonly #ends: number;
  readonly #all: Float32Array;
  readonly #slopes: Float32Array;
  readonly #mean: Float32Array;
  readonly #square: Float32Array;
  readonly #sums = new Float64Array(HIDDEN);
  readonly #back = new Float64Array(HIDDEN);
  #steps = 0;

  constructor(inputs: number, seed: number) {
    this.#dice = new Dice(seed);
    this.#ends = inputs * WIDTH;
    const length = this.#ends + 2 * HIDDEN + 1;
    this.#all = new Float32Array(length);
    this.#slopes = new Float32Array(length);
    this.#mean = new Float32Array(length);
    this.#square = new Float32Array(length);
    for (let at = 0; at < this.#ends; at += 1) if (at % WIDTH < HIDDEN) this.#all[at] = 0.1 * this.#normal();
    for (let unit = 0; unit < HIDDEN; unit += 1) this.#all[this.#ends + HIDDEN + unit] = 0.3 * this.#normal();
  }

  train(rows: readonly Row[], rounds: number): ClauseNet {
    for (let round = 0; round < rounds; round += 1) {
      const order = this.#shuffled(rows);
      for (let from = 0; from < order.length; from += BATCH) {
        const batch = order.slice(from, from + BATCH);
        this.#slopes.fill(0);
        for (const row of batch) this.#learn(row, batch.length);
        this.#move(STEP * (1 - (0.9 * round) / rounds));
      }
    }
    return { inputs: this.#all.slice(0, this.#ends), ends: this.#all.slice(this.#ends) };
  }

  /** Adds the slopes of the loss of one row, some of whose inputs and hidden units are left out. */
  #learn({ inputs, values, isKept }: Row, count: number): void {
    const [all, slopes, sums, back, ends] = [this.#all, this.#slopes, this.#sums, this.#back, this.#ends];
    const given = values.map((value) => (this.#dice.chance(LEFT_OUT) ? 0 : value / (1 - LEFT_OUT)));
    let total = all[ends + 2 * HIDDEN] as number;
    for (let unit = 0; unit < HIDDEN; unit += 1) sums[unit] = all[ends + unit] as number;
    for (const [at, value] of given.entries()) {
      if (value === 0) continue;
      const from = (inputs[at] as number) * WIDTH;
      for (let unit = 0; unit < HIDDEN; unit += 1)
        sums[unit] = (sums[unit] as number) + value * (all[from + unit] as number);
      total += value * (all[from + HIDDEN] as number);
    }
    for (let unit = 0; unit < HIDDEN; unit += 1) {
      const isLeftOut = this.#dice.chance(LEFT_OUT) || (sums[unit] as number) <= 0;
      const scale = isLeftOut ? 0 : 1 / (1 - LEFT_OUT);
      back[unit] = scale * (all[ends + HIDDEN + unit] as number);
      sums[unit] = scale * Math.max(0, sums[unit] as number);
      total += (sums[unit] as number) * (all[ends + HIDDEN + unit] as number);
    }
    const error = (1 / (1 + Math.exp(-total)) - Number(isKept)) / count;
    for (let unit = 0; unit < HIDDEN; unit += 1) {
      back[unit] = (back[unit] as number) * error;
      slopes[ends + unit] = (slopes[ends + unit] as number) + (back[unit] as number);
      slopes[ends + HIDDEN + unit] =
        (slopes[ends + HIDDEN + unit] as number) + error * (sums[unit] as number);
    }
    slopes[ends + 2 * HIDDEN] = (slopes[ends + 2 * HIDDEN] as number) + error;
    for (const [at, value] of given.entries()) {
      if (value === 0) continue;
      const from = (inputs[at] as number) * WIDTH;
      for (let unit = 0; unit < HIDDEN; unit += 1)
        slopes[from + unit] = (slopes[from + unit] as number) + value * (back[unit] as number);
      slopes[from + HIDDEN] = (slopes[from + HIDDEN] as number) + value * error;
    }
  }

  #move(step: number): void {
    const [all, slopes, mean, square] = [this.#all, this.#slopes, this.#mean, this.#square];
    this.#steps += 1;
    const [slopeBias, squareBias] = [FORGETS.slope, FORGETS.square].map(
      (share) => 1 - (1 - share) ** this.#steps,
    );
    for (let at = 0; at < all.length; at += 1) {
      const offset = at - this.#ends;
      const isBias = offset >= 0 && (offset < HIDDEN || offset === 2 * HIDDEN);
      const slope = (slopes[at] as number) + (isBias ? 0 : RIDGE * (all[at] as number));
      const moved = (1 - FORGETS.slope) * (mean[at] as number) + FORGETS.slope * slope;
      const spread = (1 - FORGETS.square) * (square[at] as number) + FORGETS.square * slope * slope;
      mean[at] = moved;
      square[at] = spread;
      const by = moved / (slopeBias as number) / (Math.sqrt(spread / (squareBias as number)) + 1e-8);
      all[at] = (all[at] as number) - step * by;
    }
  }

  #shuffled(rows: readonly Row[]): Row[] {
    const order = [...rows];
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = this.#dice.between(0, at);
      [order[at], order[other]] = [order[other] as Row, order[at] as Row];
    }
    return order;
  }

  /** By Box and Muller (1958). */
  #normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#dice.random()));
    return radius * Math.cos(2 * Math.PI * this.#dice.random());
  }
}

const WIDTH = HIDDEN + 1;
