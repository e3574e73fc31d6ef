import type { ToolCallState, ToolOutcomeCode, ToolParams } from '../../shared/contract/tools.ts';
import type { Language } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import { parseJson } from '../../shared/json.ts';
import type { Db } from './database.ts';
import {
  type BlockItem,
  ITEM_COLUMNS,
  itemParams,
  itemValues,
  type QuotedColumns,
  TURN_PLACE,
  toItem,
} from './quotedItems.ts';

/** One version of a turn's reply. */
interface Reply {
  turnId: TurnId;
  version: number;
}

/** A call that begins. */
export interface NewToolCall {
  /** Place among the calls of its reply, from 1. */
  ordinal: number;
  /** Calls of one round were made together. */
  round: number;
  /** How much of the reply was written before it, in UTF-16 units. */
  saidTo: number;
  /** As the model named it. */
  callId: string;
  name: string;
  /** JSON: an object. */
  arguments: string;
  /** Drawn at random for each call: what it finds cannot close its fence. */
  marker: string;
  language: Language;
  /** Date of the call, milliseconds since 1970. */
  at: number;
}

/** What became of a call. */
export interface ToolResult {
  state: ToolCallState;
  outcome: ToolOutcomeCode;
  params: ToolParams;
  items: readonly BlockItem[];
  /** What the model was told; null if it is to be rendered. */
  text: string | null;
  durationMs: number | null;
}

/** A call with the items of its result that still hold. */
export interface ToolCallRecord extends NewToolCall, ToolResult, Reply {
  /** An item left its result, which is to be rendered again. */
  isStale: boolean;
}

/** What the text of a result is rendered from. */
export type ResultParts = Pick<ToolCallRecord, 'outcome' | 'params' | 'marker' | 'language' | 'at' | 'items'>;

interface CallColumns {
  turn_id: string;
  version: number;
  ordinal: number;
  round: number;
  said_to: number;
  call_id: string;
  name: string;
  arguments: string;
  state: ToolCallState;
  outcome: ToolOutcomeCode;
  params: string;
  marker: string;
  language: Language;
  at: number;
  text: string | null;
  duration_ms: number | null;
}

type ItemColumns = QuotedColumns & { turn_id: string; version: number; call: number };

const keyOf = (row: { turn_id: string; version: number }, call: number): string =>
  `${row.turn_id} ${row.version} ${call}`;

/** Calls that were running when their reply ended are cut. In the caller's transaction. */
export function cutToolCalls(db: Db, { turnId, version }: Reply): void {
  db.run(
    "UPDATE tool_calls SET state = 'cut', outcome = 'cut' WHERE turn_id = ? AND version = ? AND state = 'running'",
    turnId,
    version,
  );
}

/** The tools that replies called, in order, and what they found. */
export class ToolCallStore {
  readonly #db: Db;
  readonly #quotedHash: string;

  /** @param quotedHash as `ContextBlockStore` takes it */
  constructor(db: Db, quotedHash: string) {
    this.#db = db;
    this.#quotedHash = quotedHash;
  }

