import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Portable, Portion } from '../../src/shared/contract/data.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { CLI } from '../support/command.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { ChildCore } from './childCore.ts';
import { type Expected, killAt } from './killAt.ts';
import { lookAt } from './lookAt.ts';
import { same } from './same.ts';

export const REPLACEMENTS = ['restore', 'restore by the command', 'erase', 'import'] as const;
export type Replacement = (typeof REPLACEMENTS)[number];

const NOW = Date.UTC(2026, 2, 2, 9);
/** Stands in every kind of data that an erasure must leave nothing of. */
const SECRET = 'zqsecret';
/** Enough for several portions of an export. */
const CONVERSATIONS = 60;
/** Kinds whose rows an export and an import keep as they are. */
const COMPARED: readonly Portable[] = ['vaults', 'conversations', 'facts', 'memory_retrievals'];

/** Kills that come while all the data is replaced, or much is added to it, and what must have become of it at the next start. */
export class ReplacementKills {
  readonly #root = temporaryFolder();
  readonly #expected = new Map<Replacement, Expected>();
  readonly #portions: Portion[] = [];
  readonly #conversations: number;
  #imported: Portion[] = [];

  constructor({ conversations = CONVERSATIONS } = {}) {
    this.#conversations = conversations;
  }

  /** Makes the data, and does each replacement that is to be killed once to the end; `restore` goes before that by the command. */
  async begin(replacements: readonly Replacement[] = REPLACEMENTS): Promise<void> {
    const { full, little } = await this.#make();
    for (const what of replacements) {
      const dataDir = this.#clone(what);
      const core = what === 'restore by the command' ? null : await ChildCore.open(dataDir, NOW);
      const startedAt = performance.now();
      await this.#run(what, dataDir, core).done;
      const ms = performance.now() - startedAt;
      // The command has restored the same copy.
      const after = core ? await this.#lookAt(core, dataDir) : this.#expected.get('restore')?.after;
      if (core && what === 'import') this.#imported = await readExport(core);
      await core?.close();
      this.#expected.set(what, { before: what === 'import' ? little : full, after, ms });
      removeFolder(join(dataDir, '..'));
    }
  }

  /**
   * @param at when the kill comes, from 0 (at the start) to 1 (when it should be done)
   * @throws Error that says what is neither as before nor as after
   */
  async kill(what: Replacement, at: number): Promise<void> {
    const { before, after, ms } = this.#expected.get(what) as Expected;
    const dataDir = this.#clone(what);
    try {
      const core = what === 'restore by the command' ? null : await ChildCore.open(dataDir, NOW);
      const { done, kill, acknowledged } = this.#run(what, dataDir, core);
      const isAcknowledged = await killAt(at * ms, done, kill);
      const again = await ChildCore.open(dataDir, NOW);
      try {
        if (what === 'import') return await this.#compareImport(again, dataDir, acknowledged());
        const found = await this.#lookAt(again, dataDir);
        const isDone = isAcknowledged || !isSame(found, before);
        same(`after "${what}" that was killed at ${at}`, found, isDone ? after : before);
        if (what === 'erase') this.#compareErased(dataDir, isDone);
        else if (isDone) this.#findReplaced(dataDir);
      } finally {
        await again.close();
      }
    } finally {
      removeFolder(join(dataDir, '..'));
    }
  }

