import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../src/cli/importCommand.ts';
import type { Portion } from '../../src/shared/contract/data.ts';
import { CoreUnderFuzz } from './coreUnderFuzz.ts';
import { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';

const HISTORY = {
  conversations: [
    {
      id: 'c1',
      channel: 'import',
      title: 'Le chat',
      messages: [
        {
          id: '1',
          role: 'user',
          content: 'Mon chat s’appelle Moustache.',
          createdAt: '2026-01-05T09:00:00Z',
        },
        { id: '2', role: 'assistant', author: 'Léa', content: 'Joli nom [1].', createdAt: 1_767_603_600_000 },
        { id: '3', role: 'tool', author: null, content: '{}', createdAt: 1_767_603_600_001 },
      ],
    },
    { id: 'c2', messages: [] },
  ],
};

/** Imports histories and exports that were changed at random, as values and as files. */
export const importTarget: FuzzTarget = {
  name: 'imports',
  open: async () => {
    const core = await CoreUnderFuzz.open();
    const portions: Portion[] = [];
    for await (const portion of await core.test.app.client.data.export()) portions.push(portion);
    return {
      run: async (seed) => {
        const random = new Random(seed);
        for (let n = 0; n < 4; n += 1) await importOne(core, random, portions);
        await core.checkHealth();
        if (random.chance(0.2)) {
          await core.test.app.client.data.erase();
          await core.fill();
        }
      },
      close: () => core.close(),
    };
  },
};

async function importOne(core: CoreUnderFuzz, random: Random, portions: readonly Portion[]): Promise<void> {
  const { client } = core.test.app;
  const share = random.pick([0.005, 0.02, 0.1]);
  if (random.chance(0.3)) {
    const changed = random.chance(0.5)
      ? random.mutate(HISTORY, share)
      : random.poison(HISTORY, random.between(1, 3));
    const file = changed as typeof HISTORY;
    await core.attempt(`chat.import(${JSON.stringify(file)})`, () => client.chat.import(file as never));
  } else if (random.chance(0.7)) {
    const portion = random.pick(portions);
    // Other ids, so that the rows are new.
    const renamed = renameIds(portion, random.between(1, 1_000_000));
    const { kind, rows } = renamed;
    const changed = random.chance(0.3)
      ? random.mutate(rows, share)
      : random.poison(rows, random.between(1, 3));
    await importPortion(core, { kind, rows: changed as Portion['rows'] });
  } else
    await importText(core, spoil(random, JSON.stringify({ format: 'souvenir', version: 1, ...HISTORY })));
}

export async function importPortion(core: CoreUnderFuzz, portion: Portion): Promise<void> {
  await core.attempt(`data.import(${JSON.stringify(portion)})`, () =>
    core.test.app.client.data.import(portion),
  );
}

/** Has the command import a file of this text. */
export async function importText(core: CoreUnderFuzz, text: string): Promise<void> {
  const file = join(core.folder, 'import.json');
  writeFileSync(file, text);
  const { write } = process.stdout;
  process.stdout.write = () => true;
  try {
    await core.attempt(`souvenir import of ${text}`, () =>
      importFile({ client: core.test.app.client, json: true }, file, { preview: false, facts: false }),
    );
  } finally {
    process.stdout.write = write;
  }
}

function renameIds({ kind, rows }: Portion, number: number): Portion {
  const text = JSON.stringify(rows).replace(
    /"(id|turn_id)":"([^"]*)"/g,
    (_, key: string, id: string) => `"${key}":"${id}_${number}"`,
  );
  return { kind, rows: JSON.parse(text) as Portion['rows'] };
}

/** A text with some of its characters replaced, left out or doubled. */
export function spoil(random: Random, text: string): string {
  let spoilt = text;
  for (let n = random.between(0, 5); n > 0; n -= 1) {
    const at = random.between(0, spoilt.length);
    spoilt =
      spoilt.slice(0, at) +
      random.pick(['', random.text(), '"', '}', '\\', '9'.repeat(400)]) +
      spoilt.slice(at + random.between(0, 3));
  }
  return spoilt;
}