  /** Writes down calls that begin, in one commit; those of a reply that was erased meanwhile are left out. */
  begin({ turnId, version }: Reply, calls: readonly NewToolCall[]): void {
    this.#db.transaction(() => {
      for (const call of calls)
        this.#db.run(
          `INSERT INTO tool_calls (turn_id, version, ordinal, round, said_to, call_id, name, arguments, state, outcome, params,
             marker, language, at)
           SELECT @turnId, @version, @ordinal, @round, @saidTo, @callId, @name, @arguments, 'running', 'running', '{}',
             @marker, @language, @at
           WHERE EXISTS (SELECT 1 FROM turns WHERE id = @turnId)`,
          { turnId, version, ...call },
        );
    });
  }

  /**
   * Stores what a call gave; does nothing if its reply was erased.
   * @param call its place, and the time, at which its items are in use
   */
  end(
    { turnId, version }: Reply,
    { ordinal, now }: { ordinal: number; now: number },
    given: ToolResult,
  ): void {
    const { items, ...result } = given;
    this.#db.transaction(() => {
      const { changes } = this.#db.run(
        `UPDATE tool_calls SET state = @state, outcome = @outcome, params = @params, text = @text, last_number = @last,
           duration_ms = @durationMs WHERE turn_id = @turnId AND version = @version AND ordinal = @ordinal`,
        {
          turnId,
          version,
          ordinal,
          ...result,
          params: JSON.stringify(result.params),
          last: Math.max(0, ...items.map(({ number }) => number)),
        },
      );
      if (changes > 0) for (const item of items) this.#insertItem({ turnId, version, ordinal, now }, item);
    });
  }

  /** What a call is told to have found from now on, after an item left its result. */
  rewrite({ turnId, version, ordinal, items }: ToolCallRecord, text: string): void {
    const place = { turnId, version, ordinal };
    this.#db.transaction(() => {
      this.#db.run(
        'UPDATE tool_calls SET text = @text WHERE turn_id = @turnId AND version = @version AND ordinal = @ordinal',
        { ...place, text },
      );
      this.#db.run(
        `DELETE FROM tool_items WHERE turn_id = @turnId AND version = @version AND call = @ordinal
           AND ordinal NOT IN (SELECT value FROM json_each(@kept))`,
        { ...place, kept: JSON.stringify(items.map(({ number }) => number)) },
      );
    });
  }

  /** Takes back the calls of a version, before it is answered from the start once more. */
  remove(turnId: TurnId, version: number): void {
    this.#db.run('DELETE FROM tool_items WHERE turn_id = ? AND version = ?', turnId, version);
    this.#db.run('DELETE FROM tool_calls WHERE turn_id = ? AND version = ?', turnId, version);
  }

  /** Calls of the shown replies of some turns, in order. */
  ofShown(ids: readonly TurnId[], now: number): ToolCallRecord[] {
    return this.#read(
      `JOIN turns t ON t.id = x.turn_id AND t.active_version = x.version
       WHERE x.turn_id IN (SELECT value FROM json_each(@ids))`,
      { ids: JSON.stringify(ids), now },
    );
  }

  /** Calls of every reply of some turns, by turn, version and in order. */
  ofTurns(ids: readonly TurnId[], now: number): ToolCallRecord[] {
    return this.#read('WHERE x.turn_id IN (SELECT value FROM json_each(@ids))', {
      ids: JSON.stringify(ids),
      now,
    });
  }

  /** The highest citation number that a tool gave in a conversation; 0 if none did. */
  highestNumber(conversationId: ConversationId): number {
    return (
      this.#db.get<{ n: number | null }>(
        'SELECT max(c.last_number) AS n FROM turns t JOIN tool_calls c ON c.turn_id = t.id WHERE t.conversation_id = ?',
        conversationId,
      )?.n ?? 0
    );
  }

  #insertItem(call: Reply & { ordinal: number; now: number }, item: BlockItem): void {
    this.#db.run(
      `INSERT INTO tool_items (turn_id, version, call, ${ITEM_COLUMNS})
       SELECT @turnId, @version, @call, ${itemValues(this.#quotedHash)}`,
      { turnId: call.turnId, version: call.version, call: call.ordinal, ...itemParams(item), now: call.now },
    );
  }

  /** @param rest the end of a query over rows `x` with `turn_id` and `version` */
  #read(rest: string, params: Record<string, string | number>): ToolCallRecord[] {
    const { now, ...place } = params;
    const calls = this.#db.all<CallColumns>(
      `SELECT x.* FROM tool_calls x ${rest} ORDER BY x.turn_id, x.version, x.ordinal`,
      place,
    );
    if (calls.length === 0) return [];
    const items = Map.groupBy(
      this.#db.all<ItemColumns>(
        `SELECT i.*, i.text_hash = ${this.#quotedHash} AS holds, ${TURN_PLACE} FROM (SELECT x.* FROM tool_items x ${rest}) i
         ORDER BY i.turn_id, i.version, i.call, i.ordinal`,
        { ...place, now: now as number },
      ),
      (row) => keyOf(row, row.call),
    );
    return calls.map((row) => {
      const all = items.get(keyOf(row, row.ordinal)) ?? [];
      const holding = all.filter(({ holds }) => holds === 1);
      return {
        turnId: row.turn_id as TurnId,
        version: row.version,
        ordinal: row.ordinal,
        round: row.round,
        saidTo: row.said_to,
        callId: row.call_id,
        name: row.name,
        arguments: row.arguments,
        state: row.state,
        outcome: row.outcome,
        params: (parseJson(row.params) ?? {}) as ToolParams,
        marker: row.marker,
        language: row.language,
        at: row.at,
        text: row.text,
        durationMs: row.duration_ms,
        items: holding.map(toItem),
        isStale: row.text === null || holding.length < all.length,
      };
    });
  }
}
