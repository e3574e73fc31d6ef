import type { ErrorCode, ErrorParams, Language } from '../shared/errors.ts';
import type { Settings } from '../shared/settings.ts';

/** The settings that the main process needs; it cannot read them itself. */
export type DesktopSettings = Pick<
  Settings,
  'openAtLogin' | 'keepInTray' | 'captureShortcut' | 'updateUrl'
> & {
  language: Language;
};

/**
 * Messages from the main process to the core's. A `connect` message carries one port, on which the core serves the contract.
 */
export type ToCore =
  | { type: 'open'; dataDir: string; version: string }
  | { type: 'connect' }
  | { type: 'resumed' }
  /** The text that the keychain sealed or unsealed; null if it could not. */
  | { type: 'keychain'; id: number; text: string | null }
  | { type: 'close' };

export type FromCore =
  | { type: 'ready' }
  | { type: 'settings'; settings: DesktopSettings }
  /** Only the main process can reach the keychain. */
  | { type: 'keychain'; id: number; act: 'seal' | 'unseal'; text: string }
  /** The user started Souvenir again. */
  | { type: 'show' }
  /** Another host owns the data folder. `url` opens a window on it; null if the owner showed its own. */
  | { type: 'elsewhere'; url: string | null }
  | { type: 'failed'; code: ErrorCode; params: ErrorParams };
