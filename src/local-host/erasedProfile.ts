import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROFILE_ERASED_FILE } from '../shared/profile.ts';

/** Chromium's lock on a profile, by platform: it tells a second process of the first. */
const LOCKS: ReadonlySet<string> = new Set([
  'SingletonLock',
  'SingletonSocket',
  'SingletonCookie',
  'lockfile',
]);

/** Erases what is left of a profile that was erased while it was open. Nothing but its lock may be open any more. */
export function finishErasingProfile(profile: string): void {
  const mark = join(profile, PROFILE_ERASED_FILE);
  if (!existsSync(mark)) return;
  for (const name of readdirSync(profile))
    if (!LOCKS.has(name) && name !== PROFILE_ERASED_FILE)
      rmSync(join(profile, name), { recursive: true, force: true, maxRetries: 5 });
  rmSync(mark);
}
