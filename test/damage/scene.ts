import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type App, type AppPorts, restorableCopies, restoreBackup } from '../../src/core/app.ts';
import { giveToUser } from '../support/asUser.ts';
import { removeFolder, writeNotes } from '../support/temporary.ts';
import { ask, indexVault, openTestCore } from '../support/testApp.ts';
import { type DamageCase, type Entry, isOfRights, type Start } from './cases.ts';

export const KEY = { baseUrl: 'http://127.0.0.1:9/v1', key: 'une clé' };

const NOTES = Object.fromEntries(
  ['tomates', 'haies', 'oignons', 'volets', 'toiture', 'chaudière'].map((what, n) => [
    `${what}.md`,
    `# ${what}\n\nLa note ${n} parle de ${what}, et de ce qui reste à faire avant l’hiver.\n`,
  ]),
);

/** What a user would miss: rows that cannot be derived, by kind and id. */
export type Content = ReadonlyMap<string, string>;

/** What a data folder holds before it is damaged. */
export interface Truth {
  content: Content;
  /** What holds once the newest copy was restored. */
  restored: Content;
  notes: number;
}

const DAY_MS = 86_400_000;
const AT = Date.UTC(2026, 0, 5);
const LATER = AT + 2 * DAY_MS;

/** The time of every start. */
export const NOW = LATER + 60_000;

/** Opens a core as every start does. */
export const open = (dataDir: string, ports: AppPorts = {}): App =>
  openTestCore(dataDir, { clock: { now: () => NOW }, ...ports });

/** Data folders in use, each made once and copied for every case. */
export class Scenes {
  readonly #root: string;
  /** What each start finds, `erasing` apart. */
  readonly truths: Map<Start, Truth>;

  /** @param truths of scenes that another process has made in this folder */
  constructor(root: string, truths = new Map<Start, Truth>()) {
    this.#root = root;
    this.truths = truths;
  }

