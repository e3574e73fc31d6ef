import { z } from 'zod';
import type { Scope } from '../../../shared/choices.ts';
import type { Source } from '../../../shared/contract/prompt.ts';
import type { ItemKind } from '../../../shared/contract/retrieval.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ConversationId } from '../../../shared/ids.ts';
import type { Settings } from '../../../shared/settings.ts';
import { quotedHashes } from '../../items/index.ts';
import type { Finding } from '../../search/findings.ts';
import { readPastRange } from '../../search/query/timeRange.ts';
import type { FindRequest, SearchClient } from '../../search/searchClient.ts';
import type { Db } from '../../storage/database.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { Clock } from '../../support/clock.ts';
import { foldedWords } from '../../support/text/tokenise.ts';
import { foundItem } from '../prompt/foundItem.ts';
import { recentMemories } from './recentMemories.ts';
import { defineTool, type Given, type Tool, type ToolCaller } from './tool.ts';

export interface SearchToolPorts {
  db: Db;
  search: Pick<SearchClient, 'find'>;
  factStore: Pick<FactStore, 'about'>;
  settings(): Settings;
  /** The scope that holds in a conversation; in a new one, if none is given. */
  scopeOf(id: ConversationId | undefined): Scope;
  clock: Clock;
}

/**
 * What a tool finds need be less relevant than what is given unasked: whoever calls it has asked, and judges what comes. The least that the
 * slider of retrieval allows.
 */
const LEAST_SCORE = 0.3;
/** As many as the slider of retrieval allows, so that a result seldom takes more than a block. */
const MOST_RESULTS = 10;
const MOST_RECENT = 20;

const query = z.string().trim().min(1).max(1_000);
const QUERY = 'What to look for, in the words that it would be written in.';

const sourceOf = (kind: ItemKind): Source => (kind === 'note' ? 'notes' : 'memory');

interface Wanted extends Pick<FindRequest, 'text' | 'onlyWords' | 'filter'> {
  kinds: readonly ItemKind[];
  accept?: (finding: Finding) => boolean;
}

/** The tools that search memory and notes. The scope of retrieval binds them as well. */
export function searchTools(ports: SearchToolPorts): Tool[] {
  const find = (wanted: Wanted, caller: ToolCaller) => findWith(ports, wanted, caller);
  return [
    defineTool({
      name: 'search_memories',
      description:
        'Search what is known about the user (facts) and earlier conversations, by meaning. Use it when the context given does not answer.',
      input: z.object({
        query: query.describe(QUERY),
        subjects: z
          .array(z.string().trim().min(1).max(100))
          .max(10)
          .optional()
          .describe('Only about these people or things.'),
        since: z
          .string()
          .trim()
          .max(60)
          .optional()
          .describe('Only from this date on: 2026-03-01, or "last week".'),
      }),
      reads: ['memory'],
      run: async ({ query: text, subjects = [], since }, caller) => {
        const from = since === undefined ? null : startOf(since, ports.clock.now());
        if (since !== undefined && from === null)
          return { outcome: 'bad-arguments', params: { problem: 'since: write a date, such as 2026-03-01' } };
        const about = new Set(subjects.flatMap((subject) => ports.factStore.about(subject)) as string[]);
        return find(
          {
            text: [text, ...subjects].join(' '),
            kinds: ['fact', 'turn', 'summary', 'attachment'],
            filter: {
              ...(from === null ? {} : { from }),
              ...(subjects.length === 0 ? {} : { about: { names: subjects, ids: [...about] } }),
            },
            // The words of a name may stand apart.
            accept: ({ result, text: whole }) =>
              subjects.length === 0 || about.has(result.id) || names(whole, subjects),
          },
          caller,
        );
      },
    }),
    defineTool({
      name: 'get_recent_memories',
      description: 'The latest facts and turns of earlier conversations, newest first.',
      input: z.object({ limit: z.number().int().min(1).max(MOST_RECENT).default(5).describe('How many.') }),
      reads: ['memory'],
      run: async ({ limit }, caller) => {
        const scope = ports.scopeOf(caller.conversationId ?? undefined);
        const items = recentMemories(ports.db, { limit, scope, caller, now: ports.clock.now() });
        return found(items);
      },
    }),
    defineTool({
      name: 'search_text',
      description: 'Search facts, conversations and notes for exact words: names, numbers, codes.',
      input: z.object({ query: query.describe('The words.') }),
      reads: ['memory', 'notes'],
      run: ({ query: text }, caller) =>
        find({ text, onlyWords: true, kinds: ['fact', 'turn', 'summary', 'attachment', 'note'] }, caller),
    }),
    defineTool({
      name: 'search_notes',
      description: "Search the user's notes, by meaning. Gives passages with the path of their note.",
      input: z.object({ query: query.describe(QUERY) }),
      reads: ['notes'],
      run: ({ query: text }, caller) => find({ text, kinds: ['note'] }, caller),
    }),
  ];
}

async function findWith(
  { db, search, settings, clock }: SearchToolPorts,
  { kinds, accept = () => true, filter, ...wanted }: Wanted,
  { conversationId, turnId, maySee, signal }: ToolCaller,
): Promise<Given> {
  const { items, skipped } = await search.find({
    ...wanted,
    filter: filter && Object.keys(filter).length > 0 ? filter : undefined,
    ...(conversationId === null ? {} : { conversationId }),
    ...(turnId === null ? {} : { exceptTurn: turnId }),
    ...(kinds.every((kind) => kind === 'note') ? { sources: ['notes'] as const } : {}),
    limit: settings().candidatesPerSource,
    noDeadline: true,
    signal,
  });
  const fitting = items.filter(
    (finding) =>
      kinds.includes(finding.result.kind) &&
      maySee.has(sourceOf(finding.result.kind)) &&
      finding.result.score >= LEAST_SCORE &&
      !finding.expired &&
      !finding.onlyAsks &&
      accept(finding),
  );
  // What a source that failed would have found is not told to be nothing.
  if (fitting.length === 0 && skipped.some(({ reason }) => reason.code === 'failed'))
    throw new AppError('SEARCH_UNAVAILABLE', { reason: 'a source failed' });
  const now = clock.now();
  const hashes = quotedHashes(
    db,
    fitting.map(({ result }) => ({ kind: result.kind, id: result.id })),
    now,
  );
  const current = fitting.filter(
    ({ quotedHash }, place) => hashes[place] !== null && hashes[place] === quotedHash,
  );
  return found(current.slice(0, MOST_RESULTS).map((finding) => foundItem(finding, now)));
}

export function found(items: NonNullable<Given['items']>): Given {
  return items.length === 0 ? { outcome: 'nothing' } : { outcome: 'found', items };
}

/** A date, or a stretch of time in words; null for what is neither. */
function startOf(since: string, now: number): number | null {
  const [, count, unit] = /^(\d{1,4})\s*(h|d|w|m|y)$/i.exec(since) ?? [];
  if (count !== undefined && unit !== undefined) {
    const hours = { h: 1, d: 24, w: 168, m: 730, y: 8_760 }[unit.toLowerCase()] ?? 24;
    return now - Number(count) * hours * 3_600_000;
  }
  const date = /^\d{4}(?:-\d{2}(?:-\d{2}.*)?)?$/.test(since) ? Date.parse(since) : Number.NaN;
  if (!Number.isNaN(date)) return date;
  return readPastRange(since, now)?.from ?? null;
}

function names(text: string, subjects: readonly string[]): boolean {
  const words = ` ${foldedWords(text)} `;
  return subjects.some((subject) => words.includes(` ${foldedWords(subject)} `));
}
