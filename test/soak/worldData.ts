import type { Portion, PortionReport } from '../../src/shared/contract/data.ts';
import type { TurnId } from '../../src/shared/ids.ts';
import type { Act } from './act.ts';
import { same } from './same.ts';
import type { World } from './world.ts';
import { settle } from './worldFacts.ts';
import {
  emptyState,
  forgetSummaries,
  type ModelFact,
  type ModelState,
  type ModelTurn,
  purge,
  tombstonesOf,
  vaultsInUse,
} from './worldModel.ts';
import { nameBins } from './worldTurns.ts';
import { indexVault } from './worldVault.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How many backups are kept. */
const KEPT = 7;
/** Settings that an import leaves as they are here. */
const OF_ONE_COMPUTER = ['embedder', 'chat.baseUrl', 'chat.model', 'chat.sendNotes', 'chat.sendMemory'];

/** What a run does with the clock, the process, the settings and the data as a whole. */
export function dataActs(world: World): Act[] {
  const acts = new DataActs(world);
  return [
    { name: 'let time pass', weight: 4, run: () => acts.pass() },
    { name: 'change settings', weight: 2, run: () => acts.changeSettings() },
    { name: 'choose what answers', weight: 1, run: () => acts.chooseModel() },
    { name: 'restart', weight: 0.15, run: () => acts.restart() },
    { name: 'back up', weight: 0.4, run: () => acts.backUp() },
    { name: 'restore a backup', weight: 0.4, run: () => acts.restoreBackup() },
    { name: 'export', weight: 0.15, run: () => acts.export() },
    { name: 'import an export', weight: 0.1, run: () => acts.import() },
    { name: 'move to another folder', weight: 0.03, run: () => acts.move() },
    { name: 'erase', weight: 0.03, run: () => acts.erase() },
  ];
}