  /** @param root an empty folder, which has to stay: the vault is in it */
  static async make(root: string): Promise<Scenes> {
    const scenes = new Scenes(root);
    // The cases about rights run as a user who owns the data folder alone.
    chmodSync(root, 0o755);
    writeNotes(join(root, 'vault'), NOTES);
    await live(scenes.folder('closed'), scenes.folder('killed'), join(root, 'vault'));
    for (const start of ['closed', 'killed'] as const) furnish(scenes.folder(start));
    cpSync(scenes.folder('closed'), scenes.folder('erasing'), { recursive: true, preserveTimestamps: true });
    writeFileSync(join(scenes.folder('erasing'), 'souvenir.erasing'), '');
    for (const start of ['closed', 'killed'] as const) scenes.truths.set(start, await scenes.#truthOf(start));
    scenes.truths.set('erasing', scenes.truth('closed'));
    return scenes;
  }

  folder(start: Start): string {
    return join(this.#root, start);
  }

  truth(start: Start): Truth {
    return this.truths.get(start) as Truth;
  }

  /** What can be damaged at a start. Of a folder that is being erased, only the mark that says so. */
  entries(start: Start): Entry[] {
    const dir = this.folder(start);
    const all = readdirSync(dir, { recursive: true, withFileTypes: true }).map((entry): Entry => {
      const path = join(entry.parentPath, entry.name);
      const isFolder = entry.isDirectory();
      return {
        path: relative(dir, path).split(sep).join('/'),
        isFolder,
        bytes: isFolder ? 0 : statSync(path).size,
      };
    });
    const chosen = all.filter(({ path }) => start !== 'erasing' || path === 'souvenir.erasing');
    return chosen.sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  read(start: Start, path: string): Buffer {
    return readFileSync(join(this.folder(start), path));
  }

  /** Makes the data folder of a case at `to`, and damages it. */
  make(damageCase: DamageCase, to: string): void {
    cpSync(this.folder(damageCase.start), to, { recursive: true, preserveTimestamps: true });
    if (isOfRights(damageCase)) giveToUser(to);
    damage(join(to, damageCase.path), damageCase);
  }

  async #truthOf(start: Start): Promise<Truth> {
    const dir = join(this.#root, 'truth');
    cpSync(this.folder(start), dir, { recursive: true, preserveTimestamps: true });
    const { content, notes } = await readOnce(dir);
    removeFolder(dir);
    cpSync(this.folder(start), dir, { recursive: true, preserveTimestamps: true });
    const [newest] = restorableCopies(dir);
    if (newest) restoreBackup(dir, newest.path);
    const { content: restored } = await readOnce(dir);
    removeFolder(dir);
    return { content, restored, notes };
  }
}

/** Uses a data folder as somebody would in some days, and leaves it killed in the one place, closed in the other. */
async function live(closed: string, killed: string, vault: string): Promise<void> {
  let now = AT;
  const app = open(closed, { clock: { now: () => now } });
  const { client, services } = app;
  // What is deleted is gone for good when the days have passed.
  services.settings.change({ maxResults: 3, timeoutMs: 5_000, keepDeletedDays: 1 });
  await client.models.setKey(KEY);
  await indexVault(app, vault);
  for (const content of ['Léa est allergique aux arachides', 'Le train part à huit heures'])
    await client.facts.add({ content });
  const forgotten = await client.facts.add({ content: 'Un fait qui sera oublié' });
  const { turn: deleted } = await ask(app, 'Combien coûtent les volets ?');
  await client.data.backUp({});
  // Forgotten for good once the second copy is made: only the list of what was deleted still knows of it.
  await client.facts.remove({ ids: [forgotten.id] });
  await client.chat.remove({ id: deleted.conversationId });
  now = LATER;
  await services.jobs.settled();
  await ask(app, 'Quand planter les tomates ?');
  const { path } = await client.data.backUp({});
  await client.data.restore({ path });
  const edited = await client.facts.add({ content: 'Le jardin est au nord' });
  await client.data.backUp({});
  await client.facts.edit({ id: edited.id, content: 'Le jardin est au sud' });
  await app.services.vectors.settled();
  // Folds the log, so that from here on everything is in the log alone.
  services.db.pragma('wal_checkpoint(TRUNCATE)');
  await client.facts.add({ content: 'Ajouté après la dernière copie' });
  await ask(app, 'Que reste-t-il à faire pour la toiture ?');
  await app.services.vectors.settled();
  app.publish({ pid: process.pid, port: 9, token: 'token' });
  await client.facts.add({ content: 'Ajouté juste avant la fin' });
  cpSync(closed, killed, { recursive: true, preserveTimestamps: true });
  await app.close();
}

/** Adds what a host and time leave in a data folder. */
function furnish(dataDir: string): void {
  for (const [path, content] of [
    ['souvenir.log.1', '{"level":30,"msg":"an older line"}\n'],
    ['start/0123456789abcdef.html', '<!doctype html>'],
    ['browser/Default/Preferences', '{}'],
    ['owner.json', JSON.stringify({ pid: 1, port: 9, token: 'token' })],
  ] as const) {
    mkdirSync(join(dataDir, path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(join(dataDir, path), content, { mode: 0o600 });
  }
}

function damage(path: string, { damage: what, bit }: DamageCase): void {
  if (what === 'none') return;
  const isFolder = statSync(path).isDirectory();
  const { size } = statSync(path);
  if (what === 'empty') truncateSync(path);
  else if (what === 'half') truncateSync(path, size >> 1);
  else if (what === 'byte short') truncateSync(path, size - 1);
  else if (what === 'zeroed') writeFileSync(path, Buffer.alloc(size));
  else if (what === 'flipped') {
    const bytes = readFileSync(path);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, bytes);
  } else if (what === 'closed') chmodSync(path, 0);
  else if (what === 'foreign') {
    chmodSync(path, isFolder ? 0o700 : 0o600);
    chownSync(path, 0, 0);
  } else {
    rmSync(path, { recursive: true });
    if (what === 'missing') return;
    if (isFolder) writeFileSync(path, 'no folder');
    else mkdirSync(path);
  }
}

async function readOnce(dataDir: string): Promise<Pick<Truth, 'content' | 'notes'>> {
  const app = open(dataDir);
  try {
    return { content: await contentOf(app), notes: (await app.client.app.stats()).notes.indexed };
  } finally {
    await app.close();
  }
}

/** Reads everything that cannot be derived, as an export does. */
export async function contentOf({ client }: App): Promise<Content> {
  const content = new Map<string, string>();
  for await (const { kind, rows } of await client.data.export())
    for (const row of rows) {
      const { id, key } = row as { id?: string; key?: string };
      content.set(`${kind} ${id ?? key ?? JSON.stringify(row)}`, JSON.stringify(row));
    }
  return content;
}
