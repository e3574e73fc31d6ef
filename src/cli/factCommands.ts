import { type Fact, FactKind } from '../shared/contract/facts.ts';
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

export async function listFacts({ client, json }: CommandContext, options: { all: boolean }): Promise<void> {
  const { facts } = await client.facts.list({ all: options.all });
  if (json) return writeJson({ facts });
  for (const fact of facts)
    writeLine(`${fact.id}  ${fact.status.padEnd(10)} ${fact.kind.padEnd(10)} ${quotedLine(fact.content)}`);
  if (facts.length === 0) writeLine('0 facts');
}

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
