/** Panes of the window, in their order. */
export const PANES = ['chat', 'memory', 'notes', 'traces', 'settings'] as const;
export type Pane = (typeof PANES)[number];

/** What a menu, the tray or a `souvenir://` address asks of the window. */
export type Link =
  /** `id` is a conversation's in chat, a note's in notes. */
  | { to: 'pane'; pane: Pane; id?: string }
  /** A new conversation; `text` waits in the composer and is not sent. */
  | { to: 'new'; text?: string }
  | { to: 'palette' }
  | { to: 'capture' };

const MOST_TEXT = 10_000;
const ID = /^[\w-]{1,100}$/;

/**
 * Reads a path such as `/chat`, `/chat/conv_1`, `/notes/note_1`, `/new?text=…`, `/palette` or `/capture`.
 * @returns null for anything else: links come from outside, and are never guessed at
 */
export function parseLink(path: string): Link | null {
  const [place = ''] = path.split('?', 1);
  const [empty, name = '', id, ...rest] = place.split('/');
  if (empty !== '' || rest.length > 0) return null;
  if (name === 'new' && id === undefined) {
    const text = decode(/\?text=([^&]*)/.exec(path)?.[1] ?? '').slice(0, MOST_TEXT);
    return text === '' ? { to: 'new' } : { to: 'new', text };
  }
  if ((name === 'palette' || name === 'capture') && id === undefined) return { to: name };
  const pane = PANES.find((one) => one === name);
  if (!pane || (id !== undefined && !ID.test(id))) return null;
  return id === undefined ? { to: 'pane', pane } : { to: 'pane', pane, id };
}

/** Text of an address; none where its escapes are broken. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return '';
    throw error;
  }
}
