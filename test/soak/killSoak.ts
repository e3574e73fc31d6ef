import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyVersion } from '../../src/shared/contract/chat.ts';
import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { Dice } from '../support/seeded.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { type Act, pickByWeight } from './act.ts';
import { ChildCore } from './childCore.ts';
import { DoneAlready, NotDone } from './doneAlready.ts';
import { FORGETTINGS, ForgettingKills } from './killedForgetting.ts';
import { MigrationKills } from './killedMigration.ts';
import { REPLACEMENTS, ReplacementKills } from './killedReplacement.ts';
import { type KillFigures, newFigures, SCENES, type Scene } from './killScenes.ts';
import { same } from './same.ts';
import { World } from './world.ts';
import { chatActs } from './worldChat.ts';
import { compareWorld } from './worldCompare.ts';
import { dataActs } from './worldData.ts';
import { factActs } from './worldFacts.ts';
import { type ModelReply, type ModelState, vaultsInUse } from './worldModel.ts';
import { summaryActs } from './worldSummaries.ts';
import { knowNotes, vaultActs } from './worldVault.ts';

/** One core that is killed again and again, and compared with its model after each start. */
class KillRun {
  readonly #figures: KillFigures;
  readonly #world: World;
  readonly #acts: Act[];
  /** Backups that were acknowledged, the newest first. */
  readonly #backups: string[] = [];

  constructor(world: World, figures: KillFigures) {
    this.#world = world;
    this.#figures = figures;
    this.#acts = [
      ...vaultActs(world),
      ...chatActs(world),
      ...factActs(world),
      ...summaryActs(world),
      ...dataActs(world),
    ].filter(({ name }) => name !== BACK_UP);
    this.#acts.push({ name: BACK_UP, weight: 4, run: () => this.#backUp() });
  }

  /** @throws Error that says what was lost, or left half done */
  async play(kills: number): Promise<void> {
    await this.#world.begin();
    while (this.#figures.kills < kills) {
      const scene = this.#world.dice.pick(SCENES);
      const overtaken = await this.#actUntilKilled(scene);
      this.#figures.kills += 1;
      this.#figures.scenes[scene.name] = (this.#figures.scenes[scene.name] ?? 0) + 1;
      try {
        await this.#recover(overtaken);
      } catch (error) {
        const { seed, dice } = this.#world;
        const where = `seed ${seed}, kill ${this.#figures.kills}, ${scene.name}, during "${overtaken.act?.name}"`;
        throw new Error(`${where} (${dice.state}): ${(error as Error).message}`, { cause: error });
      }
    }
  }

  async close(): Promise<void> {
    await this.#world.close();
  }

  async #actUntilKilled(scene: Scene): Promise<Overtaken> {
    const world = this.#world;
    const core = world.core as ChildCore;
    const acts = this.#acts.filter(({ name }) => scene.acts.includes(name));
    let isKilled = false;
    const killing = sleep(world.dice.between(0, scene.withinMs)).then(() => {
      isKilled = true;
      return core.kill();
    });
    let overtaken: Overtaken = { act: null, state: world.state, dice: 0, words: 0 };
    try {
      for (;;) {
        overtaken = { act: null, state: world.state, dice: 0, words: 0 };
        await world.pass(1_000);
        const act = pickByWeight(acts, world.dice);
        overtaken = { act, state: structuredClone(world.state), dice: world.dice.state, words: world.words };
        if ((await act.run()) !== null) {
          this.#figures.acknowledged += 1;
          this.#figures.acts[act.name] = (this.#figures.acts[act.name] ?? 0) + 1;
        }
        if (scene.restMs !== undefined) await sleep(scene.restMs);
      }
    } catch (error) {
      if (!isKilled) throw error;
    }
    await killing;
    return overtaken;
  }

  /** Opens the core again: everything that was acknowledged is there, and the act that was overtaken is whole or not there at all. */
  async #recover(overtaken: Overtaken): Promise<void> {
    const world = this.#world;
    const startedAt = performance.now();
    // A message that was accepted is acknowledged, whatever becomes of its reply.
    const mustBeWhole = countTurns(world.state) > countTurns(overtaken.state);
    world.core = null;
    await world.open();
    // It has vaults looked through and vectors written, as every start does, and says what is wrong then.
    same('findings after a kill', (await world.client.app.doctor({})).findings, []);
    this.#figures.recoveriesMs.push(Math.round(performance.now() - startedAt));
    const problems: string[] = [];
    for (const outcome of overtaken.act ? (['whole', 'notAtAll'] as const) : (['notAtAll'] as const)) {
      if (outcome === 'notAtAll' && mustBeWhole) continue;
      try {
        world.state = structuredClone(overtaken.state);
        if (outcome === 'whole' && overtaken.act) await this.#doAgain(overtaken.act, overtaken);
        for (const vault of vaultsInUse(world.state)) knowNotes(world, vault);
        await compareWorld(world, { searching: this.#figures.kills % SEARCHED_EVERY === 0 });
        await this.#compareBackups();
        if (overtaken.act) this.#figures.inFlight[outcome] += 1;
        return;
      } catch (error) {
        problems.push(`if it is ${outcome}: ${(error as Error).message}`);
      }
    }
    throw new Error(problems.join('\n'));
  }

  /** Does to the model what an act did to the core before the kill. @throws NotDone */
  async #doAgain(act: Act, from: Overtaken): Promise<void> {
    const world = this.#world;
    const already = new DoneAlready(world.client);
    const { state } = world.dice;
    world.dice.state = from.dice;
    world.words = from.words;
    world.standIn = already.client;
    try {
      await act.run();
    } finally {
      world.standIn = null;
      world.dice.state = state;
    }
    const turns = world.state.conversations.flatMap((conversation) => conversation.turns);
    for (const { turnId, reply } of already.replies) {
      const turn = turns.find(({ id }) => id === turnId);
      const whole = turn?.replies.at(-1);
      if (!turn || !whole) throw new NotDone(`no reply of ${turnId}`);
      turn.replies[turn.replies.length - 1] = keptOf(whole, reply);
    }
  }

  async #backUp(): Promise<string> {
    const { path } = await this.#world.client.data.backUp({});
    this.#backups.unshift(path);
    return path;
  }

  async #compareBackups(): Promise<void> {
    const { backups } = await this.#world.client.data.backups();
    const listed = backups.map(({ path }) => path);
    // The newest ones are kept, of which those that no one heard of may be some.
    for (const path of this.#backups.slice(0, 1))
      same('the last backup is listed', listed.includes(path), true);
  }
}

