import { type OpenAiServer, startOpenAiServer } from '../fakes/openAiServer.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { World } from './world.ts';
import { openHere } from './worldCore.ts';
import { WorldRun } from './worldRun.ts';

/** Acts between two comparisons of everything. */
export const COMPARED_EVERY = 50;

/**
 * One random run of a core against its model, in folders of its own.
 * @returns how often each act was done
 * @throws Error that names the seed, the act and what differs
 */
export async function runWorld(
  seed: number,
  acts: number,
  server: OpenAiServer,
): Promise<Map<string, number>> {
  const folder = temporaryFolder();
  const world = new World({ seed, folder, server, open: openHere });
  try {
    await world.begin();
    const run = new WorldRun(world);
    await run.play(acts, COMPARED_EVERY);
    return run.counts;
  } finally {
    await world.close();
    removeFolder(folder);
  }
}

/** Runs seeds one after another, and goes on after one that diverged. Interrupted, it goes on from the first seed not printed. */
export async function soakWorlds(run: { seeds: number; acts: number; first: number }): Promise<void> {
  const server = await startOpenAiServer();
  const diverged: number[] = [];
  const total = new Map<string, number>();
  const startedAt = performance.now();
  for (let seed = run.first; seed < run.first + run.seeds; seed += 1) {
    const from = performance.now();
    try {
      const counts = await runWorld(seed, run.acts, server);
      for (const [name, count] of counts) total.set(name, (total.get(name) ?? 0) + count);
    } catch (error) {
      diverged.push(seed);
      console.error((error as Error).message);
    }
    const actsPerSecond = Math.round((run.acts * 1_000) / (performance.now() - from));
    console.error(JSON.stringify({ seed, diverged: diverged.includes(seed), actsPerSecond }));
  }
  await server.close();
  const minutes = Math.round((performance.now() - startedAt) / 60_000);
  console.log(JSON.stringify({ soak: 'world', ...run, diverged, minutes, done: Object.fromEntries(total) }));
  if (diverged.length > 0) process.exitCode = 1;
}
