import type { Figures, Spent, Usage } from '../../shared/contract/usage.ts';
import { parseTexts } from '../../shared/json.ts';
import type { Db } from './database.ts';

/** So many of the latest measurements tell how long something takes. */
const MEASURED = 10_000;
const LISTED = 20;

/** Replies of conversations in use since `@since`, each with its retrieval and its calls of tools. */
const REPLIES = `FROM messages m JOIN turns t ON t.id = m.turn_id
  JOIN conversations v ON v.id = t.conversation_id AND v.removed_at IS NULL
  LEFT JOIN memory_retrievals r ON r.turn_id = m.turn_id AND r.version = m.version
  WHERE m.version IS NOT NULL AND m.created_at >= @since`;
const SPENT = `count(*) AS replies, coalesce(sum(m.prompt_tokens), 0) AS promptTokens,
  coalesce(sum(m.completion_tokens), 0) AS completionTokens, coalesce(sum(r.total_tokens_added), 0) AS retrievalTokens,
  coalesce(sum(json_extract(r.timings, '$.reply')), 0) AS replyMs,
  coalesce(sum((SELECT count(*) FROM tool_calls c WHERE c.turn_id = m.turn_id AND c.version = m.version)), 0) AS toolCalls`;
const MOST_FIRST = 'ORDER BY promptTokens + completionTokens + retrievalTokens DESC';
/** What is given whatever is asked does not mean that something was found. */
const FOUND = `EXISTS (SELECT 1 FROM memory_retrieval_items i WHERE i.retrieval_id = r.id AND i.verdict = 'injected'
  AND coalesce(json_extract(i.reason, '$.code'), '') NOT IN ('identity', 'pinned', 'important', 'tagged'))`;

/** What replies took since a moment, in milliseconds since 1970. */
export function readSpent(
  db: Db,
  since: number,
): Pick<Usage, 'total' | 'byDay' | 'byConversation' | 'byModel' | 'byMemory'> {
  const of = <T>(columns: string, rest: string) =>
    db.all<Spent & T>(`SELECT ${SPENT}${columns} ${REPLIES} ${rest}`, { since });
  return {
    total: of('', '')[0] as Spent,
    byDay: of<{ day: string }>(
      ", date(m.created_at / 1000, 'unixepoch', 'localtime') AS day",
      'GROUP BY day ORDER BY day DESC',
    ),
    byConversation: of<Pick<Usage['byConversation'][number], 'conversationId' | 'title'>>(
      ', v.id AS conversationId, v.title AS title',
      `GROUP BY v.id ${MOST_FIRST}, v.id LIMIT ${LISTED}`,
    ),
    byModel: of<{ model: string }>(
      ", coalesce(m.model, '') AS model",
      `GROUP BY coalesce(m.model, '') ${MOST_FIRST}, model`,
    ),
    byMemory: db
      .all<Omit<Usage['byMemory'][number], 'heading'> & { heading: string }>(
        `SELECT i.kind, i.item_id AS id, max(coalesce(i.title, '')) AS title, coalesce(max(i.heading), '[]') AS heading,
           sum(i.tokens) AS tokens, count(*) AS given,
         sum(EXISTS (SELECT 1 FROM citations c WHERE c.turn_id = r.turn_id AND c.version = r.version
                     AND c.item_id = i.item_id)) AS cited
       FROM memory_retrievals r JOIN memory_retrieval_items i ON i.retrieval_id = r.id
       JOIN turns t ON t.id = r.turn_id JOIN conversations v ON v.id = t.conversation_id AND v.removed_at IS NULL
       WHERE r.created_at >= @since AND i.verdict = 'injected'
       GROUP BY i.kind, i.item_id ORDER BY tokens DESC, i.item_id LIMIT ${LISTED}`,
        { since },
      )
      .map((row) => ({ ...row, heading: parseTexts(row.heading) })),
  };
}

/** How fast and how useful it is; sizes and what scores mean are for others to add. */
export function readFigures(db: Db): Omit<Figures, 'bytes' | 'calibration'> {
  return {
    summaries: db.all(
      'SELECT level, count(*) AS summaries FROM summaries WHERE removed_at IS NULL GROUP BY level ORDER BY level',
    ),
    timesMs: {
      store: timesOf(db, '$.store'),
      search: timesOf(db, '$.total'),
      summarise: timesOf(db, '$.summarise'),
      reply: timesOf(db, '$.reply'),
    },
    searches: db.get<Figures['searches']>(
      `SELECT count(*) AS made, coalesce(sum(${FOUND}), 0) AS found FROM memory_retrievals r
       WHERE r.skipped NOT LIKE '%own-message%' AND r.skipped NOT LIKE '%switched-off%'`,
    ) ?? { made: 0, found: 0 },
    lastIndexedAt: db.get<{ at: number | null }>('SELECT max(indexed_at) AS at FROM notes')?.at ?? null,
  };
}

function timesOf(db: Db, path: string): Figures['timesMs']['store'] {
  const values = db
    .all<{ ms: number | null }>(
      `SELECT json_extract(timings, ?) AS ms FROM memory_retrievals ORDER BY created_at DESC LIMIT ?`,
      path,
      MEASURED,
    )
    .flatMap(({ ms }) => (ms === null ? [] : [ms]))
    .sort((one, other) => one - other);
  if (values.length === 0) return null;
  const at = (share: number) =>
    values[Math.min(values.length - 1, Math.floor(share * values.length))] as number;
  return { count: values.length, p50: at(0.5), p95: at(0.95) };
}
