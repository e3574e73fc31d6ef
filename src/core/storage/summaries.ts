import type { Source } from '../../shared/contract/prompt.ts';
import type { Summary, SummaryMaker } from '../../shared/contract/summaries.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, SummaryId, TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import { newId, sha256 } from '../support/ids.ts';
import { countTerms, termStream } from '../support/text/tokenise.ts';
import type { Db } from './database.ts';
import {
  SELECT_SUMMARIES,
  type SummaryColumns,
  summaryInUse,
  summaryStands,
  toSummaries,
} from './summaryRows.ts';
import { renewLabels } from './turnLabels.ts';

/** What a summary says. */
export interface SummaryContent {
  text: string;
  findings: readonly string[];
  files: readonly string[];
  tools: readonly string[];
  topics: readonly string[];
}

export interface NewSummary extends SummaryContent {
  conversationId: ConversationId;
  level: number;
  /** The turns behind it. */
  turns: readonly TurnId[];
  /** The summaries that are rolled up into it; none at level 1. */
  children: readonly SummaryId[];
  /** Of the turns behind it. */
  characters: number;
  madeBy: SummaryMaker;
  madeFrom: readonly Source[];
  at: number;
}

/** A summary as a roll-up, or the cover of a prompt, looks at it. */
export interface SummaryNode {
  id: SummaryId;
  level: number;
  parentId: SummaryId | null;
  /** Of the turns behind it, in order. */
  numbers: number[];
  characters: number;
  madeBy: SummaryMaker;
}

/** A summary as a prompt may hold it. */
export interface StandingSummary {
  id: SummaryId;
  level: number;
  /** Of the turns behind it, in order. */
  numbers: number[];
  text: string;
  /** As it stands in prompts, if that is another text by now. */
  sentText: string | null;
  madeFrom: Source[];
  /** Dates of the first and of the last turn. */
  from: number;
  to: number;
}

interface StandingColumns {
  id: SummaryId;
  level: number;
  text: string;
  sent_text: string | null;
  made_from: string;
  numbers: string;
  at_first: number;
  at_last: number;
}

/** A turn whose summary is due. */
export interface DueTurn {
  conversationId: ConversationId;
  turnId: TurnId;
}

interface NodeColumns {
  id: SummaryId;
  level: number;
  parent_id: SummaryId | null;
  numbers: string;
  characters: number;
  made_by: SummaryMaker;
}

const NODE = `SELECT s.id, s.level, s.parent_id, s.characters, s.made_by,
  (SELECT json_group_array(t.ordinal ORDER BY t.ordinal) FROM summary_turns b JOIN turns t ON t.id = b.turn_id
   WHERE b.summary_id = s.id) AS numbers FROM summaries s`;

const toNode = (row: NodeColumns): SummaryNode => ({
  id: row.id,
  level: row.level,
  parentId: row.parent_id,
  numbers: JSON.parse(row.numbers) as number[],
  characters: row.characters,
  madeBy: row.made_by,
});

/** What full text and vectors are made from. */
export const summaryText = ({
  text,
  findings,
  topics,
}: Pick<SummaryContent, 'text' | 'findings' | 'topics'>): string =>
  [text, ...findings.filter((finding) => !text.includes(finding)), topics.join(', ')]
    .filter((part) => part !== '')
    .join('\n');

