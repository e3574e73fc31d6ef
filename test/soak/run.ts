import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { soakDamage } from './damageSoak.ts';
import { soakFaults } from './faultSoak.ts';
import { soakFlips } from './flipSoak.ts';
import { soakFuzz } from './fuzzSoak.ts';
import { soakImports } from './importSoak.ts';
import { soakKills } from './killSoak.ts';
import { soakNotes } from './noteSoak.ts';
import { soakOutbound } from './outboundSoak.ts';
import { soakPrompts } from './promptSoak.ts';
import { soakWorlds } from './worldSoak.ts';

/**
 * Long runs that `npm test` does a short part of. A line of JSON for each; a seed replays it:
 * - `npm run soak -- prompts 10000 [first seed]`: conversations through the plan of the prompt
 * - `npm run soak -- world 100 10000 [first seed]`: seeds and acts of each, against a plain model
 * - `npm run soak -- kills 1000 [first seed]`: cores that are killed at any moment, against the same model
 * - `npm run soak -- faults 2000 [first seed] [file]`: acts with a write that fails or is the last one; 0 for every write. The file keeps
 *   what was run, so that the same command goes on after a stop
 * - `npm run soak -- flips 500 [first seed]`: a bit of the database that flips, and what opening and repairing it come to
 * - `npm run soak -- damage 10 [first seed] [file]`: every file of a data folder damaged in every way, so many bits of each turned; or
 *   bits of one file alone
 * - `npm run soak -- imports 100000`: a history of so many messages, imported by a core that is killed meanwhile, and once more
 * - `npm run soak -- outbound 60`: seconds for which the open window is left alone, in a network of its own
 * - `npm run soak -- fuzz 500 [first seed] [target]`: random input for whatever takes any; the target `notes` are notes and
 *   canvases, parsed in processes whose memory is measured
 */
const [what = 'prompts', ...numbers] = process.argv.slice(2);
const number = (place: number, otherwise: number) => Number(numbers[place] ?? otherwise);

if (what === 'prompts') await soakPrompts(number(0, 10_000), number(1, 1));
else if (what === 'world')
  await soakWorlds({ seeds: number(0, 100), acts: number(1, 10_000), first: number(2, 1) });
else if (what === 'kills') await soakKills(number(0, 1_000), number(1, 1));
else if (what === 'faults')
  await soakFaults({
    pairs: number(0, 2_000),
    first: number(1, 1),
    progress: numbers[2] ?? join(tmpdir(), 'souvenir-fault-soak.jsonl'),
  });
else if (what === 'damage') await soakDamage(number(0, 10), number(1, 1), numbers[2]);
else if (what === 'flips') await soakFlips(number(0, 500), number(1, 1));
else if (what === 'imports') await soakImports(number(0, 100_000));
else if (what === 'outbound') await soakOutbound(number(0, 60));
else if (what === 'fuzz' && numbers[2] === 'notes') await soakNotes(number(0, 10_000), number(1, 1));
else if (what === 'fuzz') await soakFuzz(number(0, 500), number(1, 1), numbers[2]);
else
  throw new Error(
    `there is no soak called ${what}: prompts, world, kills, faults, damage, flips, imports, outbound, fuzz`,
  );
