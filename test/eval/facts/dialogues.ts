import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { FactKind } from '../../../src/shared/contract/facts.ts';

/** What a good assistant keeps of a message. */
export interface Expected {
  as: string;
  content: string;
  /** Words that any right wording contains. */
  says: string[];
  kind: FactKind;
  /** What it is about, as written. */
  subjects: string[];
  /** The local date from which it no longer holds. */
  until?: string;
  /** What becomes of it, by the labels of what came before. */
  becomes:
    | 'new'
    | { supersedes: string }
    | { refines: string }
    | { same: string }
    | { contradicts: string }
    | { alias: string };
  /** Of a single-valued relation, `ENTITY.RELATION`. */
  key: string | null;
}

/** A talk with one user, written before any rule was. */
export interface Dialogue {
  id: string;
  lang: 'fr' | 'en' | 'mixed';
  /** What it tries: `plain`, `update`, `refinement`, `near-miss`, `temporary`, `same`, `alias`, `contradiction`, `nothing`. */
  about: string;
  /** `at` is local time, ISO, to the minute. */
  turns: { at: string; user: string; learn: Expected[] }[];
  /** Labels of what is true at the end, at the time of the last turn. */
  current: string[];
  /** What is left of it once some has expired. */
  later?: { at: string; current: string[] };
}

/**
 * Rules may be fitted on `tune`. The others are figures only: `report`, whose totals were seen while the rules were written, `fresh`, by
 * another author, and `everyday`, by four more, who write what people say in passing; nobody who writes rules has read these two, and their
 * failures are shown to nobody.
 */
export type DialogueSet = 'tune' | 'report' | 'fresh' | 'everyday';

const FOLDER = new URL('dialogues/', import.meta.url);

/** The half to which a dialogue of no folder of its own belongs: by the first byte of the hash of its id. */
function halfOf(id: string): DialogueSet {
  return (createHash('sha256').update(id).digest()[0] as number) % 2 === 0 ? 'tune' : 'report';
}

/** Every dialogue of a set, in the order of the files; those of `tuning/` are all to tune on, those of `reporting/` are `fresh`, those of `everyday/` their own. */
export function readDialogues(set: DialogueSet): Dialogue[] {
  if (set === 'everyday') return readFolder(new URL('everyday/', FOLDER));
  if (set === 'fresh') return readFolder(new URL('reporting/', FOLDER));
  const split = readFolder(FOLDER).filter(({ id }) => halfOf(id) === set);
  return set === 'tune' ? [...split, ...readFolder(new URL('tuning/', FOLDER))] : split;
}

function readFolder(folder: URL): Dialogue[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Dialogue[]);
}
