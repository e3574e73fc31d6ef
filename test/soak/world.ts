import type { Client } from '../../src/shared/contract/index.ts';
import type { OpenAiServer } from '../fakes/openAiServer.ts';
import { Dice } from '../support/seeded.ts';
import { ModelLedger } from './modelLedger.ts';
import type { WorldCore } from './worldCore.ts';
import { WorldDisk } from './worldDisk.ts';
import { emptyState, type ModelState, purge, purgeTimes } from './worldModel.ts';

export interface WorldOptions {
  seed: number;
  /** A folder of the run's own. */
  folder: string;
  /** Answers chats when the settings name it. */
  server: OpenAiServer;
  open(dataDir: string, now: number): Promise<WorldCore>;
}

/** Two steps of the clock at least this far apart let a purge run that a purge of the same minute put off. */
const MINUTES_MS = 2 * 60_000;
const ROOTS = 2;

/** A core with everything around it, and the plain model of what must become of it. */
export class World {
  readonly seed: number;
  readonly dice: Dice;
  readonly dataDir: string;
  readonly disk: WorldDisk;
  readonly server: OpenAiServer;
  state: ModelState = emptyState();
  readonly ledger = new ModelLedger();
  now = Date.UTC(2026, 2, 2, 9);
  core: WorldCore | null = null;
  /** How many words were planted. */
  words = 0;
  /** Answers in place of the core's own client, if it is set. */
  standIn: Client | null = null;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.seed = options.seed;
    this.dice = new Dice(options.seed);
    this.dataDir = `${options.folder}/data`;
    this.disk = new WorldDisk(options.folder, ROOTS);
    this.server = options.server;
  }

  get client(): Client {
    if (this.standIn) return this.standIn;
    if (!this.core) throw new Error('the core is closed');
    return this.core.client;
  }

  async open(): Promise<void> {
    this.core = await this.#options.open(this.dataDir, this.now);
    purge(this.state, this.now);
  }

  async close(): Promise<void> {
    const { core } = this;
    this.core = null;
    await core?.close();
  }

  /** Opens the core as a user has it, with the first notes. */
  async begin(): Promise<void> {
    for (const [number] of this.disk.roots.entries())
      this.disk.write(number, 'Accueil.md', `# Accueil\n\nBienvenue, ${this.word()}.`);
    await this.open();
    await this.change({ timeoutMs: 5_000 });
  }

  /** A word that stands nowhere else. */
  word(): string {
    this.words += 1;
    return wordAt(this.words);
  }

  /** A word that was planted at some time, wherever it is now. */
  anyWord(): string {
    return wordAt(this.dice.between(1, Math.max(1, this.words)));
  }

  /** Text of a few sentences around a new word. */
  text(): string {
    const words = Array.from({ length: this.dice.between(2, 5) }, () => this.dice.pick(FILLING));
    return `${words.join(' ')} ${this.word()}.`;
  }

  /** Moves the clock on, and lets what is due happen, here and there. */
  async pass(ms: number): Promise<void> {
    const before = this.now;
    this.now += ms;
    const isDue = purgeTimes(this.state).some((at) => at > before && at <= this.now);
    if (isDue && ms < MINUTES_MS) this.now += MINUTES_MS;
    purge(this.state, this.now);
    await this.core?.setNow(this.now);
  }

  /** Lets what is due now happen, here and there. */
  settle(): Promise<void> {
    return this.pass(0);
  }

  /** Has everything summarised that is due. @returns false if the core cannot be told to */
  async summarise(): Promise<boolean> {
    await this.core?.summarise?.();
    return this.core?.summarise !== undefined;
  }

  async change(patch: Record<string, unknown>): Promise<void> {
    await this.client.app.changeSettings(patch);
    for (const [key, value] of Object.entries(patch)) this.state.settings.set(key, value);
  }
}

const wordAt = (number: number): string => `zq${String(number).padStart(6, '0')}`;

const FILLING =
  'le jardin la lettre fenêtre panier gare pain forêt nuage papier marché montagne cuisine bouteille caillou moteur the river garden stone letter window basket station bread chair candle forest cloud'.split(
    ' ',
  );
