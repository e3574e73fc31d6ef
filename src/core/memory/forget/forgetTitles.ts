import type { ConversationId } from '../../../shared/ids.ts';
import type { ConversationStore } from '../../storage/conversations.ts';
import type { Db } from '../../storage/database.ts';
import type { ForgottenTurns } from '../../storage/forgottenTurns.ts';
import type { Forgettable, Planned, Wanted } from './forgettable.ts';
import { holdsName } from './naming.ts';

export interface ForgetTitlesPorts {
  db: Db;
  conversations: ConversationStore;
  forgottenTurns: ForgottenTurns;
}

/** What stands for a title that was forgotten; the same word in English and French. */
const UNTITLED = 'Conversation';

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

  forget(ids: readonly string[], at: number): void {
    const { conversations, forgottenTurns } = this.#ports;
    // One that goes as a whole takes its title along.
    for (const id of ids as ConversationId[])
      if (conversations.get(id)) forgottenTurns.replaceTitle(id, UNTITLED, at);
  }

  restore(at: number): number {
    const before = this.latest();
    this.#ports.forgottenTurns.restoreTitles(at);
    return before === at ? 1 : 0;
  }

  latest(): number | null {
    return (
      this.#ports.db.get<{ at: number | null }>('SELECT max(at) AS at FROM forgotten_titles')?.at ?? null
    );
  }
}