/** Summaries of turns and of summaries, with their full text. Every method is one statement or a transaction, the caller's if there is one. */
export class SummaryStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Stores a summary with the turns behind it, and has it stand above its children. */
  store(summary: NewSummary): SummaryId {
    const id = newId('sum') as SummaryId;
    this.#db.transaction(() => {
      this.#db.run(
        `INSERT INTO summaries (id, conversation_id, level, text, findings, files, tools, topics, characters, made_by, made_from,
           created_at, updated_at) VALUES (?, ?, ?, '', '[]', '[]', '[]', '[]', ?, ?, ?, ?, ?)`,
        id,
        summary.conversationId,
        summary.level,
        summary.characters,
        summary.madeBy,
        JSON.stringify(summary.madeFrom),
        summary.at,
        summary.at,
      );
      this.#db.run(
        'INSERT INTO summary_turns SELECT ?, value FROM json_each(?)',
        id,
        JSON.stringify(summary.turns),
      );
      this.#db.run(
        'UPDATE summaries SET parent_id = ? WHERE id IN (SELECT value FROM json_each(?))',
        id,
        JSON.stringify(summary.children),
      );
      this.write(id, summary, { madeBy: summary.madeBy, at: summary.at });
    });
    return id;
  }

  /**
   * Gives a summary another content. What prompts hold of it stays as it was sent, unless the user wrote the new one. The later content has
   * the later time, whatever the clock says, so that one that was forgotten can be told from it.
   */
  write(id: SummaryId, content: SummaryContent, { madeBy, at }: { madeBy: SummaryMaker; at: number }): void {
    this.#db.transaction(() => {
      this.#db.run(
        `UPDATE summaries SET text = @text, findings = @findings, files = @files, tools = @tools, topics = @topics,
           made_by = @madeBy, updated_at = max(@at, iif(text = '', 0, updated_at + 1)), removed_at = NULL,
           sent_text = iif(@madeBy = 'user', NULL, coalesce(sent_text, nullif(text, ''))) WHERE id = @id`,
        {
          id,
          text: content.text,
          findings: JSON.stringify(content.findings),
          files: JSON.stringify(content.files),
          tools: JSON.stringify(content.tools),
          topics: JSON.stringify(content.topics),
          madeBy,
          at,
        },
      );
      writeSummaryTerms(this.#db, id);
      if (madeBy === 'user') renewLabels(this.#db, id);
    });
  }

  /** Notes how long the summary of a turn took, beside the times that its reply took; a turn without a reply has none. */
  took(turnId: TurnId, ms: number): void {
    this.#db.run(
      `UPDATE memory_retrievals SET timings = json_patch(timings, json_object('summarise', @ms))
       WHERE turn_id = @turnId AND version = (SELECT active_version FROM turns WHERE id = @turnId)`,
      { turnId, ms },
    );
  }

  /** Takes a summary away for good: its place stays, so that it is not made again. */
  remove(id: SummaryId, at: number): void {
    this.#db.transaction(() => {
      this.#db.run(
        `UPDATE summaries SET text = '', findings = '[]', files = '[]', tools = '[]', topics = '[]', sent_text = NULL,
           removed_at = ? WHERE id = ?`,
        at,
        id,
      );
      writeSummaryTerms(this.#db, id);
      renewLabels(this.#db, id);
    });
  }

  /** Has what was taken away at a moment made again. @returns how many */
  putBack(ids: readonly SummaryId[]): number {
    return this.#db.transaction(() => {
      const list = JSON.stringify(ids);
      const removed =
        'SELECT id FROM summaries WHERE removed_at IS NOT NULL AND id IN (SELECT value FROM json_each(?))';
      this.#db.run(
        `INSERT INTO summaries_due SELECT t.conversation_id, t.id, t.created_at FROM summary_turns b JOIN turns t ON t.id = b.turn_id
         WHERE b.summary_id IN (${removed}) ON CONFLICT DO NOTHING`,
        list,
      );
      return this.#db.run(`DELETE FROM summaries WHERE id IN (${removed})`, list).changes;
    });
  }

  /** Undefined if it is not in use. */
  get(id: SummaryId): Summary | undefined {
    const rows = this.#db.all<SummaryColumns>(
      `${SELECT_SUMMARIES} WHERE s.id = ? AND ${summaryInUse('s')}`,
      id,
    );
    return toSummaries(this.#db, rows)[0];
  }

  /** What a summary is made of, be it in use or not: the turns behind it in their order, and the summaries below it. @throws AppError NOT_FOUND */
  madeOf(id: SummaryId): {
    conversationId: ConversationId;
    level: number;
    turns: TurnId[];
    children: SummaryId[];
  } {
    const row = this.#db.get<{
      conversation_id: ConversationId;
      level: number;
      turns: string;
      children: string;
    }>(
      `SELECT s.conversation_id, s.level,
         (SELECT json_group_array(t.id ORDER BY t.ordinal) FROM summary_turns b JOIN turns t ON t.id = b.turn_id
          WHERE b.summary_id = s.id) AS turns,
         (SELECT json_group_array(c.id ORDER BY (SELECT min(t.ordinal) FROM summary_turns b JOIN turns t ON t.id = b.turn_id
            WHERE b.summary_id = c.id)) FROM summaries c WHERE c.parent_id = s.id) AS children
       FROM summaries s WHERE s.id = ?`,
      id,
    );
    if (!row) throw new AppError('NOT_FOUND', { what: 'summary' });
    return {
      conversationId: row.conversation_id,
      level: row.level,
      turns: parseTexts(row.turns) as TurnId[],
      children: parseTexts(row.children) as SummaryId[],
    };
  }

  /** Those of a conversation that are in use, the highest level first and in the order of their turns. */
  list(conversationId: ConversationId, level?: number): Summary[] {
    const rows = this.#db.all<SummaryColumns>(
      `${SELECT_SUMMARIES} WHERE s.conversation_id = @conversationId AND (@level IS NULL OR s.level = @level)
         AND ${summaryInUse('s')}
       ORDER BY s.level DESC, (SELECT min(t.ordinal) FROM summary_turns b JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = s.id)`,
      { conversationId, level: level ?? null },
    );
    return toSummaries(this.#db, rows);
  }

  /** The summary of a turn, in use or taken away; null if none was made. */
  ofTurn(turnId: TurnId): { id: SummaryId; isRemoved: boolean; madeBy: SummaryMaker } | null {
    const row = this.#db.get<{ id: SummaryId; removed_at: number | null; made_by: SummaryMaker }>(
      `SELECT s.id, s.removed_at, s.made_by FROM summary_turns b JOIN summaries s ON s.id = b.summary_id
       WHERE b.turn_id = ? AND s.level = 1`,
      turnId,
    );
    return row ? { id: row.id, isRemoved: row.removed_at !== null, madeBy: row.made_by } : null;
  }

  /** Summaries of a level that were not rolled up yet, in the order of their turns; those that the user took away keep their place. */
  notRolledUp(conversationId: ConversationId, level?: number): SummaryNode[] {
    return this.#nodes(
      `s.conversation_id = @conversationId AND s.parent_id IS NULL AND (@level IS NULL OR s.level = @level)
       AND ${summaryStands('s')}`,
      { conversationId, level: level ?? null },
    );
  }

  /**
   * Summaries of a conversation that a prompt of one of its turns may hold: those that were not rolled up, those below one that holds a turn
   * of the window or that was taken away, and those that the prompt before held.
   * @param from number of the first turn that the window may hold
   * @param before number of the turn that is answered
   */
  coverOf(
    conversationId: ConversationId,
    { from, before, ids }: { from: number; before: number; ids: readonly string[] },
  ): StandingSummary[] {
    return this.#db
      .all<StandingColumns>(
        `WITH RECURSIVE walk(id) AS (
           SELECT id FROM summaries WHERE conversation_id = @conversationId AND parent_id IS NULL
           UNION
           SELECT s.id FROM walk w JOIN summaries p ON p.id = w.id JOIN summaries s ON s.parent_id = p.id
           WHERE p.removed_at IS NOT NULL OR EXISTS (
             SELECT 1 FROM summary_turns b LEFT JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = p.id
               AND (t.id IS NULL OR t.active = 0 OR t.conversation_id <> @conversationId OR t.ordinal >= @from))
         ), held(id) AS (SELECT id FROM walk UNION SELECT value FROM json_each(@ids))
         SELECT s.id, s.level, s.text, s.sent_text, s.made_from, json_group_array(t.ordinal ORDER BY t.ordinal) AS numbers,
           min(t.created_at) AS at_first, max(t.created_at) AS at_last
         FROM held h JOIN summaries s ON s.id = h.id JOIN summary_turns b ON b.summary_id = s.id
         LEFT JOIN turns t ON t.id = b.turn_id AND t.active = 1 AND t.conversation_id = s.conversation_id
         WHERE s.conversation_id = @conversationId AND s.removed_at IS NULL AND s.text <> ''
         GROUP BY s.id HAVING count(t.id) = count(*) AND max(t.ordinal) < @before`,
        { conversationId, from, before, ids: JSON.stringify(ids) },
      )
      .map((row) => ({
        id: row.id,
        level: row.level,
        text: row.text,
        sentText: row.sent_text,
        madeFrom: parseTexts(row.made_from) as Source[],
        numbers: JSON.parse(row.numbers) as number[],
        from: row.at_first,
        to: row.at_last,
      }));
  }

  /** Contents of some summaries, in the order of `ids`; those that were taken away are left out. */
  contents(ids: readonly SummaryId[]): (SummaryContent & { id: SummaryId })[] {
    return this.#db
      .all<Record<'text' | 'findings' | 'files' | 'tools' | 'topics', string> & { id: SummaryId }>(
        `SELECT s.id, s.text, s.findings, s.files, s.tools, s.topics FROM json_each(?) j JOIN summaries s ON s.id = j.value
         WHERE s.removed_at IS NULL ORDER BY j.key`,
        JSON.stringify(ids),
      )
      .map(({ id, text, findings, files, tools, topics }) => ({
        id,
        text,
        findings: parseTexts(findings),
        files: parseTexts(files),
        tools: parseTexts(tools),
        topics: parseTexts(topics),
      }));
  }

  /** Summaries of a conversation that are to be written again, those below others first. */
  blank(conversationId: ConversationId): SummaryId[] {
    return this.#db
      .all<{ id: SummaryId }>(
        "SELECT id FROM summaries WHERE conversation_id = ? AND text = '' AND removed_at IS NULL ORDER BY level, id",
        conversationId,
      )
      .map(({ id }) => id);
  }

  /** Summaries above level 1 of turns that no longer stand together go, with all above them; what was below is free again. */
  dropBroken(conversationId: ConversationId): void {
    this.#db.run(
      `DELETE FROM summaries AS s WHERE s.conversation_id = ? AND s.level > 1 AND (NOT ${summaryStands('s')}
         OR NOT EXISTS (SELECT 1 FROM summaries c WHERE c.parent_id = s.id))`,
      conversationId,
    );
  }

  /** What was made of a summary goes, as far as the user did not write it. */
  dropAbove(id: SummaryId): void {
    this.#db.run(
      `WITH RECURSIVE above(id) AS (
         SELECT p.id FROM summaries s JOIN summaries p ON p.id = s.parent_id WHERE s.id = ? AND p.made_by <> 'user'
         UNION SELECT p.id FROM above a JOIN summaries s ON s.id = a.id JOIN summaries p ON p.id = s.parent_id
           WHERE p.made_by <> 'user')
       DELETE FROM summaries WHERE id IN (SELECT id FROM above)`,
      id,
    );
  }

  /** Prompts are to hold what a summary says now. */
  forgetSent(id: SummaryId): void {
    this.#db.run('UPDATE summaries SET sent_text = NULL WHERE id = ?', id);
    renewLabels(this.#db, id);
  }

  /** The turns behind some summaries, each once. */
  turnsBehind(ids: readonly SummaryId[]): TurnId[] {
    return this.#db
      .all<{ id: TurnId }>(
        'SELECT DISTINCT turn_id AS id FROM summary_turns WHERE summary_id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      )
      .map(({ id }) => id);
  }

  /** Characters of the turns behind some summaries that have none in common. */
  charactersOf(ids: readonly SummaryId[]): number {
    return (
      this.#db.get<{ n: number }>(
        'SELECT coalesce(sum(characters), 0) AS n FROM summaries WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify(ids),
      )?.n ?? 0
    );
  }

  /** Characters of everything that a conversation's turns say. */
  historySize(conversationId: ConversationId): number {
    return (
      this.#db.get<{ n: number }>(
        'SELECT coalesce(sum(characters), 0) AS n FROM turns WHERE conversation_id = ? AND active = 1',
        conversationId,
      )?.n ?? 0
    );
  }

  /** Turns whose summary is due, those of the latest turns first, and conversations whose roll-up is, as an empty id. */
  due(limit: number): DueTurn[] {
    return this.#db.all<DueTurn>(
      `SELECT conversation_id AS conversationId, turn_id AS turnId FROM summaries_due
       ORDER BY at DESC, conversation_id, turn_id LIMIT ?`,
      limit,
    );
  }

  /** Is a turn of a conversation still to be summarised? */
  isConversationDue(conversationId: ConversationId): boolean {
    return (
      this.#db.get('SELECT 1 FROM summaries_due WHERE conversation_id = ? LIMIT 1', conversationId) !==
      undefined
    );
  }

  /** Is there anything to be summarised? */
  isDue(): boolean {
    return this.#db.get('SELECT 1 FROM summaries_due LIMIT 1') !== undefined;
  }

  /** Has the summaries of a conversation rolled up again. */
  noteDue(conversationId: ConversationId): void {
    this.#db.run("INSERT INTO summaries_due VALUES (?, '', 0) ON CONFLICT DO NOTHING", conversationId);
  }

  done({ conversationId, turnId }: DueTurn): void {
    this.#db.run(
      'DELETE FROM summaries_due WHERE conversation_id = ? AND turn_id = ?',
      conversationId,
      turnId,
    );
  }

  #nodes(where: string, params: Record<string, string | number | null>): SummaryNode[] {
    return this.#db
      .all<NodeColumns>(`${NODE} WHERE ${where}`, params)
      .map(toNode)
      .sort((one, other) => (one.numbers[0] ?? 0) - (other.numbers[0] ?? 0));
  }
}

/** Writes terms and full text of a summary again; does nothing if it is gone. */
export function writeSummaryTerms(db: Db, id: string): void {
  const row = db.get<{ rowid: number; text: string; findings: string; topics: string }>(
    'SELECT rowid, text, findings, topics FROM summaries WHERE id = ?',
    id,
  );
  if (!row) return;
  const text = summaryText({
    text: row.text,
    findings: parseTexts(row.findings),
    topics: parseTexts(row.topics),
  });
  const terms = termStream(text);
  db.run(
    'UPDATE summaries SET body_terms = ?, term_count = ?, text_hash = ? WHERE id = ?',
    terms,
    countTerms(terms),
    sha256(text),
    id,
  );
  db.run('DELETE FROM summary_fts WHERE rowid = ?', row.rowid);
  db.run('INSERT INTO summary_fts (rowid, body) VALUES (?, ?)', row.rowid, terms);
}
