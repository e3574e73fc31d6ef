import type { TurnId } from '../../../shared/ids.ts';
import type { Db } from '../database.ts';

/** What came of an open reply since it was kept last. */
export interface ReplyPart {
  content: string;
  reasoning: string;
  /** It is all that there is of the reply: what was kept before was thrown away, or moved. */
  isWhole: boolean;
}

/**
 * SQL: a column of the message `row` as far as it has come. That of an open reply stands in parts, behind what an earlier version of the
 * program kept in the row itself.
 */
export const soFar = (row: string, column: 'content' | 'reasoning'): string =>
  `iif(${row}.state = 'pending', ${row}.${column} || coalesce((SELECT group_concat(p.${column}, '' ORDER BY p.ordinal)
     FROM reply_parts p WHERE p.turn_id = ${row}.turn_id AND p.version = ${row}.version), ''), ${row}.${column})`;

/** Keeps a part of an open reply; does nothing if the reply was erased, or has ended. */
export function keepPart(db: Db, reply: { turnId: TurnId; version: number }, part: ReplyPart): void {
  const { turnId, version } = reply;
  db.transaction(() => {
    if (part.isWhole) dropParts(db, reply);
    db.run(
      `INSERT INTO reply_parts (turn_id, version, ordinal, content, reasoning)
       SELECT m.turn_id, m.version,
         (SELECT coalesce(max(p.ordinal), 0) + 1 FROM reply_parts p WHERE p.turn_id = m.turn_id AND p.version = m.version), ?, ?
       FROM messages m WHERE m.turn_id = ? AND m.version = ? AND m.state = 'pending'`,
      part.content,
      part.reasoning,
      turnId,
      version,
    );
  });
}

export function dropParts(db: Db, { turnId, version }: { turnId: TurnId; version: number }): void {
  db.run('DELETE FROM reply_parts WHERE turn_id = ? AND version = ?', turnId, version);
}