  end(): void {
    removeFolder(this.#root);
  }

  /** A template of data, another with little in it, a copy that can be restored, and an export. */
  async #make(): Promise<{ full: unknown; little: unknown }> {
    const vault = join(this.#root, 'vault');
    writeNotes(vault, { 'a.md': `# A\n\nUne note ${SECRET}.`, 'b.md': '# B\n\nUne autre note.' });
    const core = await ChildCore.open(join(this.#root, 'full'), NOW);
    const { client } = core;
    for await (const _ of await client.vaults.index({ path: vault }));
    await client.chat.import({ conversations: histories(this.#conversations) });
    const { id } = await client.facts.add({ content: `Le premier fait ${SECRET}` });
    await client.data.backUp({ path: join(this.#root, 'copy.sqlite') });
    await client.data.backUp({});
    await client.facts.edit({ id, content: `Un fait récrit ${SECRET}` });
    await client.facts.add({ content: `Un fait de plus ${SECRET}` });
    for await (const _ of await client.chat.runTurn({ text: `Que dit la note ${SECRET} ?` }));
    await client.app.changeSettings({ maxResults: 7 });
    await client.models.setKey({ baseUrl: 'http://127.0.0.1:9/v1', key: SECRET });
    for await (const portion of await client.data.export()) this.#portions.push(portion);
    const seen = await this.#lookAt(core, join(this.#root, 'full'));
    await core.close();
    mkdirSync(join(this.#root, 'full', 'browser'));
    writeFileSync(join(this.#root, 'full', 'browser', 'Preferences'), SECRET);
    const little = await ChildCore.open(join(this.#root, 'little'), NOW);
    await little.client.facts.add({ content: 'Ce qui était déjà là' });
    const seenOfLittle = await this.#lookAt(little, join(this.#root, 'little'));
    await little.close();
    return { full: seen, little: seenOfLittle };
  }

  #clone(what: Replacement): string {
    const dataDir = join(temporaryFolder(), 'data');
    cpSync(join(this.#root, what === 'import' ? 'little' : 'full'), dataDir, { recursive: true });
    return dataDir;
  }

  /** Begins a replacement. `acknowledged` tells how many portions of an import are done. */
  #run(what: Replacement, dataDir: string, core: ChildCore | null) {
    const path = join(this.#root, 'copy.sqlite');
    let portions = 0;
    if (!core) {
      const child = spawn(process.execPath, [CLI, 'restore', path, '--data', dataDir], { stdio: 'ignore' });
      const ended = once(child, 'exit').then(([code]) => code as number | null);
      const done = ended.then((code) => {
        if (code !== 0) throw new Error(`the command ended with ${code}`);
      });
      const kill = async () => {
        child.kill('SIGKILL');
        await ended;
      };
      return { done, kill, acknowledged: () => portions };
    }
    const { data } = core.client;
    const work = async () => {
      if (what === 'restore') await data.restore({ path });
      else if (what === 'erase') await data.erase();
      else
        for (const portion of this.#portions) {
          await data.import(portion);
          portions += 1;
        }
    };
    return { done: work(), kill: () => core.kill(), acknowledged: () => portions };
  }

  async #lookAt(core: ChildCore, dataDir: string): Promise<unknown> {
    const seen = await lookAt(core, [dataDir, join(dataDir, '..'), this.#root]);
    // Notes that are indexed anew have new ids.
    return JSON.parse(JSON.stringify(seen).replaceAll(/note_[a-z0-9]+/g, 'note'));
  }

  /** What was erased is gone with everything; where nothing was erased, the copies and the key are still there too. */
  #compareErased(dataDir: string, isErased: boolean): void {
    const places = filesUnder(dataDir).filter((path) => readFileSync(path).includes(SECRET));
    const has = (part: string) => places.some((path) => path.includes(part));
    if (isErased) same('files that still hold what was erased', places, []);
    else
      same('files that hold what was not erased', ['backups', 'keys.json', 'browser'].map(has), [
        true,
        true,
        true,
      ]);
    same('the mark of an erasure', existsSync(join(dataDir, 'souvenir.erasing')), false);
  }

  /** The old data is whole in a copy. */
  #findReplaced(dataDir: string): void {
    const copies = readdirSync(join(dataDir, 'backups')).filter((name) =>
      /^before-restore-\d+\.sqlite$/.test(name),
    );
    const facts = copies.map((name) => {
      const copy = new BetterSqlite3(join(dataDir, 'backups', name), { readonly: true });
      try {
        same('integrity of a copy', copy.pragma('integrity_check', { simple: true }), 'ok');
        return copy.prepare('SELECT content FROM facts ORDER BY content').pluck().all();
      } finally {
        copy.close();
      }
    });
    same('copies of what was replaced', facts, [[`Un fait de plus ${SECRET}`, `Un fait récrit ${SECRET}`]]);
  }

  /**
   * What was acknowledged is there, what was under way is whole or not there, and the same import once more gives what it would have given
   * at once.
   */
  async #compareImport(core: ChildCore, dataDir: string, acknowledged: number): Promise<void> {
    const here = new Set(rowsOf(await readExport(core)));
    const wanted = new Set(rowsOf(this.#imported));
    same(
      'rows that nobody imported',
      [...here].filter((row) => !wanted.has(row)),
      [],
    );
    for (const [place, portion] of this.#portions.entries()) {
      const rows = rowsOf([portion]).filter((row) => wanted.has(row));
      const found = rows.filter((row) => here.has(row)).length;
      const mayBe = place < acknowledged ? [rows.length] : place === acknowledged ? [0, rows.length] : [0];
      if (!mayBe.includes(found))
        throw new Error(`portion ${place} of ${acknowledged} has ${found} of ${rows.length} rows`);
    }
    for (const portion of this.#portions) await core.client.data.import(portion);
    same('an import that was taken up again', rowsOf(await readExport(core)), rowsOf(this.#imported));
    same('after it', await this.#lookAt(core, dataDir), this.#expected.get('import')?.after);
  }
}

function histories(length: number) {
  return Array.from({ length }, (_, number) => ({
    id: `conv_${number}` as ConversationId,
    channel: 'import',
    title: `Histoire ${number}`,
    messages: Array.from({ length: 6 }, (__, place) => ({
      id: `message_${number}_${place}` as MessageId,
      role: place % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Une histoire ${SECRET} de plus, ${number}, ${place}.`,
      createdAt: Date.UTC(2025, 0, 1) + number * 3_600_000 + place * 60_000,
    })),
  }));
}

async function readExport({ client }: ChildCore): Promise<Portion[]> {
  const portions: Portion[] = [];
  for await (const portion of await client.data.export()) portions.push(portion);
  return portions;
}

/** Rows of an export, each as a text. */
const rowsOf = (portions: readonly Portion[]): string[] =>
  portions
    .filter(({ kind }) => COMPARED.includes(kind))
    .flatMap(({ kind, rows }) => rows.map((row) => `${kind} ${JSON.stringify(row)}`));

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
