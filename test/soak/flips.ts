import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type App, restorableCopies } from '../../src/core/app.ts';
import { SUM_KINDS, tablesOf } from '../../src/core/storage/rowSums.ts';
import { Dice } from '../support/seeded.ts';
import { temporaryFolder, writeNotes } from '../support/temporary.ts';
import { ask, indexVault, openTestCore } from '../support/testApp.ts';

/** What became of a data folder in whose database one bit was flipped: nothing was lost without a word, unless it is `wrong`. */
export interface Outcome {
  outcome: 'as before' | 'repaired' | 'told' | 'wrong';
  /** Table or index whose page was damaged, the page from 1, and the bit within the file. */
  where: { name: string; page: number; bit: number };
  /** How it was told, or what is wrong. */
  because: string;
}

const TRUTH: ReadonlySet<string> = new Set(
  SUM_KINDS.flatMap((kind) => tablesOf(kind).map(({ table }) => table)),
);

/** Errors of a start or of the doctor that say that the database is damaged. */
const TELLING: ReadonlySet<string> = new Set(['DATABASE_DAMAGED', 'DATABASE_MISSING']);

/** Columns that change by use alone, and that no sum covers: see docs/decisions/0013-damage.md. */
const OF_USE: ReadonlySet<string> = new Set(['last_used_at', 'use_count', 'updated_at']);

const WORDS = 'jardin clé grenier moulin rivière sœur départ lettre'.split(' ');

/** A closed data folder with something in every table of the truth, and a copy; what it holds; and a place to damage it. */
export class FlipWorld {
  readonly root = temporaryFolder();
  readonly #template = join(this.root, 'template');
  #pages: { name: string; page: number }[] = [];
  #holds = '';
  #pageSize = 0;

  static async make(): Promise<FlipWorld> {
    const world = new FlipWorld();
    await world.#fill();
    return world;
  }

  /** Flips one bit, drawn from the seed, in a copy of the folder; opens and repairs it. */
  flip(seed: number): Promise<Outcome> {
    const dice = new Dice(seed);
    const inTruth = this.#pages.filter(({ name }) => TRUTH.has(name));
    const { page } = dice.pick(dice.chance(0.7) ? inTruth : this.#pages);
    // The file begins with a header of a hundred bytes, which would be met too seldom.
    const within = page === 1 && dice.chance(0.7) ? 100 : this.#pageSize;
    const bit = ((page - 1) * this.#pageSize + dice.between(0, within - 1)) * 8 + dice.between(0, 7);
    return this.flipBit(bit);
  }

  /** @param bit from the beginning of the file */
  async flipBit(bit: number): Promise<Outcome> {
    const dir = join(this.root, 'flipped');
    rmSync(dir, { recursive: true, force: true });
    cpSync(this.#template, dir, { recursive: true });
    const page = Math.floor(bit / 8 / this.#pageSize) + 1;
    const name = this.#pages.find((one) => one.page === page)?.name ?? 'none';
    const file = join(dir, 'souvenir.sqlite');
    const bytes = readFileSync(file);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(file, bytes);
    return { ...(await this.#outcome(dir)), where: { name, page, bit } };
  }

  async #fill(): Promise<void> {
    const vault = join(this.root, 'vault');
    mkdirSync(vault);
    writeNotes(vault, {
      'Jardin.md':
        '# Jardin\n\nLes tomates se plantent à la mi-mai.\n\n## Outils\n\nLa bêche est au grenier.',
    });
    const app = openTestCore(this.#template);
    const { client } = app;
    await indexVault(app, vault);
    await client.app.changeSettings({ timeoutMs: 5_000, contextTag: 'maison/registre' });
    for (const [index, word] of WORDS.entries()) {
      const fact = await client.facts.add({ content: `Léa parle du ${word} numéro ${index}` });
      if (index % 2 === 0)
        await client.facts.edit({ id: fact.id, content: `Léa écrit sur le ${word} ${index}` });
    }
    await client.chat.import({
      conversations: WORDS.map((word, index) => ({
        id: `c${index}` as never,
        channel: 'import',
        title: `Histoire du ${word}`,
        messages: Array.from({ length: 8 }, (_, place) => ({
          id: `m${place}` as never,
          role: place % 2 === 0 ? ('user' as const) : ('assistant' as const),
          content: `${word} ${place} : ${WORDS.join(' ')} ${'et la suite de cette histoire '.repeat(place * 4)}`,
          createdAt: Date.UTC(2024, index, place + 1),
        })),
      })),
    });
    await ask(app, 'Je m’appelle Hugo, quand planter les tomates ?');
    await ask(app, 'Où est la bêche, et la clé du grenier ?');
    await app.services.vectors.settled();
    await client.data.backUp({});
    this.#holds = await holdings(app);
    await app.close();
    const db = new BetterSqlite3(join(this.#template, 'souvenir.sqlite'));
    this.#pageSize = db.pragma('page_size', { simple: true }) as number;
    this.#pages = db
      .prepare<[], { name: string; page: number }>('SELECT name, pageno AS page FROM dbstat')
      .all();
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  }

  async #outcome(dir: string): Promise<Omit<Outcome, 'where'>> {
    let app: App | undefined;
    try {
      app = openTestCore(dir);
      const { findings } = await app.client.app.doctor({ repair: true });
      const left = findings.filter(({ repaired }) => !repaired).map(({ code, what }) => `${code} ${what}`);
      const notices = (await app.client.app.notices()).map(({ code }) => code);
      if (left.length > 0 || notices.length > 0) return told(dir, [...left, ...notices].join('; '));
      const isSame = (await holdings(app)) === this.#holds;
      if (!isSame)
        return {
          outcome: 'wrong',
          because: `something else is held, and nothing said (${findings.map(({ code }) => code).join(' ')})`,
        };
      return findings.length > 0
        ? { outcome: 'repaired', because: findings.map(({ code }) => code).join(' ') }
        : { outcome: 'as before', because: '' };
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== undefined && TELLING.has(code)) return told(dir, code);
      return { outcome: 'wrong', because: `${code ?? ''} ${(error as Error).stack ?? String(error)}` };
    } finally {
      await app?.close();
    }
  }
}

/** What is told must name copies to go back to. */
function told(dir: string, because: string): Omit<Outcome, 'where'> {
  const copies = restorableCopies(dir);
  return copies.length > 0
    ? { outcome: 'told', because }
    : { outcome: 'wrong', because: `no copy: ${because}` };
}

/** All that cannot be derived, and the passages of notes, as text. */
async function holdings(app: App): Promise<string> {
  const rows: unknown[] = [];
  for await (const portion of await app.client.data.export()) if (portion.kind !== 'jobs') rows.push(portion);
  rows.push(app.services.db.all('SELECT heading, markdown FROM chunks ORDER BY id'));
  return JSON.stringify(rows, (name, value: unknown) => (OF_USE.has(name) ? undefined : value));
}
