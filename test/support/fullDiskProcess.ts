import { appendFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { createApp } from '../../src/core/app.ts';
import { codeOf } from '../../src/shared/errors.ts';
import { writeNotes } from './temporary.ts';
import { ask, indexVault, until } from './testApp.ts';

/**
 * A process whose data folder is on a small disk of its own, which it fills and empties while the core runs. Prints what each act came to
 * as one line of JSON. Arguments: the disk, and a vault elsewhere.
 */
const [disk, vault] = process.argv.slice(2) as [string, string];
const PATIENCE_MS = 120_000;
/** Bytes: room for some facts and messages, not for a copy of the database. */
const ROOM = 300_000;
const filler = join(disk, 'filler');

/** Fills the disk, from large pieces to single bytes. */
function fill(): void {
  for (const bytes of [1_048_576, 65_536, 4_096, 512, 1]) {
    try {
      for (;;) appendFileSync(filler, Buffer.alloc(bytes));
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOSPC') throw error;
    }
  }
}

/** Fills the disk but for so many bytes. */
function fillBut(bytes: number): void {
  fill();
  truncateSync(filler, statSync(filler).size - bytes);
}

const empty = () => rmSync(filler, { force: true });

/** What a call throws: `ok` if it succeeds. A core that is reached by its client gives coded errors; others are named by `codeOf`. */
async function codeAfter(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'ok';
  } catch (error) {
    const { code } = error as { code?: string };
    return code === undefined ? codeOf(error).code : code;
  }
}

/** Repeats a call until it fails: a full disk still has room in pages and files that exist. */
async function codeAtLast(work: (time: number) => unknown): Promise<string> {
  for (let time = 0; ; time += 1) {
    const code = await codeAfter(() => work(time));
    if (code !== 'ok' || time > 5_000) return code;
  }
}

const dataDir = join(disk, 'data');
const app = createApp({ dataDir, version: 'test' });
const { client, services, log } = app;
await services.vectors.whenReady();
await client.vaults.add({ path: vault });
app.watch();
await indexVault(app, vault);
await services.vectors.settled();
services.settings.change({ timeoutMs: 5_000 });
const { turn } = await ask(app, 'Quand planter les tomates ?');

// The last writes are accepted, and the next one finds no room.
fillBut(ROOM);
const accepted: string[] = [];
const full: Record<string, string> = {};
full.fact = await codeAtLast(async (time) => {
  const content = `Le numéro ${time} est retenu. ${'x'.repeat(500)}`;
  await client.facts.add({ content });
  accepted.push(content);
});
full.message = await codeAtLast(async (time) => {
  const text = `Une question ${time} ${'y'.repeat(5_000)}`;
  for await (const event of await client.chat.runTurn({ text, conversationId: turn.conversationId }))
    if (event.type === 'accepted') accepted.push(text);
});
full.setting = await codeAtLast((time) => client.app.changeSettings({ maxResults: 1 + (time % 10) }));
full.key = await codeAtLast((time) =>
  client.models.setKey({ baseUrl: `http://127.0.0.1:${time + 1}/v1`, key: 'k'.repeat(2_000) }),
);
// A log that is folded into the database meanwhile may leave room for a copy.
const elsewhere = join(disk, 'copy.sqlite');
const backUpAtLast = (to: { path?: string }) =>
  codeAtLast(() => {
    rmSync(elsewhere, { force: true });
    fillBut(ROOM);
    return client.data.backUp(to);
  });
full.backup = await backUpAtLast({});
full.backupElsewhere = await backUpAtLast({ path: elsewhere });
for (let line = 0; line < 200; line += 1) log.warn({ line, filler: 'z'.repeat(200) }, 'the disk is full');
const addNotes = (name: string) =>
  writeNotes(
    vault,
    Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `${name} ${n}.md`,
        `# ${name} ${n}\n\n${'Mots divers. '.repeat(90)}`,
      ]),
    ),
  );
let written = 1;
full.index = await codeAtLast(async (time) => {
  fillBut(ROOM);
  addNotes(`Neuf ${time}`);
  written += 60;
  await indexVault(app, vault);
});
const indexProblem = async () => (await client.vaults.list())[0]?.progress.problem?.code ?? null;
const stored = () => services.notes.counts().indexed;
// The watch may just have begun to try again. If other work gave room back meanwhile, it has succeeded: then there are more notes.
full.indexTold = await until(async () => {
  const told = await indexProblem();
  if (told === null && stored() === written) {
    fillBut(ROOM);
    addNotes(`Encore ${written}`);
    written += 60;
    await codeAfter(() => indexVault(app, vault));
  }
  return told;
}, PATIENCE_MS);
// The day's own copy may have been made while there was room: it is whole.
const isWhole = (path: string) => {
  const copy = new BetterSqlite3(path, { readonly: true });
  const found = copy.pragma('integrity_check', { simple: true });
  copy.close();
  return found === 'ok';
};
const halfMade =
  services.backups.list().filter(({ path }) => !isWhole(path)).length + Number(existsSync(elsewhere));

empty();
// Nobody asks for anything: notes, their vectors and the end of the turn come by themselves.
await until(() => stored() === written, PATIENCE_MS);
await until(() => {
  const { state, pending } = services.vectors.progress();
  return state === 'ready' && pending === 0;
}, PATIENCE_MS);
await until(async () => (await indexProblem()) === null, PATIENCE_MS);
const pendingReplies = () => services.conversations.pendingReplies().length;
await until(() => pendingReplies() === 0, PATIENCE_MS);
// The next look takes over the jobs whose end could not be written down. It comes within a minute; here it is not waited for.
await services.jobs.settled();
const backup = await codeAfter(() => client.data.backUp({}));
const kept = services.db.all<{ content: string }>(
  'SELECT content FROM messages UNION ALL SELECT content FROM facts',
);
const lost = accepted.filter((text) => !kept.some(({ content }) => content.includes(text))).length;
const doctor = await client.app.doctor({ repair: false });
const droppedLines = readFileSync(join(dataDir, 'souvenir.log'), 'utf8')
  .split('\n')
  .filter((line) => line.includes('could not be written')).length;

// Started on a disk that is full from the beginning, it says so, or works as far as it can be read.
await app.close();
fill();
const start = await codeAfter(() => createApp({ dataDir, version: 'test' }).close());
empty();
const startAgain = await codeAfter(() => createApp({ dataDir, version: 'test' }).close());
console.log(
  JSON.stringify({
    full,
    accepted: accepted.length,
    halfMade,
    lost,
    backup,
    doctor: { ok: doctor.ok, findings: doctor.findings.slice(0, 3) },
    droppedLines,
    start,
    startAgain,
  }),
);
