import type { VerdictReason } from '../../shared/contract/reasons.ts';
import type { ItemKind, Retrieval } from '../../shared/contract/retrieval.ts';
import type { Trace, TraceItem, TraceRow } from '../../shared/contract/traces.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import { newId } from '../support/ids.ts';
import type { Db } from './database.ts';

/** One item of a turn's context block, as it was given. */
export interface ContextItem {
  kind: ItemKind;
  itemId: string;
  title: string;
  heading: string[];
  origin: string;
  at: number;
  excerpt: string;
  textHash: string;
}

interface Columns {
  kind: ContextItem['kind'];
  item_id: string;
  title: string;
  heading: string;
  origin: string;
  at: number;
  excerpt: string;
  text_hash: string;
}

export type ContextStore = ReturnType<typeof createContextStore>;

/**
 * @param quotedHash SQL expression over a row `i` with `kind` and `item_id`, with the parameter `@now`: the hash of what a block
 * quotes of that item, NULL if it is not in use
 */
export function createContextStore(db: Db, quotedHash: string) {
  return {
    /** Replaces what a turn was given. */
    write: (turnId: TurnId, items: readonly ContextItem[]): void =>
      db.transaction(() => {
        db.run('DELETE FROM context_items WHERE turn_id = ?', turnId);
        for (const [index, item] of items.entries()) {
          db.run(
            `INSERT INTO context_items (turn_id, ordinal, kind, item_id, title, heading, origin, at, excerpt, text_hash)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            turnId,
            index + 1,
            item.kind,
            item.itemId,
            item.title,
            JSON.stringify(item.heading),
            item.origin,
            item.at,
            item.excerpt,
            item.textHash,
          );
        }
      }),
    /** Takes back the retrievals of a turn that is answered from the start once more. */
    unlog: (turnId: TurnId): void =>
      db.transaction(() => {
        db.run('DELETE FROM context_items WHERE turn_id = ?', turnId);
        db.run('DELETE FROM memory_retrievals WHERE turn_id = ?', turnId);
      }),
    /**
     * What a turn was given and that still holds: items that were edited, corrected, forgotten, deleted or excluded since, or that
     * have expired, are left out.
     */
    holding: (turnId: TurnId, now: number): ContextItem[] =>
      db
        .all<Columns>(
          `SELECT i.* FROM context_items i WHERE i.turn_id = @turnId AND i.text_hash = ${quotedHash} ORDER BY i.ordinal`,
          { turnId, now },
        )
        .map((row) => ({
          kind: row.kind,
          itemId: row.item_id,
          title: row.title,
          heading: JSON.parse(row.heading) as string[],
          origin: row.origin,
          at: row.at,
          excerpt: row.excerpt,
          textHash: row.text_hash,
        })),
    /** The hash of what a block would quote of an item now; null if the item is not in use. */
    hashNow: (kind: ContextItem['kind'], itemId: string, now: number): string | null =>
      db.get<{ hash: string | null }>(
        `SELECT ${quotedHash} AS hash FROM (SELECT @kind AS kind, @itemId AS item_id) i`,
        { kind, itemId, now },
      )?.hash ?? null,

    /** Keeps what a retrieval considered, and why each candidate got its verdict. */
    log: (entry: {
      turnId: TurnId;
      conversationId: ConversationId;
      channel: string;
      message: string;
      retrieval: Retrieval;
      at: number;
    }): void =>
      db.transaction(() => {
        const { candidates, tokens, timingsMs, skipped } = entry.retrieval;
        const injected = candidates.filter((candidate) => candidate.verdict === 'injected');
        const notes = injected.filter((candidate) => candidate.kind === 'note').length;
        const id = newId('retrieval');
        db.run(
          `INSERT INTO memory_retrievals (id, turn_id, channel, user_message_preview, memories_injected,
             obsidian_notes_injected, total_tokens_added, timings, skipped, created_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          id,
          entry.turnId,
          entry.channel,
          entry.message.slice(0, PREVIEW_CHARACTERS),
          injected.length - notes,
          notes,
          tokens,
          JSON.stringify(timingsMs),
          JSON.stringify(skipped),
          entry.at,
        );
        for (const [index, candidate] of candidates.entries()) {
          db.run(
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
      }),

    /** Retrievals, newest first; those of removed conversations left out. */
    traces: (limit: number): TraceRow[] =>
      db.all<TraceRow>(`${TRACE} ORDER BY r.created_at DESC, r.rowid DESC LIMIT ?`, limit),
    /** Id of a turn's latest retrieval. */
    traceOf: (turnId: TurnId): string | undefined =>
      db.get<{ id: string }>(
        'SELECT id FROM memory_retrievals WHERE turn_id = ? ORDER BY created_at DESC, rowid DESC LIMIT 1',
        turnId,
      )?.id,
    trace: (id: string): Trace | undefined => {
      const row = db.get<TraceRow & { timings: string; skipped: string }>(`${TRACE} AND r.id = ?`, id);
      if (!row) return undefined;
      const { timings, skipped, ...rest } = row;
      const items = db
        .all<Omit<TraceItem, 'heading' | 'reason'> & { heading: string; reason: string }>(
          `SELECT kind, item_id AS itemId, title, path, heading, score, verdict, reason, tokens
           FROM memory_retrieval_items WHERE retrieval_id = ? ORDER BY ordinal`,
          id,
        )
        .map(
          (item): TraceItem => ({
            ...item,
            heading: JSON.parse(item.heading) as string[],
            reason: JSON.parse(item.reason) as VerdictReason,
          }),
        );
      return {
        ...rest,
        items,
        timingsMs: JSON.parse(timings) as Trace['timingsMs'],
        skipped: JSON.parse(skipped) as Trace['skipped'],
      };
    },
  };
}

const TRACE = `SELECT r.id, r.user_message_preview AS question, r.channel, t.conversation_id AS conversationId,
    r.turn_id AS turnId, r.memories_injected AS memoriesInjected, r.obsidian_notes_injected AS notesInjected,
    r.total_tokens_added AS tokens, r.created_at AS createdAt, r.timings, r.skipped
  FROM memory_retrievals r LEFT JOIN turns t ON t.id = r.turn_id LEFT JOIN conversations v ON v.id = t.conversation_id
  WHERE v.removed_at IS NULL`;

const PREVIEW_CHARACTERS = 200;
