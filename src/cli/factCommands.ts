import { createInterface } from 'node:readline/promises';
import { type Fact, FactKind, type FactStatus } from '../shared/contract/facts.ts';
import type { ForgetPlan } from '../shared/contract/forget.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

export interface FactOptions {
  kind?: string;
  subjects?: string;
  importance?: number;
  ttl?: string;
  content?: string;
}

export interface ListOptions {
  all: boolean;
  subject?: string;
  status?: FactStatus[];
}

export async function listFacts({ client, json }: CommandContext, options: ListOptions): Promise<void> {
  const { all, subject, status } = options;
  const { facts } = await client.facts.list({
    all,
    ...(subject === undefined ? {} : { subject }),
    ...(status === undefined ? {} : { statuses: status }),
  });
  if (json) return writeJson({ facts });
  for (const fact of facts) writeRow(fact);
  if (facts.length === 0) writeLine('0 facts');
}

/** A fact with what it superseded and what superseded it, each after its earlier wordings. */
export async function showHistory({ client, json }: CommandContext, id: string): Promise<void> {
  const { facts } = await client.facts.history({ id });
  if (json) return writeJson({ facts });
  for (const fact of facts) {
    for (const { content, until } of fact.revisions)
      writeLine(
        `${fact.id}  ${'until'.padEnd(10)} ${new Date(until).toISOString().slice(0, 10)} ${quotedLine(content)}`,
      );
    writeRow(fact);
  }
}

/** Everybody whom facts name. */
export async function listAliases({ client, json }: CommandContext): Promise<void> {
  const { people } = await client.facts.aliases();
  if (json) return writeJson({ people });
  for (const { person, names, kinships } of people)
    writeLine(
      quotedLine(`${person.padEnd(16)} ${[...names, ...kinships.map((one) => `(${one})`)].join(', ')}`),
    );
  if (people.length === 0) writeLine('0 people');
}

const writeRow = (fact: Fact): void =>
  writeLine(`${fact.id}  ${fact.status.padEnd(10)} ${fact.kind.padEnd(10)} ${quotedLine(fact.content)}`);

export async function addFact(
  { client, json }: CommandContext,
  content: string,
  options: FactOptions,
): Promise<void> {
  writeFact(await client.facts.add({ content, ...factFields(options), ttl: options.ttl ?? null }), json);
}

export async function editFact(
  { client, json }: CommandContext,
  id: string,
  options: FactOptions,
): Promise<void> {
  const { content } = options;
  writeFact(
    await client.facts.edit({ id, ...factFields(options), ...(content === undefined ? {} : { content }) }),
    json,
  );
}

export async function deleteFact({ client, json }: CommandContext, id: string): Promise<void> {
  const { facts } = await client.facts.remove({ ids: [id] });
  writeFact(facts[0] as Fact, json);
}

export interface ForgetOptions {
  yes: boolean;
  eraseNow: boolean;
}

const GROUPS = { facts: 'Facts', turns: 'Turns', titles: 'Titles' } as const;

/** Prints what would go by group, and forgets what is ticked once it is confirmed. */
export async function forgetTopic(
  { client, json }: CommandContext,
  topic: string,
  { yes, eraseNow: now }: ForgetOptions,
): Promise<void> {
  const plan = await client.forget.plan({ topic });
  if (!json) writePlan(plan);
  const count = plan.groups.reduce((sum, { items }) => sum + items.filter((item) => item.ticked).length, 0);
  if (count === 0 || !(yes || (await confirmed(`Forget ${count}?`)))) {
    if (json) writeJson(plan);
    else
      writeLine(count === 0 ? 'Nothing names it.' : 'Nothing was forgotten; --yes forgets without asking.');
    return;
  }
  const idsOf = (group: string) =>
    plan.groups.flatMap((one) =>
      one.group === group ? one.items.filter((item) => item.ticked).map(({ id }) => id) : [],
    );
  const ticked = { facts: idsOf('facts'), turns: idsOf('turns'), titles: idsOf('titles') };
  const done = await client.forget.apply({ ticked, now });
  if (json) writeJson({ ...plan, ...done });
  else
    writeLine(
      now
        ? `${done.forgotten} erased; the last bytes of it go within a minute while Souvenir runs`
        : `${done.forgotten} forgotten; \`souvenir facts undo\` brings it back`,
    );
}

export async function undoForgetting({ client, json }: CommandContext): Promise<void> {
  const { restored } = await client.forget.undo({});
  if (json) writeJson({ restored });
  else writeLine(`${restored} restored`);
}

function writePlan({ groups, untouched }: ForgetPlan): void {
  for (const { group, items } of groups) {
    if (items.length > 0) writeLine(`${GROUPS[group]}:`);
    for (const { ticked, reason, score, text } of items)
      writeLine(
        `  [${ticked ? 'x' : ' '}] ${reason}${score === null ? '' : ` ${score.toFixed(2)}`}  ${quotedLine(text)}`,
      );
  }
  const kept = [
    ...untouched.notes.map(({ vault, path }) => `note ${vault}/${path}`),
    ...untouched.backups.map(({ path }) => `backup ${path}`),
  ];
  if (kept.length > 0) writeLine('Not touched, and may still hold it (as may exports that you saved):');
  for (const one of kept) writeLine(`  ${quotedLine(one)}`);
}

/** Asks at the terminal; elsewhere nobody can answer, and the answer is no. */
async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^[yo]/i.test(await asking.question(`${question} [y/N] `));
  } finally {
    asking.close();
  }
}

function factFields({ kind, subjects, importance }: FactOptions) {
  return {
    ...(kind === undefined ? {} : { kind: FactKind.parse(kind) }),
    ...(subjects === undefined
      ? {}
      : {
          subjects: subjects
            .split(',')
            .map((subject) => subject.trim())
            .filter(Boolean),
        }),
    ...(importance === undefined ? {} : { importance }),
  };
}

function writeFact(fact: Fact, json: boolean): void {
  if (json) writeJson(fact);
  else writeLine(`${fact.id}  ${fact.status}  ${quotedLine(fact.content)}`);
}
