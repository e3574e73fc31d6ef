import type { ConversationId, SummaryId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import type { Db } from '../../storage/database.ts';
import type { ForgottenSummaries } from '../../storage/forgottenSummaries.ts';
import { summaryText } from '../../storage/summaries.ts';
import type { Tombstones } from '../../storage/tombstones.ts';
import type { Forgettable, Planned, Step, Wanted } from './forgettable.ts';
import { holdsName, isNamed } from './naming.ts';

export interface ForgetSummariesPorts {
  db: Db;
  forgottenSummaries: ForgottenSummaries;
  tombstones: Tombstones;
  /** Has a summary say what its turns say, and what was made of it made again; false if that cannot be done yet. */
  rewrite(id: SummaryId, at: number): boolean;
  /** Has what was made of a summary made again of what it says now. */
  remakeAbove(id: SummaryId): void;
}

interface SummaryFound {
  id: SummaryId;
  text: string;
  findings: string;
  files: string;
  topics: string;
  at: number;
  conversationId: ConversationId;
  names: number;
}

/**
 * Summaries that name it where no turn behind them does, as the user's own may: they are written again. All others go with their turns,
 * or are made again of those below them.
 */
export class ForgetSummaries implements Forgettable {
  readonly group = 'summaries';
  readonly #ports: ForgetSummariesPorts;

  constructor(ports: ForgetSummariesPorts) {
    this.#ports = ports;
  }

  plan({ names, related, past, turns, listed }: Wanted): Planned[] {
    const behind = (turn: string) =>
      `EXISTS (SELECT 1 FROM summary_turns b JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = s.id AND ${turn})`;
    const naming = (row: string) =>
      `(${holdsName(`${row}.body_terms`)} OR ${row}.id IN (SELECT value FROM json_each(@holding)))`;
    const found = this.#ports.db.all<SummaryFound>(
      `SELECT s.id, s.text, s.findings, s.files, s.topics, s.updated_at AS at, s.conversation_id AS conversationId,
         ${naming('s')} AND (s.made_by = 'user'
           OR NOT EXISTS (SELECT 1 FROM summaries c WHERE c.parent_id = s.id AND c.removed_at IS NULL AND ${naming('c')})) AS names
       FROM summaries s JOIN conversations v ON v.id = s.conversation_id
       WHERE v.removed_at IS NULL AND s.removed_at IS NULL AND NOT ${behind('t.conversation_id <> s.conversation_id')}
         AND NOT ${behind('t.id IN (SELECT value FROM json_each(@turns))')}
         AND (names OR (s.id IN (SELECT value FROM json_each(@related)) AND NOT ${naming('s')}
           AND NOT ${behind('t.id IN (SELECT value FROM json_each(@listed))')}))
       ORDER BY at DESC, s.id`,
      {
        names: JSON.stringify(names),
        holding: JSON.stringify(this.#holding(names)),
        turns: JSON.stringify(turns),
        listed: JSON.stringify(listed),
        related: JSON.stringify([...related.keys()]),
      },
    );
    return found.map(({ id, at, conversationId, ...row }) => {
      const [findings, files, topics] = [row.findings, row.files, row.topics].map(parseTexts);
      const text = summaryText({ text: row.text, findings: findings ?? [], topics: topics ?? [] });
      return {
        id,
        text: [text, ...(files ?? []).filter((file) => !text.includes(file))].join('\n'),
        at,
        conversationId,
        reason: row.names === 1 && !past ? 'names' : 'related',
        score: row.names === 1 ? null : (related.get(id) ?? null),
      };
    });
  }

  forget(ids: readonly string[], at: number): number {
    const { db, forgottenSummaries, tombstones, rewrite } = this.#ports;
    const some = db.all<{ id: SummaryId; updatedAt: number }>(
      `SELECT s.id, s.updated_at AS updatedAt FROM summaries s JOIN conversations v ON v.id = s.conversation_id
       WHERE s.removed_at IS NULL AND v.removed_at IS NULL AND s.id IN (SELECT value FROM json_each(?)) ORDER BY s.level, s.id`,
      JSON.stringify(ids),
    );
    let count = 0;
    for (const { id, updatedAt } of some) {
      // One that was made of another goes with it.
      if (!this.#exists(id)) continue;
      forgottenSummaries.keep(id, at, tombstones.forgottenAt({ kind: 'summary', id }));
      // A wording may be later than the clock says, and is forgotten all the same.
      tombstones.add([{ kind: 'summary', id }], Math.max(at, updatedAt));
      if (!rewrite(id, at)) forgottenSummaries.blank(id);
      count += 1;
    }
    return count;
  }

  restorable(at: number): SummaryId[] {
    return this.#ports.forgottenSummaries.at(at);
  }

  readonly restore: readonly Step[] = [
    (ids, at) => {
      const { forgottenSummaries, tombstones, remakeAbove } = this.#ports;
      const back = (ids as SummaryId[]).filter((id) => {
        const before = forgottenSummaries.putBack(id, at);
        if (before === undefined) return false;
        tombstones.lift([{ kind: 'summary', id }]);
        if (before !== null) tombstones.add([{ kind: 'summary', id }], before);
        return true;
      });
      // Those that the user wrote above others must say so before what is made of these goes.
      for (const id of back) if (this.#exists(id)) remakeAbove(id);
      return back.length;
    },
  ];

  #exists(id: SummaryId): boolean {
    return this.#ports.db.get('SELECT 1 FROM summaries WHERE id = ?', id) !== undefined;
  }

  latest(): number | null {
    return this.#ports.forgottenSummaries.latest();
  }

  /** Summaries that hold it where their terms do not: in names of files and notes, or in what prompts still hold of them. */
  #holding(names: readonly string[]): SummaryId[] {
    if (names.length === 0) return [];
    return this.#ports.db
      .all<{ id: SummaryId; content: string }>(
        `SELECT id, files || ' ' || tools || ' ' || coalesce(sent_text, '') AS content FROM summaries
         WHERE files <> '[]' OR tools <> '[]' OR sent_text IS NOT NULL`,
      )
      .filter(({ content }) => isNamed(content, names))
      .map(({ id }) => id);
  }
}
