import { type Fact, FactKind, type FactStatus } from '../shared/contract/facts.ts';
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

/** Makes pending facts current, and prints what says each of them. */
export async function confirmFacts({ client, json }: CommandContext, ids: string[]): Promise<void> {
  const { facts } = await client.facts.confirm({ ids });
  if (json) return writeJson({ facts });
  for (const fact of facts) writeRow(fact);
}

export async function deleteFact({ client, json }: CommandContext, id: string): Promise<void> {
  const { facts } = await client.facts.remove({ ids: [id] });
  writeFact(facts[0] as Fact, json);
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
