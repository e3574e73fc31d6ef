import { type App, createApp } from '../../src/core/app.ts';
import type { Statement } from '../../src/core/memory/extraction/statement.ts';
import type { FactId } from '../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

type Print = (name: string, value: number, unit: string, baseline: number) => void;

/** Facts that are known, in the smaller and in the larger database. */
const SIZES = [1_000, 10_000] as const;
const STATEMENTS = 300;

/**
 * What it costs to compare one statement with what is known and to learn it, with 10,000 facts; the baseline is the same with 1,000.
 * A third of the statements give somebody another home. CPU time, on which other programs have less influence.
 * @param sentence a made-up sentence of that many words
 */
export async function benchConsolidation(print: Print, sentence: (words: number) => string): Promise<void> {
  const [small, large] = [await cost(SIZES[0], sentence), await cost(SIZES[1], sentence)];
  print(`facts.consolidate.${SIZES[1]}`, large, 'ms', small);
}

/** When the first made-up fact was added, in milliseconds since 1970; each of the others came a millisecond after the one before. */
const FIRST = 1_700_000_000_000;

/** Adds made-up facts by hand, of eight words each. */
export function addFacts({ services }: App, count: number, sentence: (words: number) => string): void {
  const { db, factStore } = services;
  db.transaction(() => {
    for (let index = 0; index < count; index += 1)
      factStore.insert({
        id: `fact_${index}` as FactId,
        content: sentence(8),
        kind: 'fact',
        subjects: [],
        importance: 0.5,
        source: 'manual',
        channel: null,
        turnId: null,
        expiresAt: null,
        createdAt: FIRST + index,
      });
  });
}

/** CPU milliseconds of one statement. */
async function cost(known: number, sentence: (words: number) => string): Promise<number> {
  const dataDir = temporaryFolder();
  let now = FIRST;
  const app = createApp({ dataDir, version: 'bench' }, { clock: { now: () => now } });
  const { facts } = app.services;
  const learn = (statement: Statement) => {
    now += 1;
    facts.learn(statement, { turnId: null, messageId: null, channel: 'chat' });
  };
  try {
    addFacts(app, known, sentence);
    now += known;
    const all = Array.from({ length: STATEMENTS * 2 }, (_, index) => statementOf(index, sentence));
    // The first half has the statements prepared and the code compiled.
    for (const statement of all.slice(0, STATEMENTS)) learn(statement);
    const before = process.cpuUsage();
    for (const statement of all.slice(STATEMENTS)) learn(statement);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e3 / STATEMENTS;
  } finally {
    await app.close();
    removeFolder(dataDir);
  }
}

function statementOf(index: number, sentence: (words: number) => string): Statement {
  const shared = { importance: 0.5, alias: null, isAsked: false, expiresAt: null };
  if (index % 3 > 0)
    return { ...shared, content: sentence(8), kind: 'fact', subjects: [], mentions: [], states: null };
  const of = { entity: 'person', name: `Nom${index % 60}`, kinship: 'friend' } as const;
  const value = sentence(1);
  const content = `${of.name} habite à ${value}`;
  return {
    ...shared,
    content,
    kind: 'relation',
    subjects: [of.name],
    mentions: [of],
    states: { of, relation: 'home', value },
  };
}
