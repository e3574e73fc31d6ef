import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import type { Db } from '../database.ts';
import { BranchTree, type TreeTurn } from './branchTree.ts';

interface TreeColumns {
  id: TurnId;
  parent_id: TurnId | null;
  parent_version: number | null;
  active_version: number;
  ordinal: number;
  picked: number;
  is_forgotten: number;
  active: number;
  fork: TurnId | null;
  replaced: number;
}

interface ReadTree {
  tree: BranchTree;
  rows: readonly TreeColumns[];
}

/** The tree of a conversation. One statement, however many turns it has. */
function readTree(db: Db, id: ConversationId): ReadTree {
  const rows = db.all<TreeColumns>(
    `SELECT id, parent_id, parent_version, active_version, ordinal, picked, 0 AS is_forgotten, active, fork, replaced
     FROM turns WHERE conversation_id = @id
     UNION ALL
     SELECT t.id, t.parent_id, t.parent_version, t.active_version, f.ordinal, t.picked, 1, 0, NULL, 0
     FROM forgotten_turns f JOIN turns t ON t.id = f.turn_id WHERE f.conversation_id = @id AND t.conversation_id <> @id
     ORDER BY ordinal`,
    { id },
  );
  return { tree: new BranchTree(rows.map(toTreeTurn)), rows };
}

const toTreeTurn = (row: TreeColumns): TreeTurn => ({
  id: row.id,
  parentId: row.parent_id,
  parentVersion: row.parent_version,
  activeVersion: row.active_version,
  ordinal: row.ordinal,
  picked: row.picked,
  isForgotten: row.is_forgotten === 1,
});

/**
 * Writes which turns of a conversation are on its active path, between which one can switch, and in whose place another is shown. To be called, in the same transaction,
 * by whatever changes the tree otherwise than by a turn at the end of the active path. Full text and vectors follow; facts, at
 * the next `followTurns` of their store.
 */
export function arrange(db: Db, id: ConversationId): void {
  const { tree, rows } = readTree(db, id);
  const placed = tree.place();
  const changed = rows.flatMap((row) => {
    const now = placed.get(row.id);
    if (!now) return [];
    const moved = now.active !== (row.active === 1);
    if (!moved && now.fork === row.fork && now.replaced === (row.replaced === 1)) return [];
    return [{ ...now, id: row.id, moved }];
  });
  if (changed.length === 0) return;
  db.run(
    `UPDATE turns SET active = j.value ->> 'active', fork = j.value ->> 'fork', replaced = j.value ->> 'replaced' FROM json_each(?) j
     WHERE turns.id = j.value ->> 'id'`,
    JSON.stringify(changed),
  );
  const moved = changed.filter((turn) => turn.moved).map((turn) => turn.id);
  if (moved.length === 0) return;
  writeFullText(db, moved);
  db.run('UPDATE conversations SET path_changes = path_changes + 1 WHERE id = ?', id);
}

/** Writes the full text of some turns again, from their terms. Only turns of an active path have one. */
export function writeFullText(db: Db, ids: readonly TurnId[]): void {
  const list = JSON.stringify(ids);
  const those = 'SELECT value FROM json_each(?)';
  db.run(`DELETE FROM turn_fts WHERE rowid IN (SELECT rowid FROM turns WHERE id IN (${those}))`, list);
  db.run(
    `INSERT INTO turn_fts (rowid, title, body)
     SELECT t.rowid, v.title_terms, t.body_terms FROM turns t JOIN conversations v ON v.id = t.conversation_id
     WHERE t.active = 1 AND t.id IN (${those})`,
    list,
  );
}

/**
 * Makes the path through a turn the active one; after it goes on what was last shown there.
 * @returns turns that show another version of their reply now
 */
export function showTurn(db: Db, conversationId: ConversationId, id: TurnId): TurnId[] {
  const { tree } = readTree(db, conversationId);
  const path = tree.pathTo(id);
  const reworded: TurnId[] = [];
  for (const [place, turn] of path.entries()) {
    const [first, second] = tree.beside(turn);
    const highest = first?.picked ?? 0;
    if (second && first !== turn) db.run('UPDATE turns SET picked = ? WHERE id = ?', highest + 1, turn.id);
    const version = path[place + 1]?.parentVersion ?? turn.activeVersion;
    if (version === turn.activeVersion) continue;
    db.run('UPDATE turns SET active_version = ? WHERE id = ?', version, turn.id);
    reworded.push(turn.id);
  }
  arrange(db, conversationId);
  return reworded;
}

/** Shows a version of a turn's reply, with what was said after it. */
export function setActiveVersion(db: Db, id: TurnId, version: number): void {
  db.run('UPDATE turns SET active_version = ? WHERE id = ?', version, id);
  const parent = db.get<{ conversation_id: ConversationId }>(
    'SELECT conversation_id FROM turns t WHERE id = ? AND EXISTS (SELECT 1 FROM turns c WHERE c.parent_id = t.id)',
    id,
  );
  if (parent) arrange(db, parent.conversation_id);
}

