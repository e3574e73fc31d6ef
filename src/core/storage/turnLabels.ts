import { parseJson, parseTexts } from '../../shared/json.ts';
import type { Db } from './database.ts';
import { renderAnew } from './renderedText.ts';

/** What stands beside a quoted turn: where it stood, and what it came to. */
export interface TurnLabel {
  /** Its conversation's turns, as `place` counts them. */
  of: number;
  /** Names of the tools that its reply called. */
  tools: readonly string[];
  /** As its summary says, if it has one. */
  findings: readonly string[];
  files: readonly string[];
}

const ofSummary = (column: string, turn: string): string =>
  `(SELECT s.${column} FROM summary_turns b JOIN summaries s ON s.id = b.summary_id
    WHERE b.turn_id = ${turn} AND s.level = 1 AND s.removed_at IS NULL)`;

/**
 * SQL: the label of the turn with this id as it is now, as JSON for `toLabel`; NULL if there is no such turn. A label is stored in the text
 * of its block alone, so that nothing of it outlives the summary that it was made of.
 */
export const labelOf = (turn: string): string =>
  `(SELECT json_object('of', (SELECT max(o.ordinal) FROM turns o WHERE o.conversation_id = l.conversation_id AND o.active = 1),
      'tools', (SELECT json_group_array(DISTINCT c.name) FROM tool_calls c WHERE c.turn_id = l.id AND c.version = l.active_version),
      'findings', ${ofSummary('findings', 'l.id')}, 'files', ${ofSummary('files', 'l.id')})
    FROM turns l WHERE l.id = ${turn})`;

/** @param json what `labelOf` gave */
export function toLabel(json: string | null): TurnLabel | null {
  const label = json === null ? null : (parseJson(json) as Record<string, unknown> | undefined);
  if (!label || typeof label.of !== 'number') return null;
  const texts = (value: unknown) => (typeof value === 'string' ? parseTexts(value) : []);
  return {
    of: label.of,
    tools: Array.isArray(label.tools) ? label.tools.map(String) : [],
    findings: texts(label.findings),
    files: texts(label.files),
  };
}

/** Labels of some turns, by their ids. */
export function readLabels(db: Db, ids: readonly string[]): Map<string, TurnLabel> {
  const rows = db.all<{ id: string; label: string | null }>(
    `SELECT j.value AS id, ${labelOf('j.value')} AS label FROM json_each(?) j`,
    JSON.stringify(ids),
  );
  return new Map(
    rows.flatMap(({ id, label }) => {
      const read = toLabel(label);
      return read ? [[id, read] as const] : [];
    }),
  );
}

/**
 * Blocks and results of tools that quote a turn of the summary `@id` are rendered again: it says something else by the user's wish, or
 * nothing any more. In the caller's transaction.
 */
export function renewLabels(db: Db, id: string): void {
  const quoting = `i.kind = 'turn' AND i.item_id IN (SELECT turn_id FROM summary_turns WHERE summary_id = @id)`;
  renderAnew(db, quoting, { id });
}
