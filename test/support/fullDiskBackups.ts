import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/core/app.ts';
import { bytesLeft } from './bytesLeft.ts';
import { until } from './testApp.ts';

/**
 * A process whose data folder is on a small disk of its own, which it fills while backups are to be rewritten. Prints what came of it as
 * one line of JSON. Arguments: the disk.
 */
const [disk] = process.argv.slice(2) as [string];
const PATIENCE_MS = 60_000;
const SECRET = 'Le parachutiste Quenouillard apprivoise des ornithorynques';
const filler = join(disk, 'filler');
let lateMs = 0;

const dataDir = join(disk, 'data');
const { client, services, close } = createApp(
  { dataDir, version: 'test' },
  { clock: { now: () => Date.now() + lateMs } },
);
const fact = await client.facts.add({ content: SECRET });
await client.facts.add({ content: 'Léa est allergique aux arachides' });
await services.vectors.settled();
const { path } = await client.data.backUp({});
const before = readFileSync(path);
await client.forget.apply({ ticked: { facts: [fact.id] }, now: true });
await services.jobs.settled();

try {
  for (;;) appendFileSync(filler, Buffer.alloc(65_536));
} catch (error) {
  if ((error as { code?: string }).code !== 'ENOSPC') throw error;
}
// The request can be written down, and a copy of the database finds no room.
truncateSync(filler, statSync(filler).size - 262_144);
await client.forget.eraseFromBackups();
const states = async () => (await client.forget.backupErasure()).copies.map(({ state }) => state);
await until(async () => (await states()).join() === 'failed', PATIENCE_MS);
const [copy] = (await client.forget.backupErasure()).copies;
const told = { state: copy?.state, problem: copy?.problem?.code };
const isUnchanged = readFileSync(path).equals(before);
const partials = readdirSync(join(dataDir, 'backups')).filter((name) => name.includes('partial')).length;

rmSync(filler);
lateMs = 60_000;
await services.jobs.settled();
await until(async () => (await states()).join() === 'done', PATIENCE_MS);
const afterwards = (await states()).join();
const left = bytesLeft(dataDir, SECRET);
await close();
console.log(JSON.stringify({ told, isUnchanged, partials, afterwards, left }));
