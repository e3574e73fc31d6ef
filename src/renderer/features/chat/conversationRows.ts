import type { ConversationRow } from '../../../shared/contract/chat.ts';
import { calendarDays } from '../../ui/format.ts';

export type Period = 'pinned' | 'today' | 'yesterday' | 'week' | 'older';

/** A line of the sidebar: the heading of a period, or a conversation. */
export type ListRow =
  | { id: string; kind: 'heading'; period: Period }
  | { id: string; kind: 'conversation'; conversation: ConversationRow };

function periodOf({ pinned, updatedAt }: ConversationRow, now: number): Period {
  if (pinned) return 'pinned';
  const days = -calendarDays(updatedAt, now);
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  return days < 7 ? 'week' : 'older';
}

/**
 * Conversations in their order, with a heading before each period.
 * @param now milliseconds since 1970
 */
export function toRows(conversations: readonly ConversationRow[], now: number): ListRow[] {
  const rows: ListRow[] = [];
  let last: Period | null = null;
  for (const conversation of conversations) {
    const period = periodOf(conversation, now);
    if (period !== last) rows.push({ id: `period-${period}`, kind: 'heading', period });
    last = period;
    rows.push({ id: conversation.id, kind: 'conversation', conversation });
  }
  return rows;
}
