import type { Migration } from '../migrate.ts';

/**
 * What a fact is about, where it came from, what became of it, and the people it names. `facts` is never rebuilt: with foreign
 * keys on, dropping it would empty `fact_revisions` and `fact_subjects`. Its CHECK on `status` knows two states, so `state` takes
 * its place. `old_entity`, `old_relation` and `old_ties` are functions of the connection.
 */
export const factRecord: Migration = {
  version: 22,
  name: 'fact-record',
  sql: `
    DROP TRIGGER fact_changed;
    -- Expired and forgotten follow from expires_at and forgotten_at.
    ALTER TABLE facts ADD COLUMN state TEXT NOT NULL DEFAULT 'current' CHECK (state IN ('current', 'pending', 'superseded'));
    UPDATE facts SET state = status;
    ALTER TABLE facts ADD COLUMN confidence REAL NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1);
    ALTER TABLE facts ADD COLUMN message_id TEXT; -- of origin, in the turn of origin
    ALTER TABLE facts ADD COLUMN entity TEXT; -- whom a single-valued relation is about: 'user' or 'person:SLUG', as when it was learnt
    ALTER TABLE facts ADD COLUMN relation TEXT; -- the key is the entity, as it is known now, and this
    ALTER TABLE facts ADD COLUMN value TEXT; -- of the relation, as written
    ALTER TABLE facts ADD COLUMN anchor_vault_id TEXT; -- the block of a note that it was learnt from
    ALTER TABLE facts ADD COLUMN anchor_path TEXT;
    ALTER TABLE facts ADD COLUMN anchor_heading TEXT; -- JSON array
    ALTER TABLE facts ADD COLUMN anchor_hash TEXT;
    CREATE INDEX facts_by_text ON facts (text_hash);
    CREATE INDEX facts_by_entity ON facts (entity) WHERE entity IS NOT NULL;
    DROP INDEX facts_by_key;
    CREATE INDEX facts_by_key ON facts (key, state) WHERE key IS NOT NULL;
    CREATE TRIGGER fact_changed AFTER UPDATE OF text_hash, state, forgotten_at, expires_at, retired_at ON facts BEGIN
      INSERT OR REPLACE INTO vector_outbox (kind, item_id) VALUES ('fact', new.id);
    END;

    -- What else a new wording replaced, so that it can be taken back; kind is null if an earlier version replaced it.
    ALTER TABLE fact_revisions ADD COLUMN kind TEXT;
    ALTER TABLE fact_revisions ADD COLUMN value TEXT;
    ALTER TABLE fact_revisions ADD COLUMN expires_at INTEGER;

    CREATE TABLE fact_edges (
      from_id TEXT NOT NULL, -- the newer fact. It may have been erased: what it superseded still names it
      to_id TEXT NOT NULL REFERENCES facts(id) ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('updates', 'contradicts', 'derived-from', 'related')),
      at INTEGER NOT NULL,
      turn_id TEXT REFERENCES turns(id) ON DELETE SET NULL, -- the turn that taught it
      PRIMARY KEY (to_id, from_id, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fact_edges_by_source ON fact_edges (from_id);
    CREATE INDEX fact_edges_by_turn ON fact_edges (turn_id) WHERE turn_id IS NOT NULL;

    -- Who a person is, as far as a fact says it. It holds while the fact is not forgotten.
    CREATE TABLE fact_people (
      fact_id TEXT NOT NULL REFERENCES facts(id) ON DELETE CASCADE,
      person TEXT NOT NULL, -- slug: 'david', or 'brother' while no name is known
      tie TEXT NOT NULL CHECK (tie IN ('name', 'alias', 'kinship', 'same')),
      value TEXT NOT NULL, -- folded words of the name; the kinship in English; the slug of who this person turned out to be
      said TEXT NOT NULL, -- as written
      turn_id TEXT REFERENCES turns(id) ON DELETE SET NULL, -- the turn that taught it
      PRIMARY KEY (fact_id, person, tie, value)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fact_people_by_value ON fact_people (tie, value, person);
    CREATE INDEX fact_people_by_person ON fact_people (person, tie);
    CREATE INDEX fact_people_by_turn ON fact_people (turn_id) WHERE turn_id IS NOT NULL;

    -- Keyed hashes of what must not be learnt or imported again. An import brings its key along.
    CREATE TABLE tombstone_keys (
      id TEXT PRIMARY KEY,
      key TEXT NOT NULL -- hex, 32 random bytes
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE tombstones (
      key_id TEXT NOT NULL REFERENCES tombstone_keys(id) ON DELETE CASCADE,
      hash TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('value', 'content', 'turn')),
      at INTEGER NOT NULL,
      PRIMARY KEY (key_id, hash)
    ) STRICT, WITHOUT ROWID;

    UPDATE facts SET entity = old_entity(key, subjects), relation = old_relation(key) WHERE key IS NOT NULL;
    INSERT OR IGNORE INTO fact_people
      SELECT f.id, j.value ->> 'person', j.value ->> 'tie', j.value ->> 'value', j.value ->> 'said', f.turn_id
      FROM facts f, json_each(old_ties(f.key, f.subjects)) j WHERE f.key IS NOT NULL;
    UPDATE facts SET key = coalesce(
        'person:' || (SELECT p.value FROM fact_people p JOIN facts o ON o.id = p.fact_id
                      WHERE p.tie = 'same' AND 'person:' || p.person = facts.entity AND o.forgotten_at IS NULL
                      ORDER BY o.created_at DESC LIMIT 1),
        entity) || '.' || relation
      WHERE relation IS NOT NULL;
    -- Facts of two languages may have had two keys for one thing: the latest is true.
    CREATE TEMP TABLE latest AS
      SELECT id, key, row_number() OVER (PARTITION BY key ORDER BY created_at DESC, rowid DESC) AS place,
             first_value(id) OVER (PARTITION BY key ORDER BY created_at DESC, rowid DESC) AS first, created_at
      FROM facts WHERE key IS NOT NULL AND state = 'current' AND forgotten_at IS NULL
        AND (expires_at IS NULL OR expires_at > unixepoch() * 1000);
    INSERT INTO fact_edges SELECT first, id, 'updates', created_at, NULL FROM latest WHERE place > 1;
    UPDATE facts SET state = 'superseded' WHERE id IN (SELECT id FROM latest WHERE place > 1);
    DROP TABLE latest;
  `,
};

