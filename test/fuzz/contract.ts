import { join } from 'node:path';
import { z } from 'zod';
import { contract } from '../../src/shared/contract/index.ts';
import { CoreUnderFuzz } from './coreUnderFuzz.ts';
import { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';

/** A JSON Schema, as far as inputs of the contract use it. */
interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

export interface Procedure {
  domain: string;
  name: string;
  /** Null if it takes nothing. */
  input: Schema | null;
}

/** Every procedure of the contract. */
export const PROCEDURES: readonly Procedure[] = Object.entries(contract).flatMap(([domain, procedures]) =>
  Object.entries(procedures).map(([name, procedure]) => {
    const { inputSchema } = (procedure as { '~orpc': { inputSchema?: z.ZodType } })['~orpc'];
    const options = { io: 'input', unrepresentable: 'any' } as const;
    return { domain, name, input: inputSchema ? (z.toJSONSchema(inputSchema, options) as Schema) : null };
  }),
);

/** How ids begin, by what they are passed to. */
const ID_KINDS: Readonly<Record<string, string>> = {
  vaults: 'vault',
  notes: 'note',
  facts: 'fact',
  traces: 'retrieval',
  chat: 'conv',
  retrieval: 'conv',
};
const CALLS = 40;
/** What replaces all the data: now and then, so that there is something to work with. */
const RARE = ['data.erase', 'data.restore'];

/** Calls every procedure with inputs that fit it, and with others, in any order. */
export const contractTarget: FuzzTarget = {
  name: 'contract',
  open: async () => {
    const core = await CoreUnderFuzz.open();
    return {
      run: async (seed) => {
        const random = new Random(seed);
        const ids = await knownIds(core);
        for (let n = 0; n < CALLS; n += 1) {
          const procedure = random.pick(PROCEDURES);
          const what = `${procedure.domain}.${procedure.name}`;
          if (RARE.includes(what) && !random.chance(0.1)) continue;
          await call(core, procedure, new Inputs(random, core, ids).input(procedure));
        }
        // Whatever was set, a retrieval of the check waits for every source and has room.
        await core.test.app.client.app.changeSettings({ timeoutMs: 5_000, autoRetrieve: true });
        await core.checkHealth();
        if ((await core.test.app.client.app.stats()).notes.total === 0) await core.fill();
      },
      close: () => core.close(),
    };
  },
};

/** Calls a procedure; it may refuse, but only with a code. Streams are read to their end. */
export async function call(core: CoreUnderFuzz, { domain, name }: Procedure, input: unknown): Promise<void> {
  const client = core.test.app.client as unknown as Record<
    string,
    Record<string, (input: unknown) => Promise<unknown>>
  >;
  await core.attempt(`${domain}.${name}(${JSON.stringify(input)?.slice(0, 2_000)})`, async () => {
    const given = await client[domain]?.[name]?.(input);
    if (typeof given !== 'object' || given === null || !(Symbol.asyncIterator in given)) return;
    const events = (given as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    // They have no end.
    if (name === 'events' || (domain === 'memoryless' && name === 'open')) await events.return?.();
    else while (!(await events.next()).done);
  });
}

/** Ids of everything there is. */
async function knownIds({ test }: CoreUnderFuzz): Promise<string[]> {
  return test.app.services.db
    .all<{ id: string }>(
      `SELECT id FROM conversations UNION ALL SELECT id FROM turns UNION ALL SELECT id FROM facts UNION ALL SELECT id FROM notes
       UNION ALL SELECT id FROM vaults UNION ALL SELECT id FROM memory_retrievals`,
    )
    .map(({ id }) => id);
}

/** Makes inputs. Paths stay in folders of the test, addresses on this computer. */
class Inputs {
  readonly #random: Random;
  readonly #core: CoreUnderFuzz;
  readonly #ids: readonly string[];
  /** The procedure whose input is made. */
  #place = '';

  constructor(random: Random, core: CoreUnderFuzz, ids: readonly string[]) {
    this.#random = random;
    this.#core = core;
    this.#ids = ids;
  }

  input({ domain, name, input }: Procedure): unknown {
    this.#place = `${domain}.${name}`;
    const random = this.#random;
    if (!input) return random.chance(0.9) ? undefined : random.json();
    if (random.chance(0.1)) return this.#safe(random.json());
    const fitting = this.#fitting(input, '');
    if (random.chance(0.6)) return fitting;
    return this.#safe(random.chance(0.5) ? random.mutate(fitting, 0.15) : random.poison(fitting, 1));
  }

  #fitting(schema: Schema, key: string): unknown {
    const random = this.#random;
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    if (schema.anyOf) return this.#fitting(random.pick(schema.anyOf), key);
    switch (schema.type) {
      case 'object': {
        const { properties = {}, required = [] } = schema;
        const keys = Object.keys(properties).filter((one) => required.includes(one) || random.chance(0.4));
        return Object.fromEntries(keys.map((one) => [one, this.#fitting(properties[one] as Schema, one)]));
      }
      case 'array':
        return Array.from({ length: random.between(0, 3) }, () => this.#fitting(schema.items ?? {}, key));
      case 'boolean':
        return random.chance(0.5);
      case 'null':
        return null;
      case 'integer':
      case 'number': {
        const { minimum = 0, maximum = 100 } = schema;
        const number = minimum + random.random() * Math.min(maximum - minimum, 200);
        return schema.type === 'integer' ? Math.round(number) : number;
      }
      case 'string':
        return this.#string(key);
      default:
        return random.json();
    }
  }

  #string(key: string): string {
    const random = this.#random;
    const { folder, test, server } = this.#core;
    if (/path|prefix|embedder/i.test(key))
      return random.pick([
        '.',
        'missing',
        'a\0b',
        'a'.repeat(5_000),
        folder,
        join(folder, 'copy.sqlite'),
        test.vault,
        join(test.vault, 'Jardin.md'),
        test.dataDir,
        'built-in',
      ]);
    if (/url/i.test(key))
      return random.pick([
        '',
        'http://127.0.0.1:1/v1',
        'http://user:key@127.0.0.1:1',
        'https://127.0.0.1:1/',
        server.baseUrl,
        'ftp://127.0.0.1',
        'http://',
      ]);
    if (/id|after|before/i.test(key) && random.chance(0.8)) return this.#id(key);
    if (key === 'ttl') return random.pick(['1h', '2w', '9999w', '0h', 'x']);
    return random.chance(0.4) ? 'Souviens-toi que Léa plante ses tomates en mai.' : random.text();
  }

  /** An id of the kind that is asked for, most of the time. */
  #id(key: string): string {
    const random = this.#random;
    const [domain = ''] = this.#place.split('.');
    const isTurn = /turn|before/i.test(key) || this.#place.toLowerCase().includes('turn');
    const kind = isTurn ? 'turn' : key === 'vaultId' ? 'vault' : ID_KINDS[domain];
    const own = this.#ids.filter((id) => id.startsWith(`${kind}_`));
    return random.pick(own.length === 0 || random.chance(0.1) ? [...this.#ids, 'none'] : own);
  }

  /** What mutation put in the place of a path must not lie elsewhere. */
  #safe(value: unknown): unknown {
    return JSON.parse(
      JSON.stringify(value, (_, one: unknown) =>
        typeof one === 'string' && (one.startsWith('..') || /^\/(?!tmp)/.test(one)) ? `x${one}` : one,
      ) ?? 'null',
    );
  }
}
