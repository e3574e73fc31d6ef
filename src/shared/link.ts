/** Panes of the window, in display order. */
export const PANES = ['chat', 'memory', 'notes', 'traces', 'settings'] as const;
export type Pane = (typeof PANES)[number];

/** What a menu, the tray or a `souvenir://` address asks the window to show. */
export type Link =
  /** The id of a conversation in chat, or of a note in notes. */
  | { to: 'pane'; pane: Pane; id?: string }
  /** A new conversation; `text` is put in the composer but not sent. */
  | { to: 'new'; text?: string }
  | { to: 'palette' }
  | { to: 'capture' };

const MOST_TEXT = 10_000;
const ID = /^[\w-]{1,100}$/;

/**
 * Reads a path such as `/chat`, `/chat/conv_1`, `/notes/note_1`, `/new?text=…`, `/palette` or `/capture`.
 * @returns null for anything else: links come from outside and are not guessed at
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

/** Decodes a part of an address; empty if its escapes are invalid. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return '';
    throw error;
  }
}
