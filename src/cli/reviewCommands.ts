import type { ReviewGroup, ReviewItem } from '../shared/contract/review.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

export interface ReviewOptions {
  group?: ReviewGroup;
  limit: number;
}

export interface MergeOptions {
  into?: string;
  content?: string;
}

/** What needs a look, by group, with what each item is about. */
export async function showReview({ client, json }: CommandContext, options: ReviewOptions): Promise<void> {
  const { group, limit } = options;
  const page = await client.review.list({ limit, ...(group === undefined ? {} : { group }) });
  if (json) return writeJson(page);
  for (const { group: name, count } of page.counts) {
    if (group !== undefined && name !== group) continue;
    writeLine(`${name}: ${count}`);
    for (const item of page.items) if (item.group === name) writeItem(item);
  }
  if (page.next !== null) writeLine(`only the first ${page.items.length} are shown; --limit shows more`);
}

function writeItem({ facts, reason }: ReviewItem): void {
  writeLine(`  ${reasonOf(reason)}`);
  for (const { id, content } of facts) writeLine(`    ${id}  ${quotedLine(content)}`);
}

function reasonOf(reason: ReviewItem['reason']): string {
  switch (reason.code) {
    case 'alike':
      return 'say nearly the same';
    case 'otherwise':
      return reason.in.length === 0 ? 'contradict each other' : `differ in ${reason.in.join(', ')}`;
    case 'suggested':
      return `suggested by a ${reason.by}, not confirmed`;
    case 'note-changed':
      return reason.now
        ? `its note now says: ${quotedLine(reason.now.markdown)}`
        : 'its note no longer says it';
    case 'edited-twice':
      return `the facts note says: ${quotedLine(reason.note)}`;
    case 'never-given':
      return `never given in ${reason.days} days`;
  }
}

export async function mergeFacts(
  { client, json }: CommandContext,
  ids: string[],
  { into, content }: MergeOptions,
): Promise<void> {
  const fact = await client.facts.merge({
    ids,
    ...(into === undefined ? {} : { into }),
    ...(content === undefined ? {} : { content }),
  });
  if (json) return writeJson(fact);
  writeLine(`${fact.id}  ${fact.status}  ${quotedLine(fact.content)}`);
  writeLine(`\`souvenir facts unmerge ${fact.id}\` undoes it`);
}

export async function unmergeFacts({ client, json }: CommandContext, id: string): Promise<void> {
  const { facts } = await client.facts.unmerge({ id });
  if (json) return writeJson({ facts });
  for (const fact of facts) writeLine(`${fact.id}  ${fact.status}  ${quotedLine(fact.content)}`);
}
