import type { SkippedSource, VerdictReason } from '../../shared/contract/reasons.ts';
import type { Retrieval } from '../../shared/contract/retrieval.ts';
import type { Trace, TraceItem, TraceRow } from '../../shared/contract/traces.ts';
import type { TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
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

const PREVIEW_CHARACTERS = 200;

const TRACE = `SELECT r.id, r.user_message_preview AS question, r.channel, t.conversation_id AS conversationId,
    r.turn_id AS turnId, r.version, r.memories_injected AS memoriesInjected, r.obsidian_notes_injected AS notesInjected,
    r.total_tokens_added AS tokens, r.created_at AS createdAt, r.timings, r.skipped
  FROM memory_retrievals r LEFT JOIN turns t ON t.id = r.turn_id LEFT JOIN conversations v ON v.id = t.conversation_id
  WHERE v.removed_at IS NULL`;

/** Every retrieval with what it considered, and why each candidate got its verdict. */
export class RetrievalLog {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  write({ turnId, version, channel, message, retrieval, at }: LoggedRetrieval): void {
    const { candidates, tokens, timingsMs, skipped } = retrieval;
    const injected = candidates.filter((candidate) => candidate.verdict === 'injected');
    const notes = injected.filter((candidate) => candidate.kind === 'note').length;
    const id = newId('retrieval');
    this.#db.transaction(() => {
      this.#db.run(
        `INSERT INTO memory_retrievals (id, turn_id, version, channel, user_message_preview, memories_injected,
           obsidian_notes_injected, total_tokens_added, timings, skipped, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
        at,
      );
      for (const [index, candidate] of candidates.entries()) {
        this.#db.run(
          `INSERT INTO memory_retrieval_items (retrieval_id, ordinal, kind, item_id, title, path, heading, score, verdict,
             reason, tokens) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
        );
      }
    });
  }

  /** Takes back the retrieval of a version that is answered from the start once more. */
  remove(turnId: TurnId, version: number): void {
    this.#db.run('DELETE FROM memory_retrievals WHERE turn_id = ? AND version = ?', turnId, version);
  }

  /** Retrievals, newest first; those of removed conversations are left out. */
  latest(limit: number): TraceRow[] {
    return this.#db.all<TraceRow>(`${TRACE} ORDER BY r.created_at DESC, r.rowid DESC LIMIT ?`, limit);
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
    const row = this.#db.get<TraceRow & { timings: string; skipped: string }>(`${TRACE} AND r.id = ?`, id);
    if (!row) return undefined;
    const { timings, skipped, ...rest } = row;
    const items = this.#db
      .all<Omit<TraceItem, 'heading' | 'reason'> & { heading: string; reason: string }>(
        `SELECT i.kind, i.item_id AS itemId, i.title, i.path, i.heading, i.score, i.verdict, i.reason, i.tokens, m.mark
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
        }),
      );
    return {
      ...rest,
      items,
      timingsMs: JSON.parse(timings) as Trace['timingsMs'],
      skipped: JSON.parse(skipped) as SkippedSource[],
    };
  }
}
