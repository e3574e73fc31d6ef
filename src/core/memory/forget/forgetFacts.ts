import type { ConversationId, FactId } from '../../../shared/ids.ts';
import type { Db } from '../../storage/database.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { Clock } from '../../support/clock.ts';
import type { Forgettable, Planned, Step, Wanted } from './forgettable.ts';
import { type Aspect, holdsAll, holdsName, isNamed } from './naming.ts';

/** SQL: the fact `f` said what was so until `@now`, and is no longer. */
export const IS_PAST = "(f.state = 'superseded' OR (f.expires_at IS NOT NULL AND f.expires_at <= @now))";

interface FactFound {
  id: FactId;
  content: string;
  at: number;
  conversationId: ConversationId | null;
  names: number;
  past: number;
  belongs: number;
  taught: number;
}

/** Facts, whatever their state, with their earlier wordings. */
export class ForgetFacts implements Forgettable {
  readonly group = 'facts';
  readonly #db: Db;
  readonly #store: FactStore;
  readonly #clock: Clock;

  constructor(db: Db, store: FactStore, clock: Clock) {
    this.#clock = clock;
    this.#db = db;
    this.#store = store;
  }

  plan(wanted: Wanted): Planned[] {
    const { names, people, aspect, within, related, turns, past } = wanted;
    const found = this.#db.all<FactFound>(
      `SELECT * FROM (
         SELECT f.id, f.content, f.created_at AS at, t.conversation_id AS conversationId,
           ${holdsName("f.subject_terms || ' ' || f.body_terms")}
             OR f.id IN (SELECT value FROM json_each(@meant))
             OR EXISTS (SELECT 1 FROM json_each(@people) j WHERE f.entity = 'person:' || j.value
                        OR f.id IN (SELECT p.fact_id FROM fact_people p WHERE p.person = j.value)) AS names,
           ${IS_PAST} AS past,
           (f.created_at >= @from AND f.created_at < @to) OR f.id IN (SELECT value FROM json_each(@chosen))
             OR coalesce(f.turn_id IN (SELECT value FROM json_each(@chosenTurns)), 0) AS belongs,
           coalesce(t.conversation_id = @conversationId OR f.turn_id IN (SELECT value FROM json_each(@turns)), 0)
             OR f.id IN (SELECT r.fact_id FROM fact_revisions r WHERE r.turn_id IN (SELECT value FROM json_each(@chosenTurns))) AS taught
         FROM facts f LEFT JOIN turns t ON t.id = f.turn_id WHERE f.forgotten_at IS NULL
       ) WHERE names OR belongs OR taught OR id IN (SELECT value FROM json_each(@related))
       ORDER BY at DESC`,
      {
        names: JSON.stringify(names),
        people: JSON.stringify(people),
        meant: JSON.stringify([
          ...(past ? [] : this.#namedBefore(names)),
          ...(aspect ? this.#saying(aspect) : []),
        ]),
        now: this.#clock.now(),
        turns: JSON.stringify(turns),
        related: JSON.stringify([...related.keys()]),
        conversationId: within && 'conversationId' in within ? within.conversationId : '',
        chosen: JSON.stringify(within && 'facts' in within ? within.facts : []),
        // Who chooses an exchange means what it taught; what it only worded anew was known before.
        chosenTurns: JSON.stringify(within && 'turns' in within ? within.turns : []),
        from: within && 'from' in within ? within.from : 0,
        to: within && 'from' in within ? within.to : 0,
      },
    );
    return found.map(({ id, content, at, conversationId, ...by }) => {
      const isNamed = by.names === 1 && (!past || by.past === 1);
      return {
        id,
        text: content,
        at,
        conversationId,
        reason: isNamed ? 'names' : by.belongs ? 'belongs' : by.taught ? 'taught-by' : 'related',
        score: isNamed || by.belongs || by.taught ? null : (related.get(id) ?? null),
      };
    });
  }

  forget(ids: readonly string[], at: number): number {
    const inUse = this.#db.all<{ id: FactId }>(
      'SELECT id FROM facts WHERE forgotten_at IS NULL AND id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    );
    this.#store.forget(
      inUse.map(({ id }) => id),
      at,
    );
    return inUse.length;
  }

  restorable(at: number): FactId[] {
    return this.#db
      .all<{ id: FactId }>('SELECT id FROM facts WHERE forgotten_at = ?', at)
      .map(({ id }) => id);
  }

  readonly restore: readonly Step[] = this.#steps((ids, at) => {
    const some = new Set(ids);
    return this.restorable(at).filter((id) => some.has(id));
  });

  readonly bringBack: readonly Step[] = this.#steps((ids) =>
    this.#db
      .all<{ id: FactId }>(
        'SELECT id FROM facts WHERE forgotten_at IS NOT NULL AND id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      )
      .map(({ id }) => id),
  );

  /** Who people are follows from all facts that came back, and what is current from who they are. */
  #steps(forgottenOf: (ids: readonly string[], at: number) => FactId[]): Step[] {
    return [
      (ids, at) => {
        const forgotten = forgottenOf(ids, at);
        this.#store.unforget(forgotten);
        return forgotten.length;
      },
      (ids) => {
        this.#store.people.rekey(ids as FactId[]);
        return 0;
      },
      (ids) => {
        this.#store.reconcile(ids as FactId[], this.#clock.now());
        return 0;
      },
    ];
  }

  latest(): number | null {
    return this.#db.get<{ at: number | null }>('SELECT max(forgotten_at) AS at FROM facts')?.at ?? null;
  }

  /** Facts about a person that say this of them. */
  #saying({ people, terms }: Aspect): string[] {
    return this.#db
      .all<{ id: string; held: string }>(
        `SELECT f.id, f.subject_terms || ' ' || f.body_terms AS held FROM facts f
         WHERE f.forgotten_at IS NULL AND EXISTS (SELECT 1 FROM json_each(?) j WHERE f.entity = 'person:' || j.value
           OR f.id IN (SELECT p.fact_id FROM fact_people p WHERE p.person = j.value))`,
        JSON.stringify(people),
      )
      .filter(({ held }) => holdsAll(held, terms))
      .map(({ id }) => id);
  }

  /** Facts of which an earlier wording names it, or that of the facts note where it says otherwise. */
  #namedBefore(names: readonly string[]): string[] {
    if (names.length === 0) return [];
    return this.#db
      .all<{ id: string; content: string }>(
        'SELECT fact_id AS id, content FROM fact_revisions UNION ALL SELECT fact_id, content FROM fact_conflicts',
      )
      .filter(({ content }) => isNamed(content, names))
      .map(({ id }) => id);
  }
}
