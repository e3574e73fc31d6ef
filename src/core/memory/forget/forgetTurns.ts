import { AppError } from '../../../shared/errors.ts';
import type { ConversationId, FactId, TurnId } from '../../../shared/ids.ts';
import type { ConversationStore } from '../../storage/conversations.ts';
import type { Db } from '../../storage/database.ts';
import type { ForgottenTurns } from '../../storage/forgottenTurns.ts';
import type { Forgotten, Tombstones } from '../../storage/tombstones.ts';
import type { Clock } from '../../support/clock.ts';
import { IS_PAST } from './forgetFacts.ts';
import type { Forgettable, Planned, Step, Wanted } from './forgettable.ts';
import { holdsName, isNamed } from './naming.ts';

export interface ForgetTurnsPorts {
  db: Db;
  conversations: ConversationStore;
  tombstones: Tombstones;
  clock: Clock;
  forgottenTurns: ForgottenTurns;
  /** See `FactStore.followTurns`. */
  followTurns(at: number): void;
  /** Ends the reply that is being written to a turn, if there is one. */
  stop(id: TurnId): void;
}

interface TurnRow {
  id: TurnId;
  at: number;
  conversationId: ConversationId;
}

interface TurnFound extends TurnRow {
  names: number;
  /** It taught what is no longer so. */
  past: number;
  belongs: number;
}

const SECTION_HOLDS_NAME = `${holdsName('s.title_terms')} OR ${holdsName('s.body_terms')}`;
/** SQL: a file whose text, or the name of which, holds a name is attached to the turn `t`. */
const ATTACHES_NAME = `EXISTS (SELECT 1 FROM attachments a JOIN attachment_sections s ON s.attachment_id = a.id
  WHERE a.turn_id = t.id AND (${SECTION_HOLDS_NAME}))`;

/** Turns of conversations. A conversation of which every turn is forgotten goes as a whole. */
export class ForgetTurns implements Forgettable {
  readonly group = 'turns';
  readonly #ports: ForgetTurnsPorts;

  constructor(ports: ForgetTurnsPorts) {
    this.#ports = ports;
  }

