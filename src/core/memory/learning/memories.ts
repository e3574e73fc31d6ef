import { z } from 'zod';
import { FactKind, Ttl } from '../../../shared/contract/facts.ts';
import { readKey } from '../extraction/readWorded.ts';
import { SINGLE_VALUED } from '../extraction/statement.ts';
import { readLooseJson } from './looseJson.ts';

/** What a model proposes to remember, field by field as it may be. */
export interface Memory {
  /** One sentence, on one line. */
  content: string;
  subjects: string[];
  ttl: string | null;
  kind: FactKind;
  importance: number;
  /** `user.RELATION` or `person:NAME.RELATION` of a relation that has one value. */
  key: string | null;
}

/** Why an item is dropped. */
export type DropReason = 'not-an-object' | 'no-content' | 'too-long' | 'bad-ttl' | 'repeated' | 'too-many';
/** Why a field of an item is left out, and the item kept. */
export type FieldReason = 'bad-subjects' | 'bad-kind' | 'bad-importance' | 'unknown-key' | 'unknown-field';

export interface ReadMemories {
  memories: Memory[];
  /** How many items were dropped, and how many fields left out, by reason. */
  dropped: Partial<Record<DropReason | FieldReason, number>>;
}

/** No turn teaches so much; more of it is a model that goes on without end. */
const MOST_MEMORIES = 20;
/** Beyond this many characters nothing is read. */
const LONGEST = 100_000;

const Content = z.string().transform((text) => text.replace(/\s+/g, ' ').trim());
const Subjects = z.array(z.string().trim().min(1).max(100)).max(20);
const Importance = z.number().min(0).max(1);
const FIELDS = new Set(['content', 'subjects', 'ttl', 'kind', 'importance', 'key']);
const MOST_CONTENT = 2_000;
/** Of a fact of which the model does not say how important it is. */
const PLAIN_IMPORTANCE = 0.5;

/** JSON Schema of the memories, for servers that constrain what a model writes. */
const MEMORY_LIST = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      content: { type: 'string' },
      subjects: { type: 'array', items: { type: 'string' } },
      ttl: { type: ['string', 'null'] },
      kind: { type: 'string', enum: FactKind.options },
      importance: { type: 'number' },
      key: { type: ['string', 'null'] },
    },
    required: ['content', 'subjects', 'ttl', 'kind', 'importance', 'key'],
    additionalProperties: false,
  },
} as const;

/** What a call that only reads memories is to answer. */
export const MEMORIES_FORMAT = {
  name: 'memories',
  schema: {
    type: 'object',
    properties: { memories: MEMORY_LIST },
    required: ['memories'],
    additionalProperties: false,
  },
} as const;

/** What a reply is that brings its memories along. The message comes first: it is shown while it is written. */
export const REPLY_FORMAT = {
  name: 'reply',
  schema: {
    type: 'object',
    properties: { message: { type: 'string' }, memories: MEMORY_LIST },
    required: ['message', 'memories'],
    additionalProperties: false,
  },
} as const;

/** The relations of keys, as a prompt names them. */
export const RELATIONS = SINGLE_VALUED.join(', ');

/** Reads the memories in what a model wrote, however it wrote them. What is valid is kept, what is not is counted. */
export function readMemories(text: string): ReadMemories {
  const read: ReadMemories = { memories: [], dropped: {} };
  const seen = new Set<string>();
  for (const item of readLooseJson(text.slice(0, LONGEST)).flatMap(itemsOf)) {
    const memory = readMemory(item, read);
    if (!memory) continue;
    if (seen.has(memory.content)) count(read, 'repeated');
    else if (read.memories.length >= MOST_MEMORIES) count(read, 'too-many');
    else read.memories.push(memory);
    seen.add(memory.content);
  }
  return read;
}

/** The items of a value: of its list `memories`, of a list, or itself. */
function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value))
    return value.flatMap((one) => (hasMemories(one) ? itemsOf(one) : [one as unknown]));
  if (!hasMemories(value)) return isObject(value) && 'content' in value ? [value] : [];
  const { memories } = value;
  if (Array.isArray(memories)) return memories;
  return memories === null ? [] : [memories];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasMemories = (value: unknown): value is { memories: unknown } =>
  isObject(value) && 'memories' in value;

function count({ dropped }: ReadMemories, reason: DropReason | FieldReason): null {
  dropped[reason] = (dropped[reason] ?? 0) + 1;
  return null;
}

function readMemory(item: unknown, read: ReadMemories): Memory | null {
  if (!isObject(item)) return count(read, 'not-an-object');
  const content = Content.safeParse(item.content);
  if (!content.success || content.data === '') return count(read, 'no-content');
  if (content.data.length > MOST_CONTENT) return count(read, 'too-long');
  // Without its end a fact that holds for a while would hold for good.
  const ttl = Ttl.safeParse(item.ttl ?? null);
  if (!ttl.success) return count(read, 'bad-ttl');
  if (Object.keys(item).some((field) => !FIELDS.has(field))) count(read, 'unknown-field');
  const field = <T>(
    value: unknown,
    schema: z.ZodType<T>,
    otherwise: { value: T; reason: FieldReason },
  ): T => {
    if (value === undefined || value === null) return otherwise.value;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    count(read, otherwise.reason);
    return otherwise.value;
  };
  const key = field(item.key, z.string().max(200), { value: '', reason: 'unknown-key' });
  if (key !== '' && !readKey(key)) count(read, 'unknown-key');
  return {
    content: content.data,
    ttl: ttl.data,
    subjects: field(item.subjects, Subjects, { value: [], reason: 'bad-subjects' }),
    kind: field(item.kind, FactKind, { value: 'fact', reason: 'bad-kind' }),
    importance: field(item.importance, Importance, { value: PLAIN_IMPORTANCE, reason: 'bad-importance' }),
    key: key !== '' && readKey(key) ? key : null,
  };
}
