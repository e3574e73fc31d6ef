import type { Role } from '../../../shared/contract/chat.ts';
import type { ImportProblem, ImportSource } from '../../../shared/contract/imports.ts';
import type { ConversationId, MessageId } from '../../../shared/ids.ts';
import { isTime } from '../../../shared/time.ts';
import type { NewMessage } from '../../storage/conversations.ts';
import { derivedId } from '../../support/ids.ts';

/** A conversation of a history, ready to be stored. Its ids follow from those of its source. */
export interface History {
  source: ImportSource;
  id: ConversationId;
  /** Null if the file names none. */
  channel: string | null;
  /** Empty if the file gives none. */
  title: string;
  messages: HistoryMessage[];
  /** The message up to which it was shown last, by its place; null if there is none. */
  shown: number | null;
}

/** A message in the tree of its conversation. */
export interface HistoryMessage extends NewMessage {
  /** The message that it follows, by its place in the list, which is before its own; null at the beginning. */
  after: number | null;
}

/** What cannot be imported as it is, by how often it occurs. */
export type Problems = Partial<Record<ImportProblem, number>>;

export function addProblem(problems: Problems, problem: ImportProblem, count = 1): void {
  if (count > 0) problems[problem] = (problems[problem] ?? 0) + count;
}

/** A message as a file has it. */
export interface FoundMessage {
  /** Its id at the source, which need not be unique. */
  id: string;
  role: Role;
  author: string | null;
  content: string;
  /** Milliseconds since 1970; null if there is none, or no valid one. */
  at: number | null;
  /** The message that it follows, as in `HistoryMessage`; left out, the one before it in the list. */
  after?: number | null;
}

/**
 * A message of this many UTF-16 code units is some 250 pages: what is longer is a file that was pasted, which no window shows and no
 * model reads. The beginning is kept.
 */
const LONGEST_MESSAGE = 500_000;
const LONGEST_TITLE = 1_000;
const LONGEST_AUTHOR = 500;

/** A conversation before its messages are checked. */
export interface FoundConversation {
  source: ImportSource;
  id: ConversationId;
  channel?: string | null;
  title: string;
  /** Date of messages before the first one that has a date. */
  at: number;
  messages: readonly FoundMessage[];
  /** The message up to which it was shown last, by its place; the last one of the list, if left out. */
  shown?: number | null;
}

/**
 * Checks the messages of a conversation one by one: none keeps another from being imported.
 * @param idOf the id of a message, from that at the source
 */
export function toHistory(
  found: FoundConversation,
  problems: Problems,
  idOf = (message: string) => derivedId('msg', found.id, message) as MessageId,
): History {
  const { source, id, channel = null, title, at, messages, shown = messages.length - 1 } = found;
  const seen = new Map<string, string>();
  const kept: HistoryMessage[] = [];
  /** Where what follows each message of the list is put. */
  const places: (number | null)[] = [];
  const placeOf = (index: number | null): number | null => (index === null ? null : (places[index] ?? null));
  const start = isTime(at) ? at : 0;
  for (const [index, message] of messages.entries()) {
    const after = placeOf(message.after === undefined ? index - 1 : message.after);
    const known = seen.get(message.id);
    if (known !== undefined) addProblem(problems, 'duplicate-id');
    if (known === message.content) {
      places.push(after);
      continue;
    }
    const own = known === undefined ? message.id : `${message.id} ${seen.size}`;
    seen.set(own, message.content);
    if (message.at === null) addProblem(problems, 'bad-date');
    const before = after === null ? start : (kept[after]?.createdAt ?? start);
    places.push(kept.length);
    kept.push({
      id: idOf(own),
      role: message.role,
      author: message.author === null ? null : message.author.toWellFormed().slice(0, LONGEST_AUTHOR),
      content: textOf(message.content, problems),
      createdAt: Math.round(message.at ?? before),
      after,
    });
  }
  return {
    source,
    id,
    channel,
    title: title.toWellFormed().trim().slice(0, LONGEST_TITLE),
    messages: kept,
    shown: placeOf(shown),
  };
}

function textOf(content: string, problems: Problems): string {
  if (!content.isWellFormed()) addProblem(problems, 'bad-text');
  if (content.length <= LONGEST_MESSAGE) return content.toWellFormed();
  addProblem(problems, 'shortened');
  return `${content.slice(0, LONGEST_MESSAGE)} […]`.toWellFormed();
}

/** Seconds since 1970, or a date in ISO 8601, in milliseconds; null if it is no date. */
export function timeOf(value: unknown): number | null {
  const at =
    typeof value === 'number' ? value * 1_000 : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return isTime(at) ? at : null;
}

export type Fields = Record<string, unknown>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Code as Markdown shows it, whatever it holds. */
export function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}
