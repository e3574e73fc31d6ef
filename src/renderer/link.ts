import { type Link, parseLink } from '../shared/link.ts';
import type { Place } from './appStore.ts';

/** Takes the link out of the address, so that following the same link again is noticed. */
export function takeLink(): Exclude<Link, { to: 'capture' }> | null {
  const link = parseLink(location.hash.slice(1));
  if (!link || link.to === 'capture') return null;
  history.replaceState(null, '', location.pathname);
  return link;
}

/** Opens Souvenir's window with a text in the composer, from the small window of quick capture. Needs a click or a key in Electron. */
export function draftInChat(text: string): void {
  const place = `new?text=${encodeURIComponent(text)}`;
  // In a browser there is one window: it becomes the chat. The desktop app opens its own addresses itself.
  if (location.protocol === 'http:') {
    location.hash = `#/${place}`;
    location.reload();
  } else {
    window.open(`souvenir://${place}`);
    window.close();
  }
}

/** The place that a link leads to. */
export function placeOf(link: Exclude<Link, { to: 'capture' | 'palette' }>): Place {
  if (link.to === 'new') return { pane: 'chat', draft: link.text ?? '' };
  const { pane, id } = link;
  if (id !== undefined && pane === 'chat') return { pane, conversationId: id };
  if (id !== undefined && pane === 'notes') return { pane, noteId: id };
  return { pane };
}
