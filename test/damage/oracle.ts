import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type App, restorableCopies, restoreBackup } from '../../src/core/app.ts';
import { SUM_KINDS, tablesOf } from '../../src/core/storage/rowSums.ts';
import { describeError, type ErrorCode, type ErrorParams, isErrorCode } from '../../src/shared/errors.ts';
import { tailOfLog } from '../faults/world.ts';
import { asUser, giveToUser } from '../support/asUser.ts';
import { type DamageCase, isOfRights, nameOf } from './cases.ts';
import { type Content, contentOf, KEY, open, type Scenes, type Truth } from './scene.ts';

/**
 * How a start after damage may end. `as before`: everything acknowledged is there. `repaired`: so it is, once the doctor has derived
 * again what is derived, or brought rows back from a copy. `told`: a message or a finding says what to do, and doing it gave what it
 * promises: a restored copy all that it held, rights that were given back everything. `loss told`: the log lost its last commits, and a notice
 * says so. `not summed`: a bit turned in a value that has no sum, such as how often a fact was used
 * (docs/decisions/0013-damage.md). `erased`: as was asked for.
 */
export type Outcome = 'as before' | 'repaired' | 'told' | 'loss told' | 'not summed' | 'erased';

export interface Verdict {
  case: string;
  outcome: Outcome;
  /** Code of the message, if there was one. */
  code: ErrorCode | null;
  /** What is wrong; empty if nothing is. */
  wrongs: string[];
  ms: number;
}

/** Makes the data folder of a case at `dataDir`, starts a core on it, and judges what became of it. */
export async function judge(scenes: Scenes, damageCase: DamageCase, dataDir: string): Promise<Verdict> {
  const began = performance.now();
  const judging = new Judging(scenes.truth(damageCase.start), damageCase, dataDir);
  let outcome: Outcome = 'as before';
  try {
    scenes.make(damageCase, dataDir);
    outcome = await judging.run();
  } catch (error) {
    judging.wrongs.push(`unexpected: ${(error as Error).stack ?? String(error)}`);
  }
  const { code, wrongs } = judging;
  return { case: nameOf(damageCase), outcome, code, wrongs, ms: Math.round(performance.now() - began) };
}

/** Kinds of what is asked for, a text that finds it by words and one that finds it by meaning. */
const QUESTIONS = [
  { kind: 'note', text: 'chaudière' },
  { kind: 'fact', text: 'arachides' },
  { kind: 'turn', text: 'planter des tomates' },
] as const;

class Judging {
  readonly wrongs: string[] = [];
  code: ErrorCode | null = null;
  readonly #truth: Truth;
  readonly #case: DamageCase;
  readonly #dir: string;

  constructor(truth: Truth, damageCase: DamageCase, dir: string) {
    this.#truth = truth;
    this.#case = damageCase;
    this.#dir = dir;
  }

  async run(): Promise<Outcome> {
    const outcome = await this.#as(() => this.#start());
    if (outcome !== 'told') return outcome;
    if (this.code === 'DATA_FOLDER_UNWRITABLE') await this.#giveRights();
    else await this.#as(() => this.#restore());
    return outcome;
  }

  #as<T>(work: () => Promise<T>): Promise<T> {
    return isOfRights(this.#case) ? asUser(work) : work();
  }

  async #start(): Promise<Outcome> {
    let app: App;
    try {
      app = open(this.#dir);
    } catch (error) {
      return this.#told(error);
    }
    try {
      return await this.#look(app);
    } catch (error) {
      return this.#told(error);
    } finally {
      await app.close();
    }
  }

