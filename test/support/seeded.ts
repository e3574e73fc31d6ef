/** Random decisions, the same for the same seed (Mulberry32). */
export class Dice {
  /** What the next numbers follow from: set back, it gives them again. */
  state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  /** From 0 to 1, 1 excluded. */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** True this often, from 0 (never) to 1 (always). */
  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** The whole number from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T;
  }

  /** Up to `count` different values. */
  some<T>(values: readonly T[], count: number): T[] {
    const left = [...values];
    return Array.from(
      { length: Math.min(count, left.length) },
      () => left.splice(Math.floor(this.random() * left.length), 1)[0] as T,
    );
  }
}

/** Random numbers from 0 to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  const dice = new Dice(seed);
  return () => dice.random();
}
