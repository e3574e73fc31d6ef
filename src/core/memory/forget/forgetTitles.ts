import type { ConversationId } from '../../../shared/ids.ts';
import type { ConversationStore } from '../../storage/conversations.ts';
import type { Db } from '../../storage/database.ts';
import { type ForgottenTurns, UNTITLED } from '../../storage/forgottenTurns.ts';
import type { Tombstones } from '../../storage/tombstones.ts';
import type { Forgettable, Planned, Step, Wanted } from './forgettable.ts';
import { holdsName } from './naming.ts';

export interface ForgetTitlesPorts {
  db: Db;
  conversations: ConversationStore;
  forgottenTurns: ForgottenTurns;
  tombstones: Tombstones;
}

/** Titles of conversations that go on. */
export class ForgetTitles implements Forgettable {
  readonly group = 'titles';
  readonly #ports: ForgetTitlesPorts;

  constructor(ports: ForgetTitlesPorts) {
    this.#ports = ports;
  }

  plan({ names, past }: Wanted): Planned[] {
    const { db } = this.#ports;
    return db
      .all<{ id: ConversationId; title: string; at: number }>(
        `SELECT v.id, v.title, v.created_at AS at FROM conversations v
         WHERE v.removed_at IS NULL AND ${holdsName('v.title_terms')} ORDER BY at DESC, v.id`,
        { names: JSON.stringify(names) },
      )
      .map(({ id, title, at }) => ({
        id,
        text: title,
        at,
        conversationId: id,
        reason: past ? 'related' : 'names',
        score: null,
      }));
  }

  forget(ids: readonly string[], at: number): number {
    const { db, conversations, forgottenTurns, tombstones } = this.#ports;
    // A conversation that goes as a whole takes its title along.
    let count = db.all(
      'SELECT 1 FROM conversations WHERE removed_at = ? AND id IN (SELECT value FROM json_each(?))',
      at,
      JSON.stringify(ids),
    ).length;
    for (const id of ids as ConversationId[]) {
      const title = conversations.get(id)?.title;
      if (title === undefined || title === UNTITLED) continue;
      tombstones.add([{ kind: 'title', title }], at);
      forgottenTurns.replaceTitle(id, UNTITLED, at);
      count += 1;
    }
    return count;
  }

  restorable(at: number): ConversationId[] {
    return this.#ports.db
      .all<{ id: ConversationId }>('SELECT conversation_id AS id FROM forgotten_titles WHERE at = ?', at)
      .map(({ id }) => id);
  }

  readonly restore: readonly Step[] = [
    (ids) => {
      const { forgottenTurns, tombstones } = this.#ports;
      const titles = forgottenTurns.restoreTitles(ids as ConversationId[]);
      tombstones.lift(titles.map((title) => ({ kind: 'title', title })));
      return titles.length;
    },
  ];

  latest(): number | null {
    return (
      this.#ports.db.get<{ at: number | null }>('SELECT max(at) AS at FROM forgotten_titles')?.at ?? null
    );
  }
}
