import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportId, ImportProgress } from '../../src/shared/contract/imports.ts';
import { chatGptConversation, type Line } from '../support/histories.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { ChildCore } from './childCore.ts';
import { same } from './same.ts';

const NOW = Date.UTC(2026, 2, 2, 9);
const MESSAGES_OF_ONE = 40;
const PIECE = 1 << 20;
const LOOK_EVERY_MS = 20;

interface ImportRun {
  messages: number;
  /** When the core is killed: shares of the import, from 0 to 1, in order. */
  kills: readonly number[];
  /** Has the core suggest facts, too. */
  learn?: boolean;
}

/** What a run was like. */
interface ImportFigures {
  seconds: number;
  /** How long the core took to answer a small question meanwhile, in milliseconds. */
  answeredMs: { p50: number; p95: number; max: number };
  facts: number;
}

/**
 * Imports a history while the core is killed and started again, then imports it once more.
 * @throws Error if a message is missing or doubled, or the second run adds one
 */
export async function runImport({ messages, kills, learn = false }: ImportRun): Promise<ImportFigures> {
  const dataDir = temporaryFolder();
  let core = await ChildCore.open(dataDir, NOW);
  const answered: number[] = [];
  try {
    const text = JSON.stringify(historyOf(messages));
    const startedAt = performance.now();
    let id = await send(core, text, learn);
    for (const share of kills) {
      await follow(core, { id, until: ({ bytes }) => bytes.done >= share * bytes.total, answered });
      await core.kill();
      // It is not waited for: it goes on with the import at once.
      core = ChildCore.start(dataDir, NOW);
    }
    const first = await follow(core, { id, until: ({ state }) => state !== 'running', answered });
    const seconds = (performance.now() - startedAt) / 1_000;
    const turns = messages / 2;
    const all = messages + messages / MESSAGES_OF_ONE;
    same(
      'messages of an import',
      [first.state, first.counts.messages, first.counts.unchanged],
      ['done', all, 0],
    );
    same('stored turns', (await core.client.app.stats()).turns, turns);
    id = await send(core, text, learn);
    const { counts } = await follow(core, { id, until: ({ state }) => state !== 'running', answered: [] });
    same('a second run', counts, {
      ...Object.fromEntries(Object.keys(counts).map((key) => [key, 0])),
      unchanged: all,
    });
    same(
      'findings after an import',
      (await core.client.app.doctor({})).findings.filter(({ code }) => !code.startsWith('vector-')),
      [],
    );
    answered.sort((one, other) => one - other);
    const at = (share: number) => Math.round(answered[Math.floor((answered.length - 1) * share)] ?? 0);
    return {
      seconds: Math.round(seconds),
      answeredMs: { p50: at(0.5), p95: at(0.95), max: at(1) },
      facts: first.counts.facts,
    };
  } finally {
    await core.kill();
    removeFolder(dataDir);
  }
}

/** `npm run soak -- imports 100000`: as a line of JSON. */
export async function soakImports(messages: number): Promise<void> {
  for (const learn of [false, true]) {
    const figures = await runImport({ messages, kills: [0.2, 0.5, 0.8], learn });
    console.log(JSON.stringify({ soak: 'imports', messages, learn, ...figures }));
  }
}

function historyOf(messages: number) {
  const conversations = messages / MESSAGES_OF_ONE;
  return Array.from({ length: conversations }, (_, n) =>
    chatGptConversation(
      `c${n}`,
      `Conversation ${n}`,
      Array.from({ length: MESSAGES_OF_ONE }, (_, place): Line => {
        const words = `numéro ${n} ${place} : ${'les tomates se plantent à la mi-mai, après les gelées. '.repeat(4)}`;
        return place % 2 === 0 ? ['user', `Question ${words}`] : ['assistant', `Réponse ${words}`];
      }),
      (mapping) => askAgain(mapping, `c${n}`),
    ),
  );
}

/** Has the second reply of a conversation been another one first. */
function askAgain(mapping: Record<string, Record<string, unknown>>, id: string): void {
  const node = mapping[`${id}-node-4`];
  const message = node?.message as object;
  const former = { ...message, id: `${id}-former`, content: { parts: ['Je ne sais pas.'] } };
  mapping[`${id}-former`] = { ...node, id: `${id}-former`, children: [], message: former };
}

async function send({ client }: ChildCore, text: string, learn: boolean): Promise<ImportId> {
  const { id } = await client.imports.begin({ files: [{ name: 'conversations.json', modifiedAt: NOW }] });
  for (let from = 0; from < text.length; from += PIECE)
    await client.imports.append({ id, file: 0, from, text: text.slice(from, from + PIECE) });
  await client.imports.start({ id, learn });
  return id;
}

/** Looks at an import until something holds of it, and times each look. */
async function follow(
  { client }: ChildCore,
  { id, until, answered }: { id: ImportId; until: (one: ImportProgress) => boolean; answered: number[] },
): Promise<ImportProgress> {
  // The first answer of a core that starts waits for its start.
  await client.imports.list();
  for (;;) {
    const askedAt = performance.now();
    const { imports } = await client.imports.list();
    answered.push(performance.now() - askedAt);
    const found = imports.find((one) => one.id === id);
    if (!found) throw new Error('an import is not listed');
    if (until(found)) return found;
    await sleep(LOOK_EVERY_MS);
  }
}
