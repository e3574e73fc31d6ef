import type { PlannedItem } from '../../../shared/contract/forget.ts';
import { makeExcerpt } from '../../search/excerpt.ts';
import type { Db } from '../../storage/database.ts';
import { isFunctionTerm } from '../../support/text/tokenise.ts';
import type { Planned } from './forgettable.ts';

type Evidence = Omit<PlannedItem, 'ticked'>;

/** UTF-16 units of an item's text that a plan shows. */
const SHOWN = 240;

/** @returns what a plan shows of each of these items: the part that names the topic, its conversation, and what goes with it */
export function evidenceOf(
  db: Db,
  items: readonly Planned[],
): (item: Planned, names: readonly string[]) => Evidence {
  const ids = JSON.stringify(items.map(({ id }) => id));
  const count = (table: string, column: string) =>
    new Map(
      db
        .all<{ id: string; n: number }>(
          `SELECT ${column} AS id, count(*) AS n FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?)) GROUP BY 1`,
          ids,
        )
        .map(({ id, n }) => [id, n]),
    );
  const revisions = count('fact_revisions', 'fact_id');
  const summaries = count('summary_turns', 'turn_id');
  const given = count('memory_retrieval_items', 'item_id');
  const retrievals = count('memory_retrievals', 'turn_id');
  const blocks = count('context_items', 'item_id');
  const jobs = count('jobs', 'subject');
  const titles = new Map(
    db
      .all<{ id: string; title: string }>(
        'SELECT id, title FROM conversations WHERE id IN (SELECT value FROM json_each(?))',
        JSON.stringify([...new Set(items.flatMap(({ conversationId }) => conversationId ?? []))]),
      )
      .map(({ id, title }) => [id, title]),
  );
  return (item, names) => ({
    ...item,
    ...shownOf(item.text, names),
    conversation: item.conversationId === null ? null : (titles.get(item.conversationId) ?? null),
    alongside: {
      revisions: revisions.get(item.id) ?? 0,
      summaries: summaries.get(item.id) ?? 0,
      traces: (given.get(item.id) ?? 0) + (retrievals.get(item.id) ?? 0),
      blocks: blocks.get(item.id) ?? 0,
      jobs: jobs.get(item.id) ?? 0,
    },
  });
}

/** A mark on the little words of a topic would hide those that name it. */
const LITTLE = 0.1;

function shownOf(text: string, names: readonly string[]): Pick<Evidence, 'text' | 'marks'> {
  if (names.length === 0) {
    const isWhole = text.length <= SHOWN;
    return { text: isWhole ? text : `${text.slice(0, SHOWN).trimEnd()} …`, marks: [] };
  }
  const terms = names.flatMap((name) => name.split(' '));
  const weights = new Map(terms.map((term) => [term, isFunctionTerm(term) ? LITTLE : 1]));
  const { text: shown, marks } = makeExcerpt(text, weights, SHOWN);
  return { text: shown, marks };
}