  /** Reads and examines what was opened. */
  async #look(app: App): Promise<Outcome> {
    const content = await contentOf(app);
    const notices = await app.client.app.notices();
    if (this.#case.start === 'erasing' && content.size < this.#truth.content.size)
      return this.#erased(content);
    const { findings } = await app.client.app.doctor({ repair: false });
    const again = findings.length === 0 ? null : await app.client.app.doctor({ repair: true });
    const left = (again?.findings ?? []).filter(({ repaired }) => !repaired);
    if (left.some(({ code }) => code === 'database-damaged' || code === 'row-damaged')) {
      this.code = 'DATABASE_DAMAGED';
      return 'told';
    }
    for (const { code, what } of left) this.wrongs.push(`not repaired: ${code} ${what}`);
    const after = await contentOf(app);
    const differences = differencesOf(this.#truth.content, after);
    const lost = notices.some(({ code }) => code === 'changes-lost');
    for (const { code } of notices) if (code !== 'changes-lost') this.wrongs.push(`notice ${code}`);
    if (differences.length > 0 && !lost && this.#isOutsideSums(after)) return 'not summed';
    if (lost && !isPart(after, this.#truth.content))
      this.wrongs.push('what is left after a loss was never there');
    if (lost && differences.length === 0) this.wrongs.push('a loss was told, and nothing is lost');
    if (!lost) this.wrongs.push(...differences);
    await this.#find(app, after);
    await this.#checkKey(app);
    if (lost) return 'loss told';
    return findings.length > 0 ? 'repaired' : 'as before';
  }

  /** What is derived is whole: notes, and what words and meaning find. */
  async #find({ client }: App, content: Content): Promise<void> {
    const { notes } = await client.app.stats();
    if (notes.indexed !== this.#truth.notes)
      this.wrongs.push(`${notes.indexed} notes of ${this.#truth.notes}`);
    for (const { kind, text } of QUESTIONS)
      for (const mode of ['text', 'semantic'] as const) {
        const { results } = await client.retrieval.search({ text, mode, kinds: [kind] });
        if (results.length === 0 && content.size > 0) this.wrongs.push(`no ${kind} is found (${mode})`);
      }
  }

  /** A key that is gone is asked for again, and kept then. */
  async #checkKey({ client, services }: App): Promise<void> {
    const isDamaged = this.#case.path === 'keys.json';
    const kept = await services.keys.get(KEY.baseUrl);
    if (kept === KEY.key) return;
    if (!isDamaged) this.wrongs.push('the key is gone');
    await client.models.setKey(KEY);
    if ((await services.keys.get(KEY.baseUrl)) !== KEY.key) this.wrongs.push('no key can be kept');
  }

  #erased(content: Content): Outcome {
    if (![...content.keys()].every((row) => row.startsWith('settings ')))
      this.wrongs.push('not all is erased');
    return 'erased';
  }

  /** Notes what a user was told. It has to be one of the closed set, and to say what to do. */
  #told(error: unknown): Outcome {
    const { code, params, data } = error as {
      code?: string;
      params?: ErrorParams;
      data?: { params?: ErrorParams };
    };
    if (code === undefined || !isErrorCode(code) || code === 'INTERNAL') {
      this.wrongs.push(`not a plain message: ${(error as Error).stack}\n${tailOfLog(this.#dir)}`);
      return 'told';
    }
    this.code = code;
    const told = params ?? data?.params ?? {};
    for (const language of ['en', 'fr'] as const) {
      const text = describeError(code, told, language);
      if (/\{\w+\}|undefined|\n\s+at /.test(text)) this.wrongs.push(`not a plain message: ${text}`);
      const isOfDatabase = code === 'DATABASE_DAMAGED' || code === 'DATABASE_MISSING';
      if (isOfDatabase && !text.includes('souvenir restore')) this.wrongs.push(`names no copy: ${text}`);
      if (!isOfDatabase && !String(told.path).startsWith(this.#dir))
        this.wrongs.push(`names no place: ${text}`);
    }
    return 'told';
  }

  /** Restores the newest copy, as the message says. */
  async #restore(): Promise<void> {
    const [newest] = restorableCopies(this.#dir);
    if (!newest) {
      this.wrongs.push('there is no copy to restore');
      return;
    }
    restoreBackup(this.#dir, newest.path);
    await this.#expect(this.#truth.restored, 'restored');
  }

  async #giveRights(): Promise<void> {
    if (!isOfRights(this.#case)) this.wrongs.push('nobody’s rights were taken');
    openUp(this.#dir);
    giveToUser(this.#dir);
    await this.#as(() => this.#expect(this.#truth.content, 'with rights again'));
  }

  async #expect(content: Content, when: string): Promise<void> {
    const app = open(this.#dir);
    try {
      const differences = differencesOf(content, await contentOf(app));
      this.wrongs.push(...differences.map((difference) => `${when}: ${difference}`));
      const { findings } = await app.client.app.doctor({ repair: true });
      for (const { code, what, repaired } of findings)
        if (!repaired) this.wrongs.push(`${when}: not repaired: ${code} ${what}`);
      await this.#find(app, content);
    } finally {
      await app.close();
    }
  }

  /** Do only values differ that have no sum? */
  #isOutsideSums(found: Content): boolean {
    const { content } = this.#truth;
    return (
      this.#case.damage === 'flipped' &&
      this.#case.path === 'souvenir.sqlite' &&
      content.size === found.size &&
      [...content].every(([row, text]) => {
        const other = found.get(row);
        return (
          other !== undefined &&
          !changedIn(JSON.parse(text), JSON.parse(other)).some((column) => SUMMED_COLUMNS.has(column))
        );
      })
    );
  }
}

const SUMMED_COLUMNS: ReadonlySet<string> = new Set(
  SUM_KINDS.flatMap(tablesOf).flatMap(({ key, columns }) => [...key, ...columns]),
);

type Row = Record<string, unknown>;

/** Names of the columns in which a row, or one of those under it, differs from another. */
function changedIn(row: Row, other: Row): string[] {
  return [...new Set([...Object.keys(row), ...Object.keys(other)])].flatMap((name) => {
    const [one, two] = [row[name], other[name]];
    if (JSON.stringify(one) === JSON.stringify(two)) return [];
    if (!isRows(one) || !isRows(two) || one.length !== two.length) return [name];
    return one.flatMap((child, place) => changedIn(child, two[place] as Row));
  });
}

const isRows = (value: unknown): value is Row[] =>
  Array.isArray(value) &&
  value.every((one) => one !== null && typeof one === 'object' && !Array.isArray(one));

function differencesOf(wanted: Content, found: Content): string[] {
  const lost = [...wanted].filter(([row]) => !found.has(row)).map(([row]) => `lost: ${row}`);
  const changed = [...wanted]
    .filter(([row, text]) => found.has(row) && found.get(row) !== text)
    .map(([row, text]) => `changed: ${row}\n  ${text}\n  ${found.get(row)}`);
  const unknown = [...found.keys()].filter((row) => !wanted.has(row)).map((row) => `unknown: ${row}`);
  return [...lost, ...changed, ...unknown];
}

/** Rows of `whole`, though not all of them, each perhaps as it was before a later change. */
const isPart = (found: Content, whole: Content): boolean => [...found.keys()].every((row) => whole.has(row));

/** Gives everybody's rights to all that is in a folder. */
function openUp(path: string): void {
  const isFolder = lstatSync(path).isDirectory();
  chmodSync(path, isFolder ? 0o755 : 0o644);
  if (isFolder) for (const name of readdirSync(path)) openUp(join(path, name));
}
