import type { SkippedSource, VerdictReason } from '../../shared/contract/reasons.ts';
import type { Retrieval, RetrievalSettings, ScoreParts } from '../../shared/contract/retrieval.ts';
import type { Trace, TraceItem, TraceRow } from '../../shared/contract/traces.ts';
import type { TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import type { Settings } from '../../shared/settings.ts';
import { newId } from '../support/ids.ts';
import type { Db } from './database.ts';

/** A retrieval, and the version of the reply that it was made for. */
export interface LoggedRetrieval {
  turnId: TurnId;
  version: number;
  channel: string;
  message: string;
  retrieval: Retrieval;
  at: number;
}

/** How long, and how many, retrievals are kept whole. */
type Bounds = Pick<Settings, 'wholeTraceDays' | 'wholeTraces'>;

const PREVIEW_CHARACTERS = 200;
const DAY_MS = 86_400_000;
/** Retrievals that are thinned out with one that is written: more than are written, so that a lower bound takes hold soon. */
const THINNED_AT_ONCE = 20;

const TRACE = `SELECT r.id, r.user_message_preview AS question, r.channel, t.conversation_id AS conversationId,
    r.turn_id AS turnId, r.version, r.memories_injected AS memoriesInjected, r.obsidian_notes_injected AS notesInjected,
    r.total_tokens_added AS tokens, r.created_at AS createdAt, r.whole, r.timings, r.skipped, r.settings
  FROM memory_retrievals r LEFT JOIN turns t ON t.id = r.turn_id LEFT JOIN conversations v ON v.id = t.conversation_id
  WHERE v.removed_at IS NULL`;

/** A retrieval as it is stored. */
type TraceColumns = Omit<TraceRow, 'whole'> & {
  whole: number;
  timings: string;
  skipped: string;
  settings: string | null;
};

/** Every retrieval with what it considered, and why each candidate got its verdict. */
export class RetrievalLog {
  readonly #db: Db;
  readonly #bounds: () => Bounds;

  constructor(db: Db, bounds: () => Bounds) {
    this.#db = db;
    this.#bounds = bounds;
  }

  write({ turnId, version, channel, message, retrieval, at }: LoggedRetrieval): void {
    const { candidates, tokens, timingsMs, skipped, settings } = retrieval;
    const injected = candidates.filter((candidate) => candidate.verdict === 'injected');
    const notes = injected.filter((candidate) => candidate.kind === 'note').length;
    const id = newId('retrieval');
    this.#db.transaction(() => {
      this.#db.run(
        `INSERT INTO memory_retrievals (id, turn_id, version, channel, user_message_preview, memories_injected,
           obsidian_notes_injected, total_tokens_added, timings, skipped, settings, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        id,
        turnId,
        version,
        channel,
        message.slice(0, PREVIEW_CHARACTERS),
        injected.length - notes,
        notes,
        tokens,
        JSON.stringify(timingsMs),
        JSON.stringify(skipped),
        JSON.stringify(settings),
        at,
      );
      for (const [index, candidate] of candidates.entries()) {
        this.#db.run(
          `INSERT INTO memory_retrieval_items (retrieval_id, ordinal, kind, item_id, title, path, heading, score, verdict,
             reason, tokens, parts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          id,
          index + 1,
          candidate.kind,
          candidate.id,
          // A fact has no title: it is short enough to stand for itself.
          candidate.title ?? (candidate.kind === 'fact' ? candidate.excerpt : ''),
          candidate.path ?? null,
          JSON.stringify(candidate.heading ?? []),
          candidate.score,
          candidate.verdict,
          JSON.stringify(candidate.reason),
          candidate.tokens,
          candidate.parts ? JSON.stringify(candidate.parts) : null,
        );
      }
      this.#thinOut(at);
    });
  }

  /** Of retrievals that are older or more than the bounds, leaves what was given; some of them at a time. */
  #thinOut(now: number): void {
    const { wholeTraceDays, wholeTraces } = this.#bounds();
    const last = this.#db.get<{ at: number }>(
      'SELECT created_at AS at FROM memory_retrievals WHERE whole = 1 ORDER BY created_at DESC LIMIT 1 OFFSET ?',
      wholeTraces,
    );
    const due = this.#db.all<{ id: string }>(
      'SELECT id FROM memory_retrievals WHERE whole = 1 AND created_at <= ? ORDER BY created_at LIMIT ?',
      Math.max(now - wholeTraceDays * DAY_MS - 1, last?.at ?? Number.MIN_SAFE_INTEGER),
      THINNED_AT_ONCE,
    );
    if (due.length === 0) return;
    const ids = JSON.stringify(due.map(({ id }) => id));
    const those = 'IN (SELECT value FROM json_each(?))';
    this.#db.run(
      `DELETE FROM memory_retrieval_items WHERE verdict <> 'injected' AND retrieval_id ${those}`,
      ids,
    );
    this.#db.run(`UPDATE memory_retrieval_items SET parts = NULL WHERE retrieval_id ${those}`, ids);
    this.#db.run(`UPDATE memory_retrievals SET whole = 0 WHERE id ${those}`, ids);
  }

  /** Takes back the retrieval of a version that is answered from the start once more. */
  remove(turnId: TurnId, version: number): void {
    this.#db.run('DELETE FROM memory_retrievals WHERE turn_id = ? AND version = ?', turnId, version);
  }

  /** Retrievals, newest first; those of removed conversations are left out. */
  latest(limit: number): TraceRow[] {
    return this.#db
      .all<TraceColumns>(`${TRACE} ORDER BY r.created_at DESC, r.rowid DESC LIMIT ?`, limit)
      .map(({ timings: _timings, skipped: _skipped, settings: _settings, whole, ...row }) => ({
        ...row,
        whole: whole === 1,
      }));
  }

  /** Id of a turn's latest retrieval. */
  latestOfTurn(turnId: TurnId): string | undefined {
    return this.#db.get<{ id: string }>(
      'SELECT id FROM memory_retrievals WHERE turn_id = ? ORDER BY created_at DESC, rowid DESC LIMIT 1',
      turnId,
    )?.id;
  }

  /** One retrieval with its candidates, without its prompt. */
  get(id: string): Omit<Trace, 'prompt' | 'promptCut'> | undefined {
    const row = this.#db.get<TraceColumns>(`${TRACE} AND r.id = ?`, id);
    if (!row) return undefined;
    const { timings, skipped, settings, whole, ...rest } = row;
    const items = this.#db
      .all<
        Omit<TraceItem, 'heading' | 'reason' | 'parts'> & {
          heading: string;
          reason: string;
          parts: string | null;
        }
      >(
        `SELECT i.kind, i.item_id AS itemId, i.title, i.path, i.heading, i.score, i.verdict, i.reason, i.tokens, i.parts, m.mark,
           CASE i.kind WHEN 'turn' THEN (
             SELECT substr(said.content, 1, ${PREVIEW_CHARACTERS}) FROM messages said JOIN turns q ON q.id = said.turn_id
               JOIN conversations c ON c.id = q.conversation_id
             WHERE said.turn_id = i.item_id AND said.role = 'user' AND c.removed_at IS NULL
             ORDER BY said.ordinal LIMIT 1) END AS says
         FROM memory_retrieval_items i
         LEFT JOIN item_marks m ON m.turn_id = ? AND m.kind = i.kind AND m.item_id = i.item_id
         WHERE i.retrieval_id = ? ORDER BY i.ordinal`,
        row.turnId,
        id,
      )
      .map(
        (item): TraceItem => ({
          ...item,
          heading: parseTexts(item.heading),
          reason: JSON.parse(item.reason) as VerdictReason,
          parts: item.parts === null ? null : (JSON.parse(item.parts) as ScoreParts),
        }),
      );
    return {
      ...rest,
      whole: whole === 1,
      settings: settings === null ? null : (JSON.parse(settings) as RetrievalSettings),
      items,
      timingsMs: JSON.parse(timings) as Trace['timingsMs'],
      skipped: JSON.parse(skipped) as SkippedSource[],
    };
  }
}