class DataActs {
  readonly #world: World;
  readonly #backups: { path: string; state: ModelState; number: number }[] = [];
  #exported: { portions: Portion[]; state: ModelState } | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  async pass(): Promise<string> {
    const { dice } = this.#world;
    const ms = dice.pick([
      dice.between(2, 9) * MINUTE,
      dice.between(2, 9) * MINUTE,
      10 * MINUTE,
      dice.between(1, 30) * HOUR,
      20 * 24 * HOUR,
    ]);
    await this.#world.pass(ms);
    return `${ms / MINUTE} min`;
  }

  async changeSettings(): Promise<string> {
    const { dice } = this.#world;
    const patch = dice.pick([
      { maxResults: dice.between(1, 10) },
      { minScore: dice.between(3, 8) / 10 },
      { tokenBudget: dice.pick([200, 1_500, 6_000]) },
      { contextWindowDepth: dice.between(1, 20) },
      { dedupThreshold: dice.pick([0.6, 0.85, 1]) },
      { semanticBuffer: dice.pick([0, 100]) },
      { autoRetrieve: dice.chance(0.7) },
      { noteContext: dice.chance(0.5) },
      { scope: dice.pick(['everything', 'channel', 'conversation']) },
      { recentHours: dice.pick([0, 6, 700]) },
      { language: dice.pick(['fr', 'en']) },
      { pinnedNotes: dice.pick([[], ['Coffre 0/Accueil.md']]) },
    ]);
    await this.#world.change(patch);
    return JSON.stringify(patch);
  }

  async chooseModel(): Promise<string> {
    const baseUrl = this.#world.dice.chance(0.6) ? this.#world.server.baseUrl : '';
    await this.#world.change({ 'chat.baseUrl': baseUrl, 'chat.model': 'small' });
    return baseUrl === '' ? 'passages' : 'server';
  }

  async restart(): Promise<string> {
    await this.#world.close();
    if (this.#world.dice.chance(0.5)) this.#world.now += this.#world.dice.between(2, 90) * MINUTE;
    await this.#world.open();
    return '';
  }

  async backUp(): Promise<string> {
    const { client, state } = this.#world;
    const { path } = await client.data.backUp({});
    this.#backups.unshift({ path, state: structuredClone(state), number: this.#world.ledger.number });
    this.#backups.splice(KEPT);
    await this.#compareBackups();
    return path;
  }

  async restoreBackup(): Promise<string | null> {
    const { dice, client, server } = this.#world;
    if (this.#backups.length === 0) return null;
    const { path, state, number } = dice.pick(this.#backups);
    await client.data.restore({ path });
    const { tombstones, forgottenSummaries } = this.#world.state;
    this.#world.state = structuredClone(state);
    // What was forgotten since is not learnt again.
    for (const one of tombstones) this.#world.state.tombstones.add(one);
    followForgotten(this.#world.state, forgottenSummaries);
    this.#world.ledger.apply(this.#world.state, number, this.#world.now);
    this.#world.ledger.look(this.#world.state);
    purge(this.#world.state, this.#world.now);
    await this.#world.settle();
    await nameBins(this.#world);
    server.prompts.splice(0);
    await this.#indexAll();
    await this.#compareBackups();
    return path;
  }

  async export(): Promise<string> {
    this.#exported = { portions: await this.#readExport(), state: structuredClone(this.#world.state) };
    return '';
  }

  async import(): Promise<string | null> {
    if (!this.#exported) return null;
    const { portions, state } = this.#exported;
    this.#exported = null;
    if (!isMergeable(this.#world.state, state)) return null;
    await this.#import(portions, state);
    return '';
  }

  /** Everything is exported, erased, and imported again: it is the same, and so is its export. */
  async move(): Promise<string> {
    const { now } = this.#world;
    const portions = await this.#readExport();
    const state = structuredClone(this.#world.state);
    await this.#eraseAll();
    await this.#import(portions, state);
    const kept = (some: Portion[]) =>
      some.filter(({ kind }) => kind === 'conversations' || kind === 'facts' || kind === 'vaults');
    same('an export of what was imported', kept(await this.#readExport()), kept(portions));
    await this.#world.change({ timeoutMs: 5_000 });
    return String(now);
  }

  async erase(): Promise<string> {
    await this.#eraseAll();
    this.#exported = null;
    await this.#compareBackups();
    await this.#world.change({ timeoutMs: 5_000 });
    return '';
  }

  async #eraseAll(): Promise<void> {
    await this.#world.client.data.erase();
    this.#world.state = emptyState();
    this.#world.ledger.clear();
    this.#backups.splice(0);
  }

  async #import(portions: readonly Portion[], from: ModelState): Promise<void> {
    const { client } = this.#world;
    const reports: Partial<Record<Portion['kind'], PortionReport>> = {};
    for (const portion of portions) {
      const report = await client.data.import(portion);
      const sum = reports[portion.kind] ?? { added: 0, restored: 0, unchanged: 0, leftOut: 0, forgotten: 0 };
      reports[portion.kind] = sum;
      for (const key of ['added', 'restored', 'unchanged', 'leftOut', 'forgotten'] as const)
        sum[key] += report[key];
    }
    const expected = merge(this.#world, from);
    for (const kind of ['settings', 'vaults', 'conversations', 'facts'] as const)
      same(`report of importing ${kind}`, reports[kind], expected[kind]);
    // An import of vaults begins to watch them; the model knows what is indexed only while nothing watches.
    await this.#world.close();
    await this.#world.open();
    await this.#indexAll();
  }

  async #readExport(): Promise<Portion[]> {
    const portions: Portion[] = [];
    for await (const portion of await this.#world.client.data.export()) portions.push(portion);
    return portions;
  }

  async #indexAll(): Promise<void> {
    for (const vault of vaultsInUse(this.#world.state)) await indexVault(this.#world, vault);
  }

  async #compareBackups(): Promise<void> {
    const { backups, problem } = await this.#world.client.data.backups();
    same('problem of backups', problem, null);
    same(
      'backups',
      backups.map(({ path }) => path),
      this.#backups.map(({ path }) => path),
    );
  }
}

/** Is it plain what an import does: is every turn that the export has here either nowhere, with its conversation, or in that? */
function isMergeable(state: ModelState, from: ModelState): boolean {
  const holding = ({ id }: ModelTurn) =>
    state.conversations.find(({ turns }) => turns.some((one) => one.id === id));
  return from.conversations.every(({ id, turns }) => {
    const here = state.conversations.find((one) => one.id === id);
    return turns.every((turn) => holding(turn) === here);
  });
}

/** Imports an export into the model. */
function merge({ state, now }: World, exported: ModelState): Record<string, PortionReport> {
  const report = (): PortionReport => ({ added: 0, restored: 0, unchanged: 0, leftOut: 0, forgotten: 0 });
  const reports = { settings: report(), vaults: report(), conversations: report(), facts: report() };
  const from = structuredClone(exported);
  for (const [key, value] of from.settings) {
    const outcome = OF_ONE_COMPUTER.includes(key)
      ? 'leftOut'
      : state.settings.has(key)
        ? 'unchanged'
        : 'added';
    if (outcome === 'added') state.settings.set(key, value);
    reports.settings[outcome] += 1;
  }
  for (const vault of from.vaults.filter(({ removedAt }) => removedAt === null)) {
    const known = state.vaults.find(({ id }) => id === vault.id);
    const others = state.vaults.filter(
      ({ id, root, removedAt }) => id !== vault.id && root === vault.root && (removedAt === null || !known),
    );
    if (known?.removedAt === null) reports.vaults.unchanged += 1;
    else if (others.length > 0) reports.vaults.leftOut += 1;
    else if (known) {
      known.removedAt = null;
      reports.vaults.restored += 1;
    } else {
      state.vaults.push(vault);
      reports.vaults.added += 1;
    }
  }
  for (const conversation of from.conversations.filter(({ removedAt }) => removedAt === null)) {
    const known = state.conversations.find(({ id }) => id === conversation.id);
    const { turns } = conversation;
    if (turns.length > 0 && turns.every(({ id }) => isForgotten(state, id)))
      reports.conversations.forgotten += 1;
    else if (!known) {
      // Some turns may have been forgotten, and the others said after that.
      state.conversations.push({ ...conversation, turns: turns.filter(({ id }) => !isForgotten(state, id)) });
      reports.conversations.added += 1;
    } else if (known.removedAt !== null) {
      known.removedAt = null;
      reports.conversations.restored += 1;
    } else reports.conversations.unchanged += 1;
  }
  for (const tombstone of from.tombstones) state.tombstones.add(tombstone);
  followForgotten(state, from.forgottenSummaries);
  for (const [id, text] of from.high) state.high.set(id, text);
  // An export lists them by id, and those of one moment stay in the order in which they were stored.
  const facts = from.facts
    .filter(({ forgottenAt }) => forgottenAt === null)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  for (const fact of facts) reports.facts[mergeFact(state, from, fact)] += 1;
  // A successor that is not here is still named.
  for (const { superseded } of state.facts)
    if (superseded) superseded.by = state.facts.find(({ id }) => id === superseded.by.id) ?? superseded.by;
  for (const { key } of facts) settle(state, key, now);
  return reports;
}

/** What was forgotten of summaries elsewhere, or since, is forgotten here. */
function followForgotten(state: ModelState, others: ModelState['forgottenSummaries']): void {
  for (const [id, at] of others)
    state.forgottenSummaries.set(id, Math.max(at, state.forgottenSummaries.get(id) ?? 0));
  forgetSummaries(state);
}

const isForgotten = (state: ModelState, one: ModelFact | TurnId): boolean =>
  tombstonesOf(one).some((one) => state.tombstones.has(one));

function mergeFact(state: ModelState, from: ModelState, fact: ModelFact): keyof PortionReport {
  if (isForgotten(state, { ...fact, revisions: [] })) return 'forgotten';
  const known = state.facts.find(({ id }) => id === fact.id);
  if (known) {
    const isBack = known.forgottenAt !== null;
    known.forgottenAt = null;
    return isBack ? 'restored' : 'unchanged';
  }
  const here = (turn: ModelFact['turn']) => {
    // A deleted conversation is not exported, nor what a fact says of it.
    const kept = from.conversations.some(
      ({ removedAt, turns }) => removedAt === null && turns.includes(turn as never),
    );
    const all = state.conversations.flatMap(({ turns }) => turns);
    return (kept && all.find(({ id }) => id === turn?.id)) || null;
  };
  state.facts.push({
    ...fact,
    turn: here(fact.turn),
    superseded: fact.superseded && { ...fact.superseded, turn: here(fact.superseded.turn) },
    revisions: fact.revisions.map((revision) => ({ ...revision, by: here(revision.by) })),
  });
  return 'added';
}
