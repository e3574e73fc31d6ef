import type { FactId, TurnId } from '../../shared/ids.ts';
import type { Db } from './database.ts';

/** Something that a fact says of who a person is. */
export interface Tie {
  /** A slug: `david`, or `brother` while no name is known. */
  person: string;
  tie: 'name' | 'alias' | 'kinship' | 'same';
  /** Folded words of the name; the kinship in English; the slug of who this person turned out to be. */
  value: string;
  /** As written. */
  said: string;
}

/** Somebody as facts know them. */
export interface Person {
  /** The slug in keys. */
  person: string;
  /** As written, names before aliases, without repetitions. */
  names: string[];
  kinships: string[];
}

/** SQL: the ties that hold, as `p`; those of facts that are forgotten or no longer said do not. */
const HELD =
  'fact_people p JOIN facts f ON f.id = p.fact_id AND f.forgotten_at IS NULL AND f.unsaid_at IS NULL';

/** Who the people are that facts are about. People have no rows of their own: they are what facts that are not forgotten say. */
export class PeopleStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** People, as they are known now, to whom facts give a name, an alias or a kinship. By seeks, however many facts there are. */
  having(ties: readonly Tie['tie'][], value: string): string[] {
    const same = this.#identities();
    const found = new Set<string>();
    for (const tie of ties) {
      let after = '';
      for (;;) {
        const next = this.#db.get<{ person: string }>(
          'SELECT person FROM fact_people WHERE tie = ? AND value = ? AND person > ? ORDER BY person LIMIT 1',
          tie,
          value,
          after,
        )?.person;
        if (next === undefined) break;
        after = next;
        const holds = this.#db.get(
          `SELECT 1 FROM ${HELD} WHERE p.tie = ? AND p.value = ? AND p.person = ? LIMIT 1`,
          tie,
          value,
          next,
        );
        if (holds) found.add(follow(same, next));
      }
    }
    return [...found];
  }

  /** People with a name that begins with some folded words. */
  startingWith(words: string): string[] {
    const same = this.#identities();
    return this.#db
      .all<{ person: string }>(
        `SELECT DISTINCT p.person FROM ${HELD} WHERE p.tie = 'name' AND p.value >= @words AND p.value < @words || char(1114111) LIMIT 20`,
        { words },
      )
      .map(({ person }) => follow(same, person));
  }

  /** What facts give a person: kinships, or the folded words of names and aliases. */
  valuesOf(person: string, ties: readonly Tie['tie'][]): string[] {
    return this.#members(person).flatMap((one) =>
      ties.flatMap((tie) =>
        this.#db
          .all<{ value: string }>(
            `SELECT DISTINCT p.value FROM ${HELD} WHERE p.person = ? AND p.tie = ?`,
            one,
            tie,
          )
          .map(({ value }) => value),
      ),
    );
  }

  #isTaken(slug: string): boolean {
    return this.#db.get('SELECT 1 FROM fact_people WHERE person = ? LIMIT 1', slug) !== undefined;
  }

  /**
   * Is a slug free for somebody whom no fact in use knows: held by nobody, or only by facts that can come back and call a person so? These
   * speak of the same one then.
   */
  isFreeFor(slug: string, name: string): boolean {
    if (!this.#isTaken(slug)) return true;
    if (this.#db.get(`SELECT 1 FROM ${HELD} WHERE p.person = ? LIMIT 1`, slug)) return false;
    return (
      this.#db.get(
        "SELECT 1 FROM fact_people WHERE person = ? AND tie = 'name' AND value = ?",
        slug,
        name,
      ) !== undefined
    );
  }

  /** Who a person is, as it is known now. */
  identity(person: string): string {
    return follow(this.#identities(), person);
  }

  /** Every slug under which facts speak of a person. */
  slugsOf(person: string): string[] {
    return this.#members(person);
  }

  /** The people that a fact names, as they are known now. */
  ofFacts(ids: readonly FactId[]): Map<FactId, Set<string>> {
    const same = this.#identities();
    const rows = this.#db.all<{ fact_id: FactId; person: string }>(
      'SELECT DISTINCT fact_id, person FROM fact_people WHERE tie <> ? AND fact_id IN (SELECT value FROM json_each(?))',
      'same',
      JSON.stringify(ids),
    );
    return new Map(
      [...Map.groupBy(rows, (row) => row.fact_id)].map(([id, some]) => [
        id,
        new Set(some.map(({ person }) => follow(same, person))),
      ]),
    );
  }

  /** The facts, in any state, that name a person. */
  factsOf(person: string): FactId[] {
    return this.#db
      .all<{ id: FactId }>(
        'SELECT DISTINCT fact_id AS id FROM fact_people WHERE person IN (SELECT value FROM json_each(?))',
        JSON.stringify(this.#members(person)),
      )
      .map(({ id }) => id);
  }

  /** Everybody, by slug. */
  list(): Person[] {
    const same = this.#identities();
    const rows = this.#db.all<Tie>(
      `SELECT DISTINCT p.person, p.tie, p.value, p.said FROM ${HELD} WHERE p.tie <> 'same'
       ORDER BY p.tie = 'alias', p.tie, p.said`,
    );
    const people = Map.groupBy(rows, ({ person }) => follow(same, person));
    return [...people]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([person, ties]) => {
        const byValue = (wanted: readonly Tie['tie'][]) => [
          ...new Map(ties.filter(({ tie }) => wanted.includes(tie)).map((one) => [one.value, one])).values(),
        ];
        return {
          person,
          names: byValue(['name', 'alias']).map(({ said }) => said),
          kinships: byValue(['kinship']).map(({ value }) => value),
        };
      });
  }

  /** What a fact says of who people are. */
  tiesOf(id: FactId): Tie[] {
    return this.#db.all<Tie>('SELECT person, tie, value, said FROM fact_people WHERE fact_id = ?', id);
  }

  add(id: FactId, ties: readonly Tie[], turnId: TurnId | null): void {
    for (const { person, tie, value, said } of ties)
      this.#db.run(
        'INSERT OR IGNORE INTO fact_people (fact_id, person, tie, value, said, turn_id) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        person,
        tie,
        value,
        said,
        turnId,
      );
  }

  /**
   * Takes back what a turn taught of people by a new wording of a fact.
   * @returns the facts whose key changed
   */
  removeTaught(id: FactId, turnId: TurnId): FactId[] {
    const concerned = this.#concerned([id]);
    this.#db.run('DELETE FROM fact_people WHERE fact_id = ? AND turn_id = ?', id, turnId);
    return this.#rekey(concerned);
  }

  /** Takes back some of what a fact says of people. @returns the facts whose key changed */
  remove(id: FactId, ties: readonly Omit<Tie, 'said'>[]): FactId[] {
    const concerned = this.#concerned([id]);
    for (const { person, tie, value } of ties)
      this.#db.run(
        'DELETE FROM fact_people WHERE fact_id = ? AND person = ? AND tie = ? AND value = ?',
        id,
        person,
        tie,
        value,
      );
    return this.#rekey(concerned);
  }

  /**
   * Writes the keys of facts about people again whose identity some facts have a say in: to be called when those are learnt, are
   * forgotten, or come back.
   * @returns the facts whose key changed
   */
  rekey(ids: readonly FactId[]): FactId[] {
    return this.#rekey(this.#concerned(ids));
  }

  /** People of whom some facts say that they are one, and everybody who is the same as they. */
  #concerned(ids: readonly FactId[]): string[] {
    return this.#db
      .all<{ person: string }>(
        `SELECT person FROM fact_people WHERE tie = 'same' AND fact_id IN (SELECT value FROM json_each(@ids))
         UNION SELECT value FROM fact_people WHERE tie = 'same' AND fact_id IN (SELECT value FROM json_each(@ids))`,
        { ids: JSON.stringify(ids) },
      )
      .flatMap(({ person }) => this.#members(person));
  }

  #rekey(people: readonly string[]): FactId[] {
    const same = this.#identities();
    return [...new Set(people)].flatMap((person) =>
      this.#db
        .all<{ id: FactId }>(
          'UPDATE facts SET key = @key || relation WHERE entity = @entity AND key <> @key || relation RETURNING id',
          { key: `person:${follow(same, person)}.`, entity: `person:${person}` },
        )
        .map(({ id }) => id),
    );
  }

  /** Who turned out to be whom. A later fact prevails. */
  #identities(): Map<string, string> {
    const rows = this.#db.all<{ person: string; value: string }>(
      `SELECT p.person, p.value FROM ${HELD} WHERE p.tie = 'same' ORDER BY f.created_at, f.rowid`,
    );
    return new Map(rows.map(({ person, value }) => [person, value]));
  }

  /** Every slug of the same person. */
  #members(person: string): string[] {
    const same = this.#identities();
    const identity = follow(same, person);
    return [...new Set([identity, person, ...same.keys()])].filter((one) => follow(same, one) === identity);
  }
}

/** Follows identities to the last. Facts that were brought back may form a ring, which ends where it began. */
function follow(same: ReadonlyMap<string, string>, person: string): string {
  const seen = new Set<string>();
  let at = person;
  for (let next = same.get(at); next !== undefined && !seen.has(next); next = same.get(at)) {
    seen.add(at);
    at = next;
  }
  return at;
}
