import { z } from 'zod';
import type { Role } from '../../shared/contract/chat.ts';
import { type LayoutEntry, PromptRecord, Source, type Step } from '../../shared/contract/prompt.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import { parseJson } from '../../shared/json.ts';
import type { Db } from './database.ts';

/** A turn with its shown messages, as prompts are made from it. */
export interface ShownTurn {
  id: TurnId;
  /** Its place in the conversation, from 1. */
  number: number;
  version: number;
  /** Its messages with the shown reply, empty ones left out. */
  messages: { role: Role; author: string | null; content: string; isReply: boolean }[];
  /** What the shown reply may be made from. */
  madeFrom: Source[];
}

/** What is kept of a model call, beside the version of the reply that it was made for. */
export interface NewPrompt {
  turnId: TurnId;
  version: number;
  layout: readonly LayoutEntry[];
  steps: readonly Step[];
  tokens: number;
  contextTokens: number;
  /** What the next prompt of the conversation has to know, as JSON. */
  trail: unknown;
  madeFrom: readonly Source[];
  at: number;
}

interface ShownColumns {
  id: string;
  ordinal: number;
  role: Role;
  author: string | null;
  content: string;
  version: number | null;
  made_from: string | null;
}

const Sources = z.array(Source);
const SOME = 'json_each(@ids) j CROSS JOIN turns t ON t.id = j.value';

/** What every model call contained, and the turns that the next one is made from. */
export class PromptStore {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The turns of a conversation's active path from a place until before another, `most` at most, the oldest first. */
  activeBetween(
    place: { conversationId: ConversationId; from: number; before: number },
    most: number,
  ): TurnId[] {
    return this.#db
      .all<{ id: TurnId }>(
        `SELECT id FROM turns WHERE conversation_id = @conversationId AND active = 1 AND ordinal >= @from AND ordinal < @before
         ORDER BY ordinal DESC LIMIT @most`,
        { ...place, most },
      )
      .map(({ id }) => id)
      .reverse();
  }

