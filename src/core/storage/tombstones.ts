import { createHmac, randomBytes } from 'node:crypto';
import { newId } from '../support/ids.ts';
import { foldedWords } from '../support/text/tokenise.ts';
import type { Db } from './database.ts';

/**
 * What must not come back: a turn, what a summary said until then, a content or a title whatever its accents and case, or the value of
 * somebody's relation.
 */
export type Forgotten =
  | { kind: 'turn'; id: string }
  | { kind: 'summary'; id: string }
  | { kind: 'content'; content: string }
  | { kind: 'title'; title: string }
  | { kind: 'value'; entity: string; relation: string; value: string };

const textOf = (forgotten: Forgotten): string => {
  if (forgotten.kind === 'turn' || forgotten.kind === 'summary') return forgotten.id;
  if (forgotten.kind === 'content') return foldedWords(forgotten.content);
  if (forgotten.kind === 'title') return foldedWords(forgotten.title);
  return [forgotten.entity, forgotten.relation, foldedWords(forgotten.value)].join('\n');
};

/**
 * What was forgotten, so that it is neither learnt nor imported again. Hashes have a random key, since a short value can be guessed: who
 * has an export alone has its key too, but not what its vaults hold.
 */
export class Tombstones {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  add(all: readonly Forgotten[], at: number): void {
    if (all.length === 0) return;
    this.#db.transaction(() => {
      const { id, key } = this.#keys()[0] ?? this.#makeKey();
      for (const one of all)
        this.#db.run(
          'INSERT OR REPLACE INTO tombstones (key_id, hash, kind, at) VALUES (?, ?, ?, ?)',
          id,
          hashOf(one, key),
          // The column knows three kinds; the hash tells a title from a content, and a summary from a turn.
          one.kind === 'title' ? 'content' : one.kind === 'summary' ? 'turn' : one.kind,
          at,
        );
    });
  }

  /** Is one of these forgotten? */
  has(...some: readonly Forgotten[]): boolean {
    return this.#keys().some(({ id, key }) =>
      some.some(
        (one) =>
          this.#db.get('SELECT 1 FROM tombstones WHERE key_id = ? AND hash = ?', id, hashOf(one, key)) !==
          undefined,
      ),
    );
  }

  /** When it was forgotten last, in milliseconds since 1970; null if it is not. */
  forgottenAt(one: Forgotten): number | null {
    const times = this.#keys().flatMap(({ id, key }) =>
      this.#db.all<{ at: number }>(
        'SELECT at FROM tombstones WHERE key_id = ? AND hash = ?',
        id,
        hashOf(one, key),
      ),
    );
    return times.length === 0 ? null : Math.max(...times.map(({ at }) => at));
  }

  /** Takes over what another database of the present schema keeps from coming back. */
  takeFrom(other: Db): void {
    this.#db.transaction(() => {
      for (const { id, key } of other.all<{ id: string; key: string }>('SELECT id, key FROM tombstone_keys'))
        this.#db.run('INSERT OR IGNORE INTO tombstone_keys (id, key) VALUES (?, ?)', id, key);
      for (const { key_id, hash, kind, at } of other.all<{
        key_id: string;
        hash: string;
        kind: string;
        at: number;
      }>('SELECT key_id, hash, kind, at FROM tombstones'))
        this.#db.run(
          'INSERT OR IGNORE INTO tombstones (key_id, hash, kind, at) VALUES (?, ?, ?, ?)',
          key_id,
          hash,
          kind,
          at,
        );
    });
  }

  /** Lets these be learnt and imported again. */
  lift(all: readonly Forgotten[]): void {
    for (const { id, key } of this.#keys())
      for (const one of all)
        this.#db.run('DELETE FROM tombstones WHERE key_id = ? AND hash = ?', id, hashOf(one, key));
  }

  /** The oldest first; imports bring their own. */
  #keys(): { id: string; key: string }[] {
    return this.#db.all('SELECT id, key FROM tombstone_keys ORDER BY id');
  }

  #makeKey(): { id: string; key: string } {
    const made = { id: newId('key'), key: randomBytes(32).toString('hex') };
    this.#db.run('INSERT INTO tombstone_keys (id, key) VALUES (?, ?)', made.id, made.key);
    return made;
  }
}

function hashOf(forgotten: Forgotten, key: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex'))
    .update(`${forgotten.kind}\n${textOf(forgotten)}`)
    .digest('hex');
}
