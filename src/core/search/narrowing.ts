import { isAbsolute } from 'node:path';
import type { SearchFilter } from '../../shared/contract/retrieval.ts';
import { items, KINDS, type Kind } from '../items/index.ts';
import { type Speech, speaksIn, speechParams } from '../items/speech.ts';
import type { Db } from '../storage/database.ts';
import { lookupKey } from '../support/paths.ts';
import { foldedWords, tokenise } from '../support/text/tokenise.ts';
import type { FullText, Place } from './lexical/fullText.ts';
import { type RowSet, rowSetOf } from './vector/queryVector.ts';

/** What has to be true of an item to be searched. Plain data. */
export interface RowFilter extends Omit<SearchFilter, 'kinds'> {
  /** Items that these words name, each of them, or that are known to be about it by their ids. */
  about?: { names: readonly string[]; ids: readonly string[] } | undefined;
}

type Params = Record<string, string | number | null>;

/** SQL: the folders of the conversation `v`; none after damage. */
const FOLDERS = "iif(json_valid(v.folders), v.folders, '[]')";
const IN_FOLDERS = `EXISTS (SELECT 1 FROM json_each(${FOLDERS}) f WHERE f.value IN (SELECT value FROM json_each(@folders)))`;

const NOTHING: RowSet = { rowids: new Set(), ids: new Set() };

/** The rows that a filter lets pass, kind by kind: every source is asked for the best of these, so that a narrow filter loses nothing. */
export class Narrowing {
  /** Whose words of turns are searched; null for everybody's. */
  readonly speech: Speech | null;
  readonly #db: Db;
  readonly #filter: RowFilter;
  readonly #now: number;
  readonly #known = new Map<Kind, RowSet | null>();

  constructor(db: Db, filter: RowFilter, now: number) {
    this.#db = db;
    this.#filter = filter;
    this.#now = now;
    const { roles, author } = filter;
    this.speech =
      roles === undefined && author === undefined
        ? null
        : { roles: roles ?? null, authors: author === undefined ? null : this.#authorsNamed(author) };
  }

  /** The rows of a kind that pass, all of them in use; null if all rows of the kind do. */
  rows(kind: Kind): RowSet | null {
    let rows = this.#known.get(kind);
    if (rows === undefined) {
      rows = this.#read(kind);
      this.#known.set(kind, rows);
    }
    return rows;
  }

  #read(kind: Kind): RowSet | null {
    const { table, inConversation, inFolder, happened, inUse } = items[kind];
    const { channel, folder, from, to, levels, about } = this.#filter;
    const conditions: string[] = [];
    const params: Params = { now: this.#now };
    if (channel !== undefined && inConversation === null) return NOTHING;
    if (channel !== undefined) {
      conditions.push('v.channel = @channel');
      params.channel = channel;
    }
    if (folder !== undefined && inFolder) {
      conditions.push(inFolder('r'));
      params.folder = folderKey(folder);
    } else if (folder !== undefined) {
      conditions.push(IN_FOLDERS);
      params.folders = JSON.stringify(this.#foldersWithin(folder));
    }
    const isPlaced = channel !== undefined || (folder !== undefined && !inFolder);
    if (from !== undefined || to !== undefined) {
      conditions.push(happened('r'));
      Object.assign(params, { from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER });
    }
    if (levels && kind === 'summary') {
      conditions.push(`min(r.level, 2) IN (SELECT value FROM json_each(@levels))`);
      params.levels = JSON.stringify(levels);
    }
    if (this.speech) {
      if (kind !== 'turn') return NOTHING;
      conditions.push(speaksIn('r'));
      Object.assign(params, speechParams(this.speech));
    }
    if (about) {
      conditions.push(
        `(r.id IN (SELECT value FROM json_each(@ids)) OR r.rowid IN (SELECT value FROM json_each(@named)))`,
      );
      params.ids = JSON.stringify(about.ids);
      params.named = JSON.stringify(this.#naming(kind, about.names));
    }
    if (conditions.length === 0) return null;
    const rows = this.#db.all<{ rowid: number; id: string }>(
      `SELECT r.rowid, r.id FROM ${isPlaced ? inConversation : `${table} r`}
       WHERE ${[...conditions, inUse('r')].join(' AND ')}`,
      params,
    );
    return rowSetOf(rows);
  }

  /** Folders of conversations that are this one or lie below it: a path on this computer, or a folder of a vault. */
  #foldersWithin(folder: string): string[] {
    const vaults = this.#db.all<{ path: string }>('SELECT path FROM vaults WHERE removed_at IS NULL');
    const roots = [
      ...(isAbsolute(folder) ? [folder] : []),
      ...vaults.map(({ path }) => `${path}/${folderKey(folder)}`),
    ].map((path) => `${lookupKey(path).replace(/\/+$/, '')}/`);
    return this.#db
      .all<{ folder: string }>(
        `SELECT DISTINCT f.value AS folder FROM conversations v, json_each(${FOLDERS}) f`,
      )
      .map((row) => row.folder)
      .filter((one) => roots.some((root) => `${lookupKey(one)}/`.startsWith(root)));
  }

  /** Rows that hold every word of one of these names. */
  #naming(kind: Kind, names: readonly string[]): number[] {
    const phrases = names
      .map((name) => tokenise(name).map(({ term }) => `"${term.replaceAll('"', '""')}"`))
      .filter((terms) => terms.length > 0)
      .map((terms) => `(${terms.join(' AND ')})`);
    if (phrases.length === 0) return [];
    const { table } = items[kind].fullText;
    return this.#db
      .all<{ rowid: number }>(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`, phrases.join(' OR '))
      .map((row) => row.rowid);
  }

  /** Authors of that name as they are stored: case and accents do not matter. */
  #authorsNamed(name: string): string[] {
    const wanted = foldedWords(name);
    return this.#db
      .all<{ author: string }>('SELECT DISTINCT author FROM messages WHERE author IS NOT NULL')
      .map(({ author }) => author)
      .filter((author) => author === name || (wanted !== '' && foldedWords(author) === wanted));
  }
}

/** The kinds that can have what a filter asks for. */
export const kindsOf = ({ kinds, levels, roles, author }: SearchFilter): Kind[] =>
  KINDS.filter(
    (kind) =>
      (kinds?.includes(kind) ?? true) &&
      (levels === undefined || kind === 'summary' || (kind === 'turn' && levels.includes(0))) &&
      ((roles === undefined && author === undefined) || kind === 'turn'),
  );

/** The rows of a kind that a question may find: those of its scope that pass its filter; null for all. */
export const rowsFor = (
  kind: Kind,
  { place, narrowing }: { place: Place | null; narrowing: Narrowing | null },
  fullText: FullText,
): RowSet | null => inBoth(place && fullText.rowsInScope(kind, place), narrowing?.rows(kind) ?? null);

/** The rows that are in both; null stands for all. */
export function inBoth(one: RowSet | null, other: RowSet | null): RowSet | null {
  if (!one || !other) return one ?? other;
  return {
    rowids: new Set([...one.rowids].filter((rowid) => other.rowids.has(rowid))),
    ids: new Set([...one.ids].filter((id) => other.ids.has(id))),
  };
}

/** How the lookup keys of a folder's notes begin; empty for a vault's top. */
function folderKey(folder: string): string {
  const key = lookupKey(folder).replace(/^(?:\.?\/+)+|\/+$/g, '');
  return key === '' || key === '.' ? '' : `${key}/`;
}
