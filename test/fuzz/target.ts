/** Something that random input is thrown at. */
export interface FuzzTarget {
  name: string;
  open(): Promise<FuzzSession>;
}

export interface FuzzSession {
  /**
   * Throws what belongs to a seed at the target.
   * @throws Error that names the input, if a promise is broken
   */
  run(seed: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs seeds one after the other. @throws Error that names the seed */
export async function fuzz(target: FuzzTarget, first: number, count: number): Promise<void> {
  const session = await target.open();
  try {
    for (let seed = first; seed < first + count; seed += 1) {
      try {
        await session.run(seed);
      } catch (error) {
        throw new Error(`${target.name}, seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
  } finally {
    await session.close();
  }
}
