import { type Act, pickByWeight } from './act.ts';
import type { World } from './world.ts';
import { chatActs } from './worldChat.ts';
import { compareWorld } from './worldCompare.ts';
import { dataActs } from './worldData.ts';
import { factActs } from './worldFacts.ts';
import { forgetActs } from './worldForget.ts';
import { wordsOf } from './worldModel.ts';
import { summaryActs } from './worldSummaries.ts';
import { turnActs } from './worldTurns.ts';
import { vaultActs } from './worldVault.ts';

/** Acts that a report of a divergence names. */
const NAMED = 12;

/** A random run: acts on a world, and comparisons with its model. */
export class WorldRun {
  /** How often each act was done. */
  readonly counts = new Map<string, number>();
  readonly #world: World;
  readonly #acts: Act[];
  readonly #told: string[] = [];
  #done = 0;

  constructor(world: World) {
    this.#world = world;
    this.#acts = [
      ...vaultActs(world),
      ...chatActs(world),
      ...factActs(world),
      ...forgetActs(world),
      ...turnActs(world),
      ...summaryActs(world),
      ...dataActs(world),
    ];
  }

  /**
   * Does random acts, and compares everything after every `every` of them and at the end.
   * @throws Error that names seed, act and difference
   */
  async play(acts: number, every: number): Promise<void> {
    try {
      for (let count = 1; count <= acts; count += 1) {
        await this.#actOnce();
        if (count % every === 0 || count === acts)
          await compareWorld(this.#world, { deeply: count % (8 * every) === 0 });
      }
    } catch (error) {
      throw new Error(
        `seed ${this.#world.seed}, act ${this.#done}: ${(error as Error).message}\n${this.#recall((error as Error).message)}`,
        { cause: error },
      );
    }
  }

  /** The last acts, and those before them that name a word of the message. */
  #recall(message: string): string {
    const words = wordsOf(message);
    const earlier = this.#told.slice(0, -NAMED).filter((act) => words.some((word) => act.includes(word)));
    return `acts:\n  ${[...earlier.slice(-NAMED), '…', ...this.#told.slice(-NAMED)].join('\n  ')}`;
  }

  async #actOnce(): Promise<void> {
    const { dice } = this.#world;
    for (;;) {
      const act = pickByWeight(this.#acts, dice);
      this.#done += 1;
      this.#told.push(`${this.#done} ${act.name} …`);
      await this.#world.pass(dice.between(1, 5) * 1_000);
      const what = await act.run();
      this.#told.pop();
      this.#world.ledger.look(this.#world.state);
      if (what === null) {
        this.#done -= 1;
        continue;
      }
      this.#told.push(`${this.#done} ${act.name} ${what}`);
      this.counts.set(act.name, (this.counts.get(act.name) ?? 0) + 1);
      return;
    }
  }
}
