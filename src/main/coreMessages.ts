import type { ErrorCode, ErrorParams, Language } from '../shared/errors.ts';
import type { Settings } from '../shared/settings.ts';

/** What the main process must know of the settings: it has no other way to them. */
export type DesktopSettings = Pick<
  Settings,
  'openAtLogin' | 'keepInTray' | 'captureShortcut' | 'updateUrl'
> & {
  language: Language;
};

/** From the main process to the core's. With `connect` comes one port, which the contract is served on. */
export type ToCore =
  | { type: 'open'; dataDir: string; version: string }
  | { type: 'connect' }
  | { type: 'resumed' }
  /** What the keychain made of a text; null where it cannot. */
  | { type: 'keychain'; id: number; text: string | null }
  | { type: 'close' };

export type FromCore =
  | { type: 'ready' }
  | { type: 'settings'; settings: DesktopSettings }
  /** Only the main process reaches the keychain. */
  | { type: 'keychain'; id: number; act: 'seal' | 'unseal'; text: string }
  /** Somebody started Souvenir again. */
  | { type: 'show' }
  /** Another host owns the data folder; `url` opens a window on it, null where it showed its own. */
  | { type: 'elsewhere'; url: string | null }
  | { type: 'failed'; code: ErrorCode; params: ErrorParams };
