import { type Link, parseLink } from '../shared/link.ts';
import type { Place } from './appStore.ts';

/** What the address asks for, taken out of it, so that asking for the same again is seen. */
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
