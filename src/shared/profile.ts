/** Folders in the data folder in which Chromium keeps what it needs for a window: the desktop app's, and that of a browser. */
export const PROFILES = { electron: 'electron', browser: 'browser' } as const;
export type ProfileName = (typeof PROFILES)[keyof typeof PROFILES];

/** There in a profile that was erased while Chromium had it open: it may have written since, so the next start erases the rest. */
export const PROFILE_ERASED_FILE = 'erased-while-open';
