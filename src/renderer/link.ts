import { type Link, parseLink } from '../shared/link.ts';
import type { Place } from './appStore.ts';

/** Takes the link out of the address, so that following the same link again is noticed. */
export function takeLink(): Exclude<Link, { to: 'capture' }> | null {
  const link = parseLink(location.hash.slice(1));
  if (!link || link.to === 'capture') return null;
  history.replaceState(null, '', location.pathname);
  return link;
}

/** The place that a link leads to. */
export function placeOf(link: Exclude<Link, { to: 'capture' | 'palette' }>): Place {
  if (link.to === 'new') return { pane: 'chat', draft: link.text ?? '' };
  const { pane, id } = link;
  if (id !== undefined && pane === 'chat') return { pane, conversationId: id };
  if (id !== undefined && pane === 'notes') return { pane, noteId: id };
  return { pane };
}
