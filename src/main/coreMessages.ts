import type { ErrorCode, ErrorParams, Language } from '../shared/errors.ts';
import type { ErrorTrace } from '../shared/errorTrace.ts';
import type { Settings } from '../shared/settings.ts';

/** The settings that the main process needs; it cannot read them itself. */
export type DesktopSettings = Pick<
  Settings,
  'openAtLogin' | 'keepInTray' | 'captureShortcut' | 'updateUrl'
> & {
  language: Language;
};

/** What failed outside the core's process; the core logs it. */
export type Fault =
  /** An error that nothing caught. Every window is told. */
  | { type: 'uncaught'; trace: ErrorTrace }
  /** A process ended by itself; `reason` and `exitCode` are Electron's. */
  | { type: 'process-gone'; process: string; reason: string; exitCode: number };

/**
 * Messages from the main process to the core's. A `connect` message carries one port, on which the core serves the contract.
 */
export type ToCore =
  | { type: 'open'; dataDir: string; version: string }
  | { type: 'connect' }
  | { type: 'resumed' }
  /** The computer runs on its battery, or no longer. */
  | { type: 'power'; onBattery: boolean }
  /** The text that the keychain sealed or unsealed; null if it could not. */
  | { type: 'keychain'; id: number; text: string | null }
  | { type: 'fault'; fault: Fault }
  | { type: 'close' };

export type FromCore =
  | { type: 'ready' }
  | { type: 'settings'; settings: DesktopSettings }
  /** Only the main process can reach the keychain. */
  | { type: 'keychain'; id: number; act: 'seal' | 'unseal'; text: string }
  /** Everything was erased; of its own profile, the main process erases what it can at once. */
  | { type: 'erased' }
  /** The user started Souvenir again. */
  | { type: 'show' }
  /** Another host owns the data folder. `url` opens a window on it; null if the owner showed its own. */
  | { type: 'elsewhere'; url: string | null }
  | { type: 'failed'; code: ErrorCode; params: ErrorParams };