  plan({ names, within, related, past }: Wanted): Planned[] {
    const { db, clock } = this.#ports;
    const found = db.all<TurnFound>(
      `SELECT * FROM (
         SELECT t.id, t.created_at AS at, t.conversation_id AS conversationId,
           ${holdsName('t.body_terms')} OR t.id IN (SELECT value FROM json_each(@holding)) OR ${ATTACHES_NAME} AS names,
           t.id IN (SELECT f.turn_id FROM facts f WHERE ${IS_PAST}) AS past,
           t.conversation_id = @conversationId OR (t.created_at >= @from AND t.created_at < @to)
             OR t.id IN (SELECT value FROM json_each(@chosen)) AS belongs
         FROM turns t JOIN conversations v ON v.id = t.conversation_id WHERE v.removed_at IS NULL
       ) WHERE names OR belongs OR id IN (SELECT value FROM json_each(@related)) ORDER BY at DESC, id`,
      {
        names: JSON.stringify(names),
        holding: JSON.stringify(this.#holding(names)),
        related: JSON.stringify([...related.keys()]),
        now: clock.now(),
        conversationId: within && 'conversationId' in within ? within.conversationId : '',
        chosen: JSON.stringify(within && 'turns' in within ? within.turns : []),
        from: within && 'from' in within ? within.from : 0,
        to: within && 'from' in within ? within.to : 0,
      },
    );
    return this.#withTexts(found, names, ({ id, ...by }) => {
      const isNamed = by.names === 1 && (!past || by.past === 1);
      return {
        reason: isNamed ? 'names' : by.belongs ? 'belongs' : 'related',
        score: isNamed || by.belongs ? null : (related.get(id) ?? null),
      };
    });
  }

  /** The turns that taught facts, or what these said before: where they remain if the facts alone are forgotten. */
  teaching(facts: readonly FactId[], known: readonly Planned[]): Planned[] {
    const found = this.#ports.db.all<TurnRow>(
      `SELECT t.id, t.created_at AS at, t.conversation_id AS conversationId
       FROM turns t JOIN conversations v ON v.id = t.conversation_id
       WHERE v.removed_at IS NULL AND t.id NOT IN (SELECT value FROM json_each(@known)) AND t.id IN (
         SELECT turn_id FROM facts WHERE id IN (SELECT value FROM json_each(@facts))
         UNION SELECT turn_id FROM fact_revisions WHERE fact_id IN (SELECT value FROM json_each(@facts)))
       ORDER BY at DESC, t.id`,
      { facts: JSON.stringify(facts), known: JSON.stringify(known.map(({ id }) => id)) },
    );
    return this.#withTexts(found, [], () => ({ reason: 'teaches', score: null }));
  }

  #withTexts<Row extends TurnRow>(
    rows: readonly Row[],
    names: readonly string[],
    why: (row: Row) => Pick<Planned, 'reason' | 'score'>,
  ): Planned[] {
    const texts = Map.groupBy(
      this.#ports.conversations.shownMessagesOf(rows.map(({ id }) => id)),
      ({ turnId }) => turnId,
    );
    const attached = this.#attachedNaming(rows, names);
    return rows.map((row) => ({
      id: row.id,
      text: [
        ...(texts.get(row.id) ?? []).map(({ content }) => content),
        ...(attached.get(row.id) ?? []),
      ].join('\n'),
      at: row.at,
      conversationId: row.conversationId,
      ...why(row),
    }));
  }

  /** What names the topic in files that were attached to turns, each section with the name of its file. */
  #attachedNaming(rows: readonly TurnRow[], names: readonly string[]): Map<TurnId, string[]> {
    const found = this.#ports.db.all<{ id: TurnId; text: string }>(
      `SELECT a.turn_id AS id, a.name || char(10) || s.text AS text
       FROM attachments a JOIN attachment_sections s ON s.attachment_id = a.id
       WHERE a.turn_id IN (SELECT value FROM json_each(@ids)) AND (${SECTION_HOLDS_NAME}) ORDER BY a.ordinal, s.ordinal`,
      { ids: JSON.stringify(rows.map(({ id }) => id)), names: JSON.stringify(names) },
    );
    return new Map(
      [...Map.groupBy(found, ({ id }) => id)].map(([id, some]) => [id, some.map(({ text }) => text)]),
    );
  }

  /** A conversation of which every turn goes is forgotten as a whole. */
  together(ids: readonly string[]): (id: string) => string {
    const rows = this.#ports.db.all<{ id: string; conversationId: string }>(
      'SELECT id, conversation_id AS conversationId FROM turns WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    );
    const conversations = new Map(rows.map(({ id, conversationId }) => [id, conversationId]));
    // What is brought back are conversations, each by itself.
    return (id) => conversations.get(id) ?? id;
  }

  forget(ids: readonly string[], at: number): number {
    const { db, tombstones, forgottenTurns, stop } = this.#ports;
    const rows = db.all<{ id: TurnId; conversationId: ConversationId }>(
      `SELECT t.id, t.conversation_id AS conversationId FROM turns t JOIN conversations v ON v.id = t.conversation_id
       WHERE v.removed_at IS NULL AND t.id IN (SELECT value FROM json_each(?)) ORDER BY t.ordinal`,
      JSON.stringify(ids),
    );
    for (const { id } of rows) stop(id);
    tombstones.add(rows.map(asForgotten), at);
    for (const [id, some] of Map.groupBy(rows, ({ conversationId }) => conversationId))
      forgottenTurns.forget(
        some.map((row) => row.id),
        id,
        at,
      );
    this.#ports.followTurns(at);
    return rows.length;
  }

  /** Removed conversations: whole ones, and those in which turns stand that were forgotten alone. */
  restorable(at: number): ConversationId[] {
    return this.#ports.db
      .all<{ id: ConversationId }>('SELECT id FROM conversations WHERE removed_at = ?', at)
      .map(({ id }) => id);
  }

  readonly restore: readonly Step[] = [
    (ids, at) => {
      const some = new Set(ids);
      const removed = this.restorable(at).filter((id) => some.has(id));
      return removed.reduce((sum, id) => sum + this.restoreConversation(id), 0);
    },
  ];

  readonly bringBack: readonly Step[] = [
    (ids) => {
      const removed = this.#ports.db.all<{ id: ConversationId }>(
        'SELECT id FROM conversations WHERE removed_at IS NOT NULL AND id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      );
      for (const { id } of removed) this.restoreConversation(id);
      return removed.length;
    },
  ];

  /**
   * Restores a removed conversation, or puts its turns back where they came from; they may be imported again afterwards. In the
   * caller's transaction.
   * @returns how many turns came back
   * @throws AppError NOT_FOUND if it was erased
   */
  restoreConversation(id: ConversationId): number {
    const { conversations, tombstones, forgottenTurns } = this.#ports;
    const turns = conversations.turns(id);
    tombstones.lift(turns.map(asForgotten));
    if (!forgottenTurns.putBack(id) && !conversations.setRemovedAt(id, null))
      throw new AppError('NOT_FOUND', { what: 'conversation' });
    this.#ports.followTurns(this.#ports.clock.now());
    return turns.length;
  }

  /** Of a removed conversation that is to come back, what was forgotten stays away. In the caller's transaction. */
  keepAway(id: ConversationId): void {
    const { db, conversations, tombstones, forgottenTurns } = this.#ports;
    const removed = db.get<{ at: number }>(
      'SELECT removed_at AS at FROM conversations WHERE id = ? AND removed_at IS NOT NULL',
      id,
    );
    const turns = removed ? conversations.turns(id).filter((turn) => tombstones.has(asForgotten(turn))) : [];
    if (removed && turns.length > 0)
      forgottenTurns.forget(
        turns.map((turn) => turn.id),
        id,
        removed.at,
      );
  }

  latest(): number | null {
    return (
      this.#ports.db.get<{ at: number | null }>('SELECT max(removed_at) AS at FROM conversations')?.at ?? null
    );
  }

  /**
   * Turns that hold it where their terms do not: in a version of the reply that is not shown, in what the model thought aloud, in what
   * it asked of tools, in the title of an attached note, or in what a reply copied from what it was given.
   */
  #holding(names: readonly string[]): TurnId[] {
    if (names.length === 0) return [];
    return this.#ports.db
      .all<{ id: TurnId; content: string; reasoning: string }>(
        `SELECT m.turn_id AS id, m.content, m.reasoning FROM messages m JOIN turns t ON t.id = m.turn_id
         WHERE m.version IS NOT NULL AND (m.reasoning <> '' OR (m.content <> '' AND (
           m.version <> t.active_version OR EXISTS (SELECT 1 FROM context_items i WHERE i.turn_id = m.turn_id))))`,
      )
      .concat(
        this.#ports.db.all(
          `SELECT turn_id AS id, name || ' ' || arguments || ' ' || params AS content, '' AS reasoning FROM tool_calls
           UNION ALL SELECT turn_id, name, '' FROM attachments WHERE kind = 'note'`,
        ),
      )
      .filter(({ content, reasoning }) => isNamed(content, names) || isNamed(reasoning, names))
      .map(({ id }) => id);
  }
}

const asForgotten = ({ id }: { id: TurnId }): Forgotten => ({ kind: 'turn', id });
