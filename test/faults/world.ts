import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../src/core/app.ts';
import { checkBackup } from '../../src/core/lifecycle/restore.ts';
import { COPIES, listCopies } from '../../src/core/storage/databaseCopies.ts';
import type { Portion } from '../../src/shared/contract/data.ts';
import { defaultSettings } from '../../src/shared/settings.ts';
import { SCHEMA_8_NOW, writeSchema8 } from '../fixtures/databaseSchema8.ts';
import { writeNotes } from '../support/temporary.ts';
import { ask, indexVault, openTestCore } from '../support/testApp.ts';

export const ACTS = [
  'first',
  'index',
  'chat',
  'learn',
  'keep',
  'backup',
  'restore',
  'erase',
  'import',
  'migrate',
] as const;
export type ActName = (typeof ACTS)[number];

/**
 * What the process of an act tells. Items are what the user would miss: `fact …`, `message …`, `reply …`, `maxResults …`, `key …`,
 * `copy …`.
 */
export type Report =
  | { begin: string; adds: string[]; removes: string[] }
  | { done: string; adds: string[]; removes: string[] }
  | { failed: string; code: string };

const NOTES = Object.fromEntries(
  Array.from({ length: 10 }, (_, n) => [
    `Note ${n}.md`,
    `# Note ${n}\n\nDe quoi parle la note ${n} : de haies et de tomates.\n`,
  ]),
);

/** Folders from which every act starts, made once. */
export class Templates {
  readonly #root: string;
  /** What holds before each act. */
  readonly items = new Map<ActName, string[]>();
  /** What holds after `restore`. */
  restored: string[] = [];

  private constructor(root: string) {
    this.#root = root;
  }

  static async make(root: string): Promise<Templates> {
    const templates = new Templates(root);
    const used = join(root, 'used');
    mkdirSync(join(used, 'vault'), { recursive: true });
    writeNotes(join(used, 'vault'), NOTES);
    const app = openTestCore(join(used, 'data'));
    app.services.settings.change({ maxResults: 3, timeoutMs: 5_000 });
    await indexVault(app, join(used, 'vault'));
    for (const n of [1, 2, 3]) await app.client.facts.add({ content: `Fait numéro ${n} du modèle` });
    await ask(app, 'De quoi parle la note 2 ?');
    await app.services.vectors.settled();
    await app.client.data.backUp({ path: join(used, 'backup.sqlite') });
    templates.restored = await itemsOf(app);
    await app.client.facts.add({ content: 'Ajouté après la sauvegarde' });
    await app.services.vectors.settled();
    const items = await itemsOf(app);
    await app.close();
    writeFileSync(join(used, 'export.json'), JSON.stringify(await makeExport(join(root, 'other'))));
    for (const act of ACTS) templates.items.set(act, items);
    mkdirSync(join(root, 'first'));
    templates.items.set('first', []);
    mkdirSync(join(root, 'migrate'));
    // The vaults' rows name folders under the template; they are read only.
    writeSchema8(join(root, 'migrate'));
    cpSync(join(root, 'migrate'), join(root, 'migrated'), { recursive: true });
    const migrated = openTestCore(join(root, 'migrated', 'data'), CLOCK_OF_SCHEMA_8);
    templates.items.set('migrate', await itemsOf(migrated));
    await migrated.close();
    return templates;
  }

