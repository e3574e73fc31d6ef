import type { Scope } from '../../../shared/choices.ts';
import type { TurnId } from '../../../shared/ids.ts';
import { items } from '../../items/index.ts';
import { EVERYBODY, speechOf } from '../../items/speech.ts';
import type { Db } from '../../storage/database.ts';
import { readLabels } from '../../storage/turnLabels.ts';
import { sha256 } from '../../support/ids.ts';
import type { FoundItem, ToolCaller } from './tool.ts';

interface Request {
  limit: number;
  scope: Scope;
  caller: ToolCaller;
  now: number;
}

interface Row {
  kind: 'fact' | 'turn';
  id: string;
  at: number;
  title: string;
  channel: string;
  /** Of a turn. */
  place: number | null;
  /** Of a fact. */
  content: string;
}

/** Characters that are quoted of a turn: as of a passage of retrieval. */
const CHARACTERS = 500;

/** The latest facts and turns in use within the scope, newest first; the turn that is answered, and what it taught, left out. */
export function recentMemories(db: Db, { limit, scope, caller, now }: Request): FoundItem[] {
  const { conversationId, turnId } = caller;
  const within =
    scope === 'everything' || conversationId === null
      ? '1'
      : scope === 'channel'
        ? 'v.channel = (SELECT channel FROM conversations WHERE id = @conversationId)'
        : 'v.id = @conversationId';
  const rows = db.all<Row>(
    `SELECT * FROM (
       SELECT 'fact' AS kind, r.id, r.updated_at AS at, '' AS title, coalesce(v.channel, r.channel, '') AS channel,
         NULL AS place, r.content
       FROM facts r LEFT JOIN turns t ON t.id = r.turn_id LEFT JOIN conversations v ON v.id = t.conversation_id
       WHERE ${items.fact.inUse('r')} AND r.turn_id IS NOT @turnId AND (${within} OR ${items.fact.inEveryScope})
       ORDER BY r.updated_at DESC LIMIT @limit)
     UNION ALL SELECT * FROM (
       SELECT 'turn', r.id, r.created_at, v.title, v.channel, r.ordinal, ''
       FROM turns r JOIN conversations v ON v.id = r.conversation_id
       WHERE ${items.turn.inUse('r')} AND r.id IS NOT @turnId AND ${within}
       ORDER BY r.created_at DESC, r.rowid DESC LIMIT @limit)
     ORDER BY at DESC, kind, id LIMIT @limit`,
    { limit, now, turnId, ...(within.includes('@conversationId') ? { conversationId } : {}) },
  );
  const turns = rows.filter(({ kind }) => kind === 'turn').map(({ id }) => id as TurnId);
  const said = speechOf(db, turns, EVERYBODY);
  const labels = readLabels(db, turns);
  return rows.map(({ kind, id, at, title, channel, place, content }) => {
    const text = kind === 'fact' ? content : (said.get(id as TurnId) ?? '');
    const excerpt = text.slice(0, CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
    return {
      kind,
      id,
      title,
      heading: [],
      origin: channel,
      place,
      label: labels.get(id) ?? null,
      at,
      excerpt,
      span: { start: 0, end: excerpt.length },
      textKey: sha256(text),
      score: 1,
    };
  });
}
