import { join } from 'node:path';
import { app } from 'electron';
import { finishErasingProfile } from '../local-host/erasedProfile.ts';
import { PROFILES } from '../shared/profile.ts';

/**
 * Puts Electron's profile into the data folder, and asks to be the only instance on it.
 * @returns whether this is the first instance. What an earlier one erased and still had open is gone then.
 */
export function takeProfile(dataDir: string): boolean {
  const profile = join(dataDir, PROFILES.electron);
  app.setPath('userData', profile);
  if (!app.requestSingleInstanceLock()) return false;
  // Chromium opens nothing in it but that lock before the app is ready.
  finishErasingProfile(profile);
  return true;
}