  /** A copy of the folder that an act starts from. */
  copy(act: ActName, to: string): void {
    const from = act === 'first' || act === 'migrate' ? act : 'used';
    cpSync(join(this.#root, from), to, { recursive: true, preserveTimestamps: true });
  }

  vaultOf(act: ActName): string {
    return join(this.#root, act === 'migrate' ? 'migrate' : 'used', 'vault');
  }
}

/** An export of other data, as portions. */
async function makeExport(folder: string): Promise<Portion[]> {
  const app = openTestCore(join(folder, 'data'));
  for (const n of [1, 2, 3]) await app.client.facts.add({ content: `Fait importé ${n}` });
  await ask(app, 'Une question importée ?');
  await ask(app, 'Une autre question importée ?');
  const portions: Portion[] = [];
  for await (const portion of await app.client.data.export()) portions.push(portion);
  await app.close();
  return portions.filter(({ kind }) => kind === 'conversations' || kind === 'facts');
}

export const CLOCK_OF_SCHEMA_8 = { clock: { now: () => SCHEMA_8_NOW } };

/** Everything that a user would miss. */
export async function itemsOf({ services, client }: App): Promise<string[]> {
  const { facts } = await client.facts.list({ all: true });
  const inUse = facts.filter(({ status }) => status !== 'forgotten');
  const messages = services.db.all<{ content: string }>("SELECT content FROM messages WHERE role = 'user'");
  const replies = services.db.all<{ id: string }>(
    "SELECT id FROM messages WHERE role = 'assistant' AND state = 'complete'",
  );
  const key = await services.keys.get('http://127.0.0.1:9/v1');
  return [
    ...inUse.map(({ content }) => `fact ${content}`),
    ...messages.map(({ content }) => `message ${content}`),
    ...replies.map(({ id }) => `reply ${id}`),
    `maxResults ${services.settings.read().maxResults}`,
    ...(key === null ? [] : [`key ${key}`]),
  ];
}

/** The end of the process of an act. */
export interface Ending {
  reports: Report[];
  status: number | null;
  stderr: string;
}

/**
 * Opens what an act left behind, without faults, and compares it with what was acknowledged.
 * @returns what is wrong; empty if nothing is
 */
export async function findWrongs(
  {
    act,
    root,
    before,
    restored,
  }: { act: ActName; root: string; before: readonly string[]; restored: readonly string[] },
  { reports }: Ending,
): Promise<string[]> {
  const wrongs: string[] = [];
  const dataDir = join(root, 'data');
  const app = openTestCore(dataDir, act === 'migrate' ? CLOCK_OF_SCHEMA_8 : {});
  try {
    const { findings } = await app.client.app.doctor({ repair: true });
    for (const { code, what, repaired } of findings) if (!repaired) wrongs.push(`doctor: ${code} ${what}`);
    const found = await itemsOf(app);
    const pending = app.services.conversations.pendingReplies().length;
    if (pending > 0) wrongs.push(`${pending} replies are open`);
    if (act === 'restore') wrongs.push(...compareReplaced(found, { act, before, after: restored, reports }));
    else if (act === 'erase') {
      wrongs.push(...compareReplaced(found, { act, before, after: EMPTY, reports }));
      if (found.length <= EMPTY.length) wrongs.push(...findNotErased(dataDir));
    } else wrongs.push(...compareItems(found, before, reports));
  } finally {
    await app.close();
  }
  wrongs.push(...findHalfMade(dataDir, reports));
  return wrongs;
}

function compareItems(
  found: readonly string[],
  before: readonly string[],
  reports: readonly Report[],
): string[] {
  const certain = new Set(before);
  const possible = new Set<string>();
  for (const report of reports) {
    if ('failed' in report) continue;
    const isDone = 'done' in report;
    for (const item of report.adds) {
      if (isDone) certain.add(item);
      else possible.add(item);
    }
    for (const item of report.removes) {
      certain.delete(item);
      // What was begun may have been done or not; what was done must be gone.
      if (isDone) possible.delete(item);
      else possible.add(item);
    }
    if (isDone) for (const item of report.adds) possible.delete(item);
  }
  const lost = [...certain].filter((item) => !found.includes(item) && !item.startsWith('copy '));
  const unknown = found.filter((item) => !certain.has(item) && !possible.has(item) && !UNTOLD.test(item));
  const twice = found.filter((item, place) => found.indexOf(item) !== place);
  return [
    ...lost.map((item) => `lost: ${item}`),
    ...unknown.map((item) => `unknown: ${item}`),
    ...twice.map((item) => `twice: ${item}`),
  ];
}

/** A reply may be stored before it is told; a message teaches facts that are told with it. */
const UNTOLD = /^reply |^fact (.*Zoé|.*Lyon)|^maxResults 4$/;

/** What an empty database holds. */
const EMPTY = [`maxResults ${defaultSettings.maxResults}`];

interface Replaced {
  act: ActName;
  before: readonly string[];
  after: readonly string[];
  reports: readonly Report[];
}

function compareReplaced(found: readonly string[], { act, before, after, reports }: Replaced): string[] {
  const isEqual = (wanted: readonly string[]) =>
    JSON.stringify([...wanted].sort()) === JSON.stringify([...found].sort());
  const isTold = reports.some((report) => 'done' in report && report.done === act);
  if (isEqual(after) || (!isTold && isEqual(before))) return [];
  return [`neither the old data nor the new: ${JSON.stringify(found)}`];
}

/** Files that still hold a fact which every act begins with, though it was erased. */
function findNotErased(dataDir: string): string[] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes('Fait numéro'))
    .map((path) => `not erased: ${path}`);
}

/** Copies that were told and are not whole, copies under their own name that are not whole, and parts that the start left. */
function findHalfMade(dataDir: string, reports: readonly Report[]): string[] {
  const folder = join(dataDir, 'backups');
  const told = reports
    .flatMap((report) => ('done' in report ? report.adds : []))
    .filter((item) => item.startsWith('copy '));
  const copies = Object.values(COPIES).flatMap((kind) => listCopies(folder, kind));
  const wrongs: string[] = [];
  for (const path of new Set([...copies, ...told.map((item) => item.slice(5))])) {
    try {
      checkBackup(path);
    } catch (error) {
      wrongs.push(`copy ${path}: ${(error as Error).message}`);
    }
  }
  const left = [dataDir, folder].flatMap((dir) => (existsSync(dir) ? readdirSync(dir) : []));
  const halfMade = left.filter(
    (name) => /\.partial|\.restoring/.test(name) && !name.startsWith('mine.sqlite'),
  );
  wrongs.push(...halfMade.map((name) => `left behind: ${name}`));
  return wrongs;
}

/** The last lines of a log, for a report of what went wrong. */
export function tailOfLog(dataDir: string): string {
  const path = join(dataDir, 'souvenir.log');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(-15).join('\n') : '';
}
