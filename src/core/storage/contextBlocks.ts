import type { Language } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
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

export type { BlockItem } from './quotedItems.ts';

/** A block as it is sent: rendered once, and again only after an item left it. */
export interface Block {
  /** Stands at both ends of each quoted text, drawn at random for each block: a quoted text cannot close its fence. */
  marker: string;
  language: Language;
  /** Date of its turn, milliseconds since 1970. */
  at: number;
  items: readonly BlockItem[];
  text: string;
}

/** A block with the items that still hold. */
export interface StoredBlock {
  turnId: TurnId;
  version: number;
  /** What was found for the turn. */
  block: Block;
  /** What was attached to it, as far as it was given. */
  attached: BlockItem[];
  /** It has to be rendered again: an item left it, or it was never stored as text. */
  isStale: boolean;
}

interface BlockColumns {
  turn_id: string;
  version: number;
  marker: string;
  language: Language;
  at: number;
  text: string | null;
}

/** The blocks that turns were given, each beside the version of the reply that it was given to. */
export class ContextBlockStore {
  readonly #db: Db;
  readonly #quotedHash: string;

  /**
   * @param quotedHash SQL expression over a row `i` with `kind` and `item_id`, with the parameter `@now`: the hash of what a block
   * quotes of that item, NULL if it is not in use
   */
  constructor(db: Db, quotedHash: string) {
    this.#db = db;
    this.#quotedHash = quotedHash;
  }

  /**
   * Blocks of the shown versions of some turns. Items that were edited, forgotten, deleted or excluded, or that have expired,
   * are left out.
   */
  ofTurns(ids: readonly TurnId[], now: number): StoredBlock[] {
    return this.#read(
      `JOIN turns t ON t.id = x.turn_id AND t.active_version = x.version WHERE x.turn_id IN (SELECT value FROM json_each(@ids))`,
      { ids: JSON.stringify(ids), now },
    );
  }

  /** Blocks of the other versions of a turn. */
  ofOtherVersions(turnId: TurnId, version: number, now: number): StoredBlock[] {
    return this.#read('WHERE x.turn_id = @turnId AND x.version <> @version', { turnId, version, now });
  }

  /** Replaces the block of a version, and, if it is named, what it was given of its attachments. */
  write(
    turnId: TurnId,
    version: number,
    { block, attached, now }: { block: Block; attached?: readonly BlockItem[]; now: number },
  ): void {
    this.#db.transaction(() => {
      this.#db.run(
        `DELETE FROM context_items WHERE turn_id = ? AND version = ? ${attached ? '' : 'AND attached = 0'}`,
        turnId,
        version,
      );
      this.#db.run(
        `INSERT INTO context_blocks (turn_id, version, marker, language, at, text, last_number) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET marker = excluded.marker, language = excluded.language, at = excluded.at,
           text = excluded.text, last_number = max(last_number, excluded.last_number)`,
        turnId,
        version,
        block.marker,
        block.language,
        block.at,
        block.text,
        Math.max(0, ...[...block.items, ...(attached ?? [])].map(({ number }) => number)),
      );
      for (const item of [...(attached ?? []), ...block.items])
        this.#insertItem(turnId, version, { item, now });
    });
  }

  /** The highest citation number of a conversation, of blocks and items that are no longer sent too; 0 if there is none. */
  highestNumber(conversationId: ConversationId): number {
    return (
      this.#db.get<{ n: number | null }>(
        'SELECT max(b.last_number) AS n FROM turns t JOIN context_blocks b ON b.turn_id = t.id WHERE t.conversation_id = ?',
        conversationId,
      )?.n ?? 0
    );
  }

  /** Takes back what a version was given, before it is answered from the start once more. */
  remove(turnId: TurnId, version: number): void {
    this.#db.run('DELETE FROM context_items WHERE turn_id = ? AND version = ?', turnId, version);
    this.#db.run('DELETE FROM context_blocks WHERE turn_id = ? AND version = ?', turnId, version);
  }

  #insertItem(turnId: TurnId, version: number, { item, now }: { item: BlockItem; now: number }): void {
    this.#db.run(
      `INSERT INTO context_items (turn_id, version, attached, ${ITEM_COLUMNS})
       SELECT @turnId, @version, @attached, ${itemValues(this.#quotedHash)}`,
      { turnId, version, attached: item.attached ?? 0, ...itemParams(item), now },
    );
  }

  /** @param rest the end of a query over rows `x` with `turn_id` and `version` */
  #read(rest: string, params: Record<string, string | number>): StoredBlock[] {
    const { now, ...place } = params;
    const blocks = this.#db.all<BlockColumns>(
      `SELECT x.* FROM context_blocks x ${rest} ORDER BY x.turn_id, x.version`,
      place,
    );
    if (blocks.length === 0) return [];
    const items = Map.groupBy(
      this.#db.all<QuotedColumns & { turn_id: string; version: number; attached: number }>(
        `SELECT i.*, i.text_hash = ${this.#quotedHash} AS holds, ${TURN_PLACE} FROM (SELECT x.* FROM context_items x ${rest}) i
         ORDER BY i.turn_id, i.version, i.ordinal`,
        { ...place, now: now as number },
      ),
      (row) => `${row.turn_id} ${row.version}`,
    );
    return blocks.map((row) => {
      const [all, attached] = partition(items.get(`${row.turn_id} ${row.version}`) ?? []);
      const holding = all.filter(({ holds }) => holds === 1);
      const { marker, language, at, text } = row;
      return {
        turnId: row.turn_id as TurnId,
        version: row.version,
        block: { marker, language, at, items: holding.map(toItem), text: text ?? '' },
        attached: attached
          .filter(({ holds }) => holds === 1)
          .map((item) => ({ ...toItem(item), attached: item.attached })),
        isStale: text === null || holding.length < all.length,
      };
    });
  }
}

/** What was found, and what was attached. */
const partition = <Row extends { attached: number }>(rows: readonly Row[]): [Row[], Row[]] => [
  rows.filter(({ attached }) => attached === 0),
  rows.filter(({ attached }) => attached > 0),
];