/** The doctor compares full text and vectors with the rows after each kill; a search, which starts threads, now and then. */
const SEARCHED_EVERY = 4;
const BACK_UP = 'back up';

/** The act that a kill overtook, and what there was before it. */
interface Overtaken {
  /** Null if the kill came between two acts. */
  act: Act | null;
  state: ModelState;
  dice: number;
  words: number;
}

/** What a kill may leave of a reply: all of it, or a beginning that is marked as cut short. */
function keptOf(whole: ModelReply, { state, content, reasoning, tools }: ReplyVersion): ModelReply {
  const isWhole = state === whole.state && content === whole.content;
  const isCut = state === 'interrupted' && whole.content.startsWith(content);
  if (!isWhole && !isCut) throw new Error(`a reply is neither whole nor interrupted: ${state}`);
  return { state, content, asked: tools.map((call) => call.arguments), thoughts: reasoning };
}

const countTurns = ({ conversations }: ModelState): number =>
  conversations.reduce((sum, { turns }) => sum + turns.length, 0);

/** Kills in one data folder, of migrations, of replacements and of forgetting, before another folder is begun. */
const KILLS_OF_ONE = 32;
const KILLED_MIGRATIONS = 8;
const KILLED_REPLACEMENTS = 8;
const KILLED_FORGETTINGS = 8;

/**
 * Kills one core again and again, in folders of its own.
 * @throws Error that says what was lost, or left half done
 */
export async function runKills(
  { seed, kills }: { seed: number; kills: number },
  server: OpenAiServer,
  figures = newFigures(),
): Promise<void> {
  const folder = temporaryFolder();
  const run = new KillRun(new World({ seed, folder, server, open: ChildCore.open }), figures);
  try {
    await run.play(kills);
  } finally {
    await run.close();
    removeFolder(folder);
  }
}

/** Kills cores in the midst of everything, and prints figures. Interrupted, it goes on from the first seed not printed. */
export async function soakKills(kills: number, first: number): Promise<void> {
  const server = await startOpenAiServer();
  const migrations = new MigrationKills();
  await migrations.begin();
  const replacements = new ReplacementKills();
  await replacements.begin();
  const forgettings = new ForgettingKills();
  await forgettings.begin();
  let failed = 0;
  let done = 0;
  let migrated = 0;
  let replaced = 0;
  let forgotten = 0;
  for (let seed = first; done < kills; seed += 1) {
    const figures = newFigures();
    const attempt = async (work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        failed += 1;
        console.error(`seed ${seed}: ${(error as Error).message}`);
      }
    };
    await attempt(() => runKills({ seed, kills: Math.min(KILLS_OF_ONE, kills - done) }, server, figures));
    done += figures.kills;
    const dice = new Dice(seed);
    for (let left = Math.min(KILLED_MIGRATIONS, kills - done); left > 0; left -= 1) {
      await attempt(() => migrations.kill(dice.random()));
      done += 1;
      migrated += 1;
    }
    for (let left = Math.min(KILLED_REPLACEMENTS, kills - done); left > 0; left -= 1) {
      const what = REPLACEMENTS[left % REPLACEMENTS.length] as (typeof REPLACEMENTS)[number];
      await attempt(() => replacements.kill(what, dice.random()));
      done += 1;
      replaced += 1;
    }
    for (let left = Math.min(KILLED_FORGETTINGS, kills - done); left > 0; left -= 1) {
      const what = FORGETTINGS[left % FORGETTINGS.length] as (typeof FORGETTINGS)[number];
      await attempt(() => forgettings.kill(what, dice.random()));
      done += 1;
      forgotten += 1;
    }
    const { recoveriesMs, ...counts } = figures;
    const inOrder = recoveriesMs.toSorted((one, other) => one - other);
    const recoveryMs = { median: inOrder[inOrder.length >> 1], slowest: inOrder.at(-1) };
    console.error(
      JSON.stringify({ seed, done, failed, migrated, replaced, forgotten, recoveryMs, ...counts }),
    );
  }
  migrations.end();
  replacements.end();
  forgettings.end();
  await server.close();
  console.log(JSON.stringify({ soak: 'kills', kills: done, migrated, replaced, forgotten, first, failed }));
  if (failed > 0) process.exitCode = 1;
}
