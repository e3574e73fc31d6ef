import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ForgetPlan, SaidSubject } from '../shared/contract/forget.ts';
import { AppError } from '../shared/errors.ts';
import type { ConversationId } from '../shared/ids.ts';
import { quotedLine } from '../shared/oneLine.ts';
import { clampTime, isTime } from '../shared/time.ts';
import { describeProblem, writeJson, writeLine } from './output.ts';
import type { CommandContext } from './session.ts';

export interface ForgetOptions {
  yes: boolean;
  eraseNow: boolean;
  fromBackups: boolean;
  past: boolean;
  person: boolean;
  conversation?: string;
  from?: string;
  to?: string;
}

const GROUPS = { facts: 'Facts', turns: 'Turns', summaries: 'Summaries', titles: 'Titles' } as const;

/** Prints what would go by group, and forgets what is ticked once it is confirmed. */
export async function forgetTopic(
  { client, json }: CommandContext,
  topic: string | undefined,
  { yes, eraseNow, fromBackups, ...which }: ForgetOptions,
): Promise<void> {
  const plan = await client.forget.plan(subjectOf(topic, which));
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
  const ticked = {
    facts: idsOf('facts'),
    turns: idsOf('turns'),
    summaries: idsOf('summaries'),
    titles: idsOf('titles'),
  };
  const now = eraseNow || fromBackups;
  const done = await client.forget.apply({ ticked, now });
  if (json && !fromBackups) writeJson({ ...plan, ...done });
  else if (!json)
    writeLine(
      now
        ? `${done.forgotten} erased; the last bytes of it go within a minute while Souvenir runs`
        : `${done.forgotten} forgotten; \`souvenir facts undo\` brings it back`,
    );
  if (fromBackups) await eraseFromBackups({ client, json }, { ...plan, ...done });
}

/** How often it is asked how far the backups are. */
const LOOK_MS = 200;

/**
 * Has every copy of the database rewritten without what was erased, waits for it, and prints what became of each.
 * @param document what the JSON document says besides
 */
export async function eraseFromBackups(
  { client, json }: CommandContext,
  document: Record<string, unknown>,
): Promise<void> {
  let erasure = await client.forget.eraseFromBackups();
  while (erasure.running) {
    await sleep(LOOK_MS);
    erasure = await client.forget.backupErasure();
  }
  const { copies } = erasure;
  if (json) writeJson({ ...document, copies });
  else
    for (const { path, problem } of copies)
      writeLine(
        quotedLine(problem ? `not erased from ${path}. ${describeProblem(problem)}` : `erased from ${path}`),
      );
  if (copies.some(({ problem }) => problem !== null)) process.exitCode = 1;
}

/** @throws AppError BAD_INPUT unless one subject is given */
function subjectOf(
  topic: string | undefined,
  { past, person, conversation, from, to }: Omit<ForgetOptions, 'yes' | 'eraseNow' | 'fromBackups'>,
): SaidSubject {
  const isPeriod = from !== undefined || to !== undefined;
  if ([topic !== undefined, conversation !== undefined, isPeriod].filter(Boolean).length !== 1)
    throw new AppError('BAD_INPUT', { reason: 'give either a topic, --conversation, or --from and --to' });
  if (topic !== undefined) return person ? { person: topic } : { topic, ...(past ? { past } : {}) };
  if (conversation !== undefined) return { conversationId: conversation as ConversationId };
  return { from: timeOf(from, 0), to: timeOf(to, clampTime(Number.POSITIVE_INFINITY)) };
}

/** @throws AppError BAD_INPUT */
export function timeOf(text: string | undefined, otherwise: number): number {
  const at = text === undefined ? otherwise : Date.parse(text);
  if (!isTime(at)) throw new AppError('BAD_INPUT', { reason: `${text} is not an ISO date` });
  return at;
}

/**
 * If a message asks to forget, prints what would go and how to apply it, and stores nothing.
 * @returns whether it does
 */
export async function showForgetting(
  { client, json }: CommandContext,
  message: string,
  conversation: string | undefined,
): Promise<boolean> {
  const request = await client.forget.read({
    message,
    ...(conversation === undefined ? {} : { conversationId: conversation }),
  });
  if (request.asks === 'nothing') return false;
  if (request.asks === 'which') {
    if (json) writeJson(request);
    else {
      writeLine('What is to be forgotten? The latest:');
      for (const { group, id, text } of request.recent)
        writeLine(`  ${group === 'facts' ? 'fact' : 'turn'} ${id}  ${quotedLine(text)}`);
      writeLine(
        'Nothing was stored. `souvenir facts forget TOPIC` forgets a topic; --send sends the message.',
      );
    }
    return true;
  }
  const { subject } = request;
  const plan = await client.forget.plan(subject);
  if (json) writeJson({ ...request, ...plan });
  else {
    writePlan(plan);
    writeLine(
      `Nothing was stored. \`${commandFor(subject)}\` forgets what is ticked; --send sends the message.`,
    );
  }
  return true;
}

function commandFor(subject: SaidSubject): string {
  const quoted = (text: string) => `"${text.replace(/["\\$`]/g, '\\$&')}"`;
  const day = (at: number) => new Date(at).toISOString();
  const command = 'souvenir facts forget';
  if ('topic' in subject) return `${command} ${quoted(subject.topic)}${subject.past ? ' --past' : ''}`;
  if ('person' in subject) return `${command} ${quoted(subject.person)} --person`;
  if ('conversationId' in subject) return `${command} --conversation ${subject.conversationId}`;
  return `${command} --from ${day(subject.from)} --to ${day(subject.to)}`;
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
