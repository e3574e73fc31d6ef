import { readFileSync } from 'node:fs';
import { resourcePath } from '../../support/resources.ts';
import type { Shown } from './shown.ts';

/**
 * Small neural nets that weigh what a clause shows. Each has one hidden layer of rectified units, and beside it a weight of its own for
 * each input, which is what that piece of evidence counts whatever else is shown. Their mean counts.
 */
export interface ClauseNets {
  /** Inputs that a clause shows or does not; behind them come those of its meaning. */
  names: readonly string[];
  /** Number of inputs that tell the meaning. */
  dimensions: number;
  hidden: number;
  nets: readonly ClauseNet[];
}

export interface ClauseNet {
  /** A row for each input: its weight to each hidden unit, then its own. */
  inputs: Float32Array;
  /** What each hidden unit begins with, what it counts, and what every clause begins with. */
  ends: Float32Array;
}

/** Where the nets are that `npm run eval -- facts --fit` makes. */
export const CLAUSE_NETS = 'clause-nets.bin';

/** Log odds that a clause is to be kept. */
export type Weigh = (shown: Shown) => number;

/** The built-in weighing, read when it is first needed. */
export const weigh: Weigh = (shown) => {
  builtIn ??= weighBy(parseNets(readFileSync(resourcePath(CLAUSE_NETS))));
  return builtIn(shown);
};
let builtIn: Weigh | undefined;

export function weighBy({ names, hidden, nets }: ClauseNets): Weigh {
  const rows = new Map(names.map((name, row) => [name, row]));
  const width = hidden + 1;
  const sums = new Float64Array(width);
  return ({ evidence, meaning }) => {
    const shown = evidence.flatMap((name) => rows.get(name) ?? []);
    let total = 0;
    for (const { inputs, ends } of nets) {
      for (let unit = 0; unit < hidden; unit += 1) sums[unit] = ends[unit] as number;
      sums[hidden] = ends[2 * hidden] as number;
      const add = (row: number, value: number) => {
        const from = row * width;
        for (let unit = 0; unit < width; unit += 1)
          sums[unit] = (sums[unit] as number) + value * (inputs[from + unit] as number);
      };
      for (const row of shown) add(row, 1);
      for (const [at, value] of meaning.entries()) add(names.length + at, value);
      total += sums[hidden] ?? 0;
      for (let unit = 0; unit < hidden; unit += 1)
        total += Math.max(0, sums[unit] as number) * (ends[hidden + unit] as number);
    }
    return total / nets.length;
  };
}

/**
 * As bytes: the length of a header (32 bits, little-endian), the header in JSON, then for each net a scale for each column of the inputs
 * and all ends as 32-bit floats, and the inputs as signed bytes.
 */
export function writeNets({ names, dimensions, hidden, nets }: ClauseNets): Buffer {
  const header = Buffer.from(JSON.stringify({ hidden, dimensions, nets: nets.length, names }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  const width = hidden + 1;
  const parts = nets.flatMap(({ inputs, ends }) => {
    const scales = new Float32Array(width);
    for (const [at, value] of inputs.entries())
      scales[at % width] = Math.max(scales[at % width] as number, Math.abs(value) / 127);
    const values = Int8Array.from(inputs, (value, at) => Math.round(value / (scales[at % width] || 1)));
    return [scales, ends, values].map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength));
  });
  return Buffer.concat([length, header, ...parts]);
}

export function parseNets(bytes: Buffer): ClauseNets {
  const length = bytes.readUInt32LE(0);
  const header = JSON.parse(bytes.toString('utf8', 4, 4 + length)) as Header;
  const { hidden, dimensions, names } = header;
  const width = hidden + 1;
  let at = 4 + length;
  // Copied, because a view of floats must begin at a multiple of four bytes. Every processor that Souvenir runs on is little-endian.
  const floats = (count: number) => {
    at += count * 4;
    return new Float32Array(Uint8Array.from(bytes.subarray(at - count * 4, at)).buffer);
  };
  const nets = Array.from({ length: header.nets }, (): ClauseNet => {
    const scales = floats(width);
    const ends = floats(2 * hidden + 1);
    const count = (names.length + dimensions) * width;
    const values = new Int8Array(bytes.buffer, bytes.byteOffset + at, count);
    at += count;
    return {
      inputs: Float32Array.from(values, (value, one) => value * (scales[one % width] as number)),
      ends,
    };
  });
  return { names, dimensions, hidden, nets };
}

interface Header {
  hidden: number;
  dimensions: number;
  nets: number;
  names: string[];
}