/** Relatives, as keys of schema 21 wrote them, in English. */
const KINSHIPS: Readonly<Record<string, string>> = {
  sœur: 'sister',
  soeur: 'sister',
  frère: 'brother',
  mère: 'mother',
  père: 'father',
  mom: 'mother',
  mum: 'mother',
  dad: 'father',
  femme: 'wife',
  mari: 'husband',
  fille: 'daughter',
  fils: 'son',
  cousine: 'cousin',
  tante: 'aunt',
  oncle: 'uncle',
  ami: 'friend',
  amie: 'friend',
  copain: 'boyfriend',
  copine: 'girlfriend',
  chef: 'boss',
  cheffe: 'boss',
  collègue: 'colleague',
  médecin: 'doctor',
  voisin: 'neighbour',
  voisine: 'neighbour',
  neighbor: 'neighbour',
  chat: 'cat',
  chatte: 'cat',
  chien: 'dog',
  chienne: 'dog',
};

interface OldKey {
  /** Null for the user. */
  kinship: string | null;
  relation: string;
  /** Of a relative, if the fact says it. */
  name: string | null;
}

/** Reads a key of schema 21: `user.RELATION` or `user.RELATIVE.RELATION`. Null for any other. */
function readOldKey(key: string, subjects: string): OldKey | null {
  const [user, one, two, ...more] = key.split('.');
  if (user !== 'user' || one === undefined || more.length > 0) return null;
  if (two === undefined) return { kinship: null, relation: one, name: null };
  const [, name] = JSON.parse(subjects) as string[];
  return {
    kinship: KINSHIPS[one] ?? one,
    relation: two,
    name: two === 'name' ? (name ?? null) : null,
  };
}

const words = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const slug = (name: string): string => words(name).join('-');

/** Whom a key of schema 21 was about: `user`, `person:brother`, or `person:david` if the fact says the name. */
export function oldEntity(key: string, subjects: string): string | null {
  const old = readOldKey(key, subjects);
  if (!old) return null;
  return old.kinship === null ? 'user' : `person:${(old.name && slug(old.name)) || slug(old.kinship)}`;
}

export function oldRelation(key: string, subjects = '[]'): string | null {
  return readOldKey(key, subjects)?.relation ?? null;
}

/** Who the relative of a fact of schema 21 is: rows of `fact_people` as JSON. */
export function oldTies(key: string, subjects: string): string {
  const old = readOldKey(key, subjects);
  if (!old || old.kinship === null) return '[]';
  const { kinship, name } = old;
  const person = (name && slug(name)) || slug(kinship);
  const ties = [{ person, tie: 'kinship', value: kinship, said: kinship }];
  if (name !== null && slug(name) !== '')
    ties.push(
      { person, tie: 'name', value: words(name).join(' '), said: name },
      { person: slug(kinship), tie: 'same', value: person, said: name },
    );
  return JSON.stringify(ties);
}
