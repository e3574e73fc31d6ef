import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import type { ConversationId, FactId, MessageId, TurnId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ChildCore } from './childCore.ts';
import { type Expected, killAt } from './killAt.ts';
import { same } from './same.ts';

export const FORGETTINGS = ['forget', 'bring back', 'erase', 'erase from backups'] as const;
export type Forgetting = (typeof FORGETTINGS)[number];

const NOW = Date.UTC(2026, 2, 2, 9);
/** Stands in everything that is forgotten. */
const SECRET = 'zqsecret';
const KEPT = 'Ce qui reste';
const TURNS = 20;
const BACKUPS = 2;

/** Kills that come while more is forgotten, brought back or erased than fits one commit: all of it happened afterwards, or nothing. */
export class ForgettingKills {
  readonly #root = temporaryFolder();
  readonly #expected = new Map<Forgetting, Expected>();
  readonly #conversations: number;
  /** All turns of the conversations but the first of each, and the facts. */
  readonly #ticked: { facts: FactId[]; turns: TurnId[] } = { facts: [], turns: [] };

  constructor({ conversations = 60 } = {}) {
    this.#conversations = conversations;
  }

  /** Makes the data, and does each once to the end. */
  async begin(): Promise<void> {
    await this.#make();
    for (const what of FORGETTINGS) {
      const dataDir = this.#clone(what);
      const core = await ChildCore.open(dataDir, NOW);
      const before = await lookAt(core, dataDir);
      const startedAt = performance.now();
      await this.#run(what, core);
      const ms = performance.now() - startedAt;
      await settled(core);
      this.#expected.set(what, { before, after: await lookAt(core, dataDir), ms });
      await core.close();
      // The next one goes on from here.
      cpSync(dataDir, join(this.#root, what), { recursive: true });
      removeFolder(join(dataDir, '..'));
    }
  }

  /**
   * @param at when the kill comes, from 0 (at the start) to 1 (when it should be done)
   * @throws Error that says what is neither as before nor as after
   */
  async kill(what: Forgetting, at: number): Promise<void> {
    const { before, after, ms } = this.#expected.get(what) as Expected;
    const dataDir = this.#clone(what);
    try {
      const core = await ChildCore.open(dataDir, NOW);
      const isAcknowledged = await killAt(at * ms, this.#run(what, core), () => core.kill());
      const again = await ChildCore.open(dataDir, NOW);
      try {
        await settled(again);
        const found = await lookAt(again, dataDir);
        const isDone = isAcknowledged || JSON.stringify(found) !== JSON.stringify(before);
        same(`after "${what}" that was killed at ${at}`, found, isDone ? after : before);
        same('findings after a kill', (await again.client.app.doctor({})).findings, []);
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

  async #make(): Promise<void> {
    const dataDir = join(this.#root, 'full');
    const core = await ChildCore.open(dataDir, NOW);
    const { client } = core;
    await client.chat.import({ conversations: histories(this.#conversations) });
    this.#ticked.facts.push((await client.facts.add({ content: `Un fait ${SECRET}` })).id);
    await client.facts.add({ content: KEPT });
    for (const { id } of await client.chat.list({})) {
      const { turns } = await client.chat.get({ id });
      this.#ticked.turns.push(...turns.slice(1).map((turn) => turn.id));
    }
    for (let made = 0; made < BACKUPS; made += 1) await client.data.backUp({});
    await core.close();
  }

  #clone(what: Forgetting): string {
    const from = { forget: 'full', 'bring back': 'forget', erase: 'full', 'erase from backups': 'erase' }[
      what
    ];
    const dataDir = join(temporaryFolder(), 'data');
    cpSync(join(this.#root, from), dataDir, { recursive: true });
    return dataDir;
  }

  async #run(what: Forgetting, core: ChildCore): Promise<void> {
    const { forget } = core.client;
    if (what === 'bring back') await forget.undo({});
    else if (what === 'erase from backups') {
      await forget.eraseFromBackups();
      await settled(core);
    } else await forget.apply({ ticked: this.#ticked, now: what === 'erase' });
  }
}

/** Waits until nothing is being erased. */
async function settled({ client }: ChildCore): Promise<void> {
  const isBusy = async () =>
    (await client.data.deleted()).erasing ||
    (await client.forget.backupErasure()).running ||
    (await client.app.jobs()).some(({ kind }) => kind === 'forget-items');
  while (await isBusy()) await sleep(20);
}

/** What is in use, how much can be brought back, and in how many copies what is forgotten stands. */
async function lookAt({ client }: ChildCore, dataDir: string): Promise<unknown> {
  const folder = join(dataDir, 'backups');
  const copies = readdirSync(folder)
    .sort()
    .map((name) => {
      const copy = new BetterSqlite3(join(folder, name), { readonly: true });
      try {
        const integrity = copy.pragma('integrity_check', { simple: true });
        const kept = copy.prepare('SELECT count(*) FROM facts WHERE content = ?').pluck().get(KEPT);
        return [name, integrity, kept, readFileSync(join(folder, name)).includes(SECRET)];
      } finally {
        copy.close();
      }
    });
  return {
    conversations: (await client.chat.list({})).map(({ id, title, turns }) => [id, title, turns]),
    facts: (await client.facts.list({})).facts.map(({ content }) => content),
    deleted: (await client.data.deleted()).deleted.length,
    copies,
  };
}

function histories(length: number) {
  return Array.from({ length }, (_, number) => ({
    id: `conv_${number}` as ConversationId,
    channel: 'import',
    title: `Histoire ${number}`,
    messages: Array.from({ length: TURNS }, (__, place) => ({
      id: `message_${number}_${place}` as MessageId,
      role: 'user' as const,
      content:
        place === 0 ? `Une histoire, ${number}.` : `Une histoire ${SECRET} de plus, ${number}, ${place}.`,
      createdAt: Date.UTC(2025, 0, 1) + number * 3_600_000 + place * 60_000,
    })),
  }));
}