  /** Some turns of a conversation in their order, with their shown messages. A few queries, however many turns. */
  turns(ids: readonly TurnId[]): ShownTurn[] {
    const list = { ids: JSON.stringify(ids) };
    const places = this.#db.all<{
      id: string;
      conversation_id: ConversationId;
      ordinal: number;
      active_version: number;
    }>(`SELECT t.id, t.conversation_id, t.ordinal, t.active_version FROM ${SOME} ORDER BY t.ordinal`, list);
    const [first] = places;
    if (!first) return [];
    const messages = Map.groupBy(
      this.#db.all<ShownColumns>(
        `SELECT t.id, t.ordinal, m.role, m.author, m.content, m.version, p.made_from FROM ${SOME}
         CROSS JOIN messages m ON m.turn_id = t.id AND (m.version IS NULL OR m.version = t.active_version)
         LEFT JOIN prompts p ON p.turn_id = t.id AND p.version = m.version
         WHERE m.content <> '' ORDER BY t.ordinal, m.version IS NOT NULL, m.ordinal`,
        list,
      ),
      ({ id }) => id,
    );
    const firstGiven = this.#firstGiven(first.conversation_id);
    return places.map(({ id, ordinal, active_version }) => {
      const shown = messages.get(id) ?? [];
      return {
        id: id as TurnId,
        number: ordinal,
        version: active_version,
        messages: shown.map(({ role, author, content, version }) => ({
          role,
          author,
          content,
          isReply: version !== null,
        })),
        madeFrom: shown
          .filter(({ version }) => version !== null)
          .flatMap(({ made_from }) => {
            const known = made_from === null ? null : Sources.safeParse(parseJson(made_from));
            if (known?.success) return known.data;
            // Of a reply whose prompt was not kept, all that is known is whether its conversation had been given anything.
            return known || ordinal >= firstGiven ? (['notes', 'memory'] as const) : [];
          }),
      };
    });
  }

  /** What the last prompt before a place on a conversation's active path left to the next one, as JSON; null if there was none. */
  trailBefore(conversationId: ConversationId, before: number): string | null {
    return (
      this.#db.get<{ trail: string }>(
        `SELECT p.trail FROM turns t JOIN prompts p ON p.turn_id = t.id AND p.version = t.active_version
         WHERE t.conversation_id = ? AND t.active = 1 AND t.ordinal < ? ORDER BY t.ordinal DESC LIMIT 1`,
        conversationId,
        before,
      )?.trail ?? null
    );
  }

  /** Number of the turn that the next message of a conversation begins. */
  nextTurn(conversationId: ConversationId): number {
    return (
      this.#db.get<{ n: number }>(
        `SELECT coalesce(max(ordinal), 0) + 1 AS n FROM (
           SELECT ordinal FROM turns WHERE conversation_id = @id
           UNION ALL SELECT ordinal FROM forgotten_turns WHERE conversation_id = @id)`,
        { id: conversationId },
      )?.n ?? 1
    );
  }

  /** The first user message of a conversation's active path; null if it has none yet. */
  firstMessage(conversationId: ConversationId): string | null {
    return (
      this.#db.get<{ content: string }>(
        `SELECT m.content FROM turns t JOIN messages m ON m.turn_id = t.id
         WHERE t.conversation_id = ? AND t.active = 1 AND m.role = 'user' ORDER BY t.ordinal, m.ordinal LIMIT 1`,
        conversationId,
      )?.content ?? null
    );
  }

  write(prompt: NewPrompt): void {
    this.#db.run(
      `INSERT OR REPLACE INTO prompts (turn_id, version, layout, steps, tokens, context_tokens, trail, made_from, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      prompt.turnId,
      prompt.version,
      JSON.stringify(prompt.layout),
      JSON.stringify(prompt.steps),
      prompt.tokens,
      prompt.contextTokens,
      JSON.stringify(prompt.trail),
      JSON.stringify(prompt.madeFrom),
      prompt.at,
    );
  }

  /** What one model call contained; null if no model answered that version, or if its row cannot be read. */
  get(turnId: TurnId, version: number): PromptRecord | null {
    const row = this.#db.get<{ layout: string; steps: string; tokens: number; context_tokens: number }>(
      'SELECT layout, steps, tokens, context_tokens FROM prompts WHERE turn_id = ? AND version = ?',
      turnId,
      version,
    );
    if (!row) return null;
    const { layout, steps, tokens, context_tokens: contextTokens } = row;
    const record = {
      turnId,
      version,
      layout: parseJson(layout),
      steps: parseJson(steps),
      tokens,
      contextTokens,
    };
    const parsed = PromptRecord.safeParse(record);
    return parsed.success ? parsed.data : null;
  }

  /** Adds to what the reply of a model call may be made from: what tools gave while it was written. */
  addSources(turnId: TurnId, version: number, sources: readonly Source[]): void {
    const row = this.#db.get<{ made_from: string }>(
      'SELECT made_from FROM prompts WHERE turn_id = ? AND version = ?',
      turnId,
      version,
    );
    const known = Sources.safeParse(parseJson(row?.made_from ?? '[]')).data ?? [];
    if (!row || sources.every((source) => known.includes(source))) return;
    this.#db.run(
      'UPDATE prompts SET made_from = ? WHERE turn_id = ? AND version = ?',
      JSON.stringify([...new Set([...known, ...sources])]),
      turnId,
      version,
    );
  }

  remove(turnId: TurnId, version: number): void {
    this.#db.run('DELETE FROM prompts WHERE turn_id = ? AND version = ?', turnId, version);
  }

  /** Place of the first turn of a conversation that was given something; Infinity if none was. */
  #firstGiven(conversationId: ConversationId): number {
    return (
      this.#db.get<{ n: number | null }>(
        `SELECT min(t.ordinal) AS n FROM turns t WHERE t.conversation_id = ?
         AND (EXISTS (SELECT 1 FROM context_items i WHERE i.turn_id = t.id)
           OR EXISTS (SELECT 1 FROM tool_items i WHERE i.turn_id = t.id))`,
        conversationId,
      )?.n ?? Number.POSITIVE_INFINITY
    );
  }
}
