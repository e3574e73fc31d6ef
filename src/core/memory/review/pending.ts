import type { ReviewSource } from './reviewSource.ts';

/** Facts that a note, a tool result or a reply suggested, and that are given to no reply until the user confirms them. */
export const pending: ReviewSource = {
  group: 'pending',
  items: `SELECT f.id, '' AS other, f.created_at AS at FROM facts f
    WHERE f.state = 'pending' AND f.forgotten_at IS NULL AND f.unsaid_at IS NULL AND (f.expires_at IS NULL OR f.expires_at > @now)`,
  reason: ([fact]) => ({
    code: 'suggested',
    by: fact?.anchor !== null || fact?.source === 'note' ? 'note' : 'reply',
  }),
};