/** A place in the tree: after the version of a turn's reply, or at the beginning of the conversation. */
export interface TurnPlace {
  parentId: TurnId | null;
  parentVersion: number | null;
}

/** Where the next turn of a conversation is said: after its last turn, one that was forgotten too, in case it comes back. */
export function endOfPath(db: Db, id: ConversationId): TurnPlace {
  const last = (from: string, ...params: (string | number)[]) =>
    db.get<{ id: TurnId; version: number }>(
      `SELECT id, active_version AS version FROM turns WHERE ${from} DESC LIMIT 1`,
      ...params,
    );
  let end: TurnPlace = { parentId: null, parentVersion: null };
  let next =
    last('conversation_id = ? AND active = 1 ORDER BY ordinal', id) ??
    last(
      `parent_id IS NULL AND id IN (SELECT turn_id FROM forgotten_turns WHERE conversation_id = ?) ORDER BY picked DESC, ordinal`,
      id,
    );
  while (next) {
    end = { parentId: next.id, parentVersion: next.version };
    next = last('parent_id = ? AND parent_version = ? ORDER BY picked DESC, ordinal', next.id, next.version);
  }
  return end;
}

/** What a turn has to have so that it is shown, of those said at the same place. */
export function nextPick(db: Db, id: ConversationId, { parentId, parentVersion }: TurnPlace): number {
  const [where, ...params] =
    parentId === null
      ? ['conversation_id = ? AND parent_id IS NULL', id]
      : ['parent_id = ? AND parent_version IS ?', parentId, parentVersion];
  return (
    db.get<{ n: number }>(`SELECT coalesce(max(picked) + 1, 0) AS n FROM turns WHERE ${where}`, ...params)
      ?.n ?? 0
  );
}

/** How a turn is stored that is not to change what is shown, unless it goes on from its end. */
export interface Standing {
  picked: number;
  active: boolean;
  fork: TurnId | null;
  /** Is the conversation to be arranged, since what is shown at its place depends on turns that were forgotten? */
  toArrange: boolean;
}

/** Where a turn stands among those said at the same place, behind all of them. Its cost does not grow with the conversation, but for a first turn. */
export function standBehind(db: Db, id: ConversationId, { parentId, parentVersion }: TurnPlace): Standing {
  const [where, ...params] =
    parentId === null
      ? ['conversation_id = ? AND parent_id IS NULL', id]
      : ['parent_id = ? AND parent_version IS ?', parentId, parentVersion];
  const beside = db.all<{ id: TurnId; conversation_id: ConversationId; picked: number }>(
    `SELECT id, conversation_id, picked FROM turns WHERE ${where} ORDER BY ordinal`,
    ...params,
  );
  const parent = parentId === null ? { conversation_id: id, active: 1 } : placedTurn(db, parentId);
  const picked = Math.min(1, ...beside.map((turn) => turn.picked)) - 1;
  const toArrange =
    [parent, ...beside].some((turn) => turn?.conversation_id !== id) ||
    (parentId === null &&
      db.get('SELECT 1 FROM forgotten_turns WHERE conversation_id = ?', id) !== undefined);
  const active = !toArrange && beside.length === 0 && parent?.active === 1;
  return { picked, active, fork: beside[0]?.id ?? null, toArrange };
}

const placedTurn = (db: Db, id: TurnId): { conversation_id: ConversationId; active: number } | undefined =>
  db.get('SELECT conversation_id, active FROM turns WHERE id = ?', id);

/** Has something been said at a place that is shown, and was not imported? */
export function isContinued(db: Db, { parentId, parentVersion }: TurnPlace): boolean {
  const where = "parent_id = ? AND parent_version IS ? AND active = 1 AND source <> 'import'";
  return db.get(`SELECT 1 FROM turns WHERE ${where}`, parentId, parentVersion) !== undefined;
}

/**
 * Before turns are erased, has what was said after them follow what they followed, so that the active path stays as it is.
 * @returns the conversations whose tree this changes; they are to be arranged once the turns are gone
 */
export function giveUpChildren(db: Db, ids: readonly TurnId[]): ConversationId[] {
  const list = JSON.stringify(ids);
  const some = 'SELECT value FROM json_each(@list)';
  const conversations = db.all<{ id: ConversationId }>(
    `SELECT DISTINCT conversation_id AS id FROM turns WHERE parent_id IN (${some}) AND id NOT IN (${some})`,
    { list },
  );
  for (let left = conversations.length; left > 0; ) {
    left = db.run(
      `UPDATE turns SET picked = iif(turns.active = 1, p.picked + 1, -1), parent_id = p.parent_id, parent_version = p.parent_version
       FROM turns p WHERE p.id = turns.parent_id AND turns.parent_id IN (${some}) AND turns.id NOT IN (${some})`,
      { list },
    ).changes;
  }
  return conversations.map(({ id }) => id);
}
