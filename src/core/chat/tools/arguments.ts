import { z } from 'zod';
import { readLooseJson } from '../../memory/learning/looseJson.ts';

/** Arguments as they were understood, or what is wrong with them, in words that a model can use. */
export type ReadArguments<T> = { ok: true; value: T } | { ok: false; problem: string };

/** Longer arguments are no question and no fact. */
const LONGEST = 20_000;
const WRAPPERS = ['arguments', 'parameters', 'args', 'input'];

type Fields = Record<string, unknown>;
type Properties = Record<string, { type?: string }>;

/**
 * Reads the arguments of a call. What models write instead of JSON is forgiven: prose and code fences around it, single quotes, missing
 * brackets, an object around the object, numbers and lists written as text, and a lone text where one text is asked for.
 * @param text as the model wrote it
 */
export function readArguments<T extends z.ZodObject>(text: string, schema: T): ReadArguments<z.infer<T>> {
  if (text.length > LONGEST) return { ok: false, problem: `longer than ${LONGEST} characters` };
  const object = objectIn(text, schema);
  if (!object) return { ok: false, problem: 'not a JSON object' };
  const parsed = schema.safeParse(fitted(object, schema));
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, problem: parsed.error.issues.map(describe).join('; ') };
}

/** The arguments as they are kept and sent again: always a JSON object, since a server may refuse a prompt that holds any other. */
export function keptArguments(text: string): string {
  const object = text.length > LONGEST ? null : objectOf(readLooseJson(text)[0]);
  return JSON.stringify(object ?? { input: text.slice(0, 500) });
}

function objectIn(text: string, schema: z.ZodObject): Fields | null {
  const found = readLooseJson(text)
    .map(objectOf)
    .find((one) => one !== null);
  if (found) return unwrapped(found, schema);
  const only = requiredOf(schema);
  const lone = text.trim().replace(/^["'«“]\s*|\s*["'»”]$/g, '');
  if (only.length === 1 && lone !== '' && !/^[{[]/.test(lone)) return { [only[0] as string]: lone };
  return text.trim() === '' || text.trim() === 'null' ? {} : null;
}

const objectOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;

function unwrapped(object: Fields, schema: z.ZodObject): Fields {
  if (Object.keys(object).some((key) => key in schema.shape)) return object;
  for (const key of WRAPPERS) {
    const value = object[key];
    const inner = objectOf(typeof value === 'string' ? readLooseJson(value)[0] : value);
    if (inner) return inner;
  }
  return object;
}

const requiredOf = (schema: z.ZodObject): string[] => z.toJSONSchema(schema, { io: 'input' }).required ?? [];

/** Values in the form that the schema asks for, where it is plain which one is meant. */
function fitted(object: Fields, schema: z.ZodObject): Fields {
  const properties = (z.toJSONSchema(schema, { io: 'input' }).properties ?? {}) as Properties;
  const asAsked = (value: unknown, type: string | undefined): unknown => {
    if ((type === 'integer' || type === 'number') && typeof value === 'string' && value.trim() !== '') {
      const number = Number(value);
      return Number.isNaN(number) ? value : number;
    }
    if (type === 'array' && typeof value === 'string')
      return value.split(',').flatMap((part) => part.trim() || []);
    if (type === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value);
    if (type === 'string' && Array.isArray(value) && value.every((one) => typeof one === 'string'))
      return value.join(', ');
    return value;
  };
  return Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== null && value !== '')
      .map(([key, value]) => [key, asAsked(value, properties[key]?.type)]),
  );
}

function describe({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
