import { existsSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROFILE_ERASED_FILE } from '../shared/profile.ts';

/** Chromium's lock on a profile, by platform: it tells a second process of the first. */
const LOCKS: ReadonlySet<string> = new Set([
  'SingletonLock',
  'SingletonSocket',
  'SingletonCookie',
  'lockfile',
]);

/** Erases what a profile holds, except its lock. What Chromium has open it may write again. */
export function emptyProfile(profile: string): void {
  for (const name of readdirSync(profile))
    if (!LOCKS.has(name) && name !== PROFILE_ERASED_FILE)
      rmSync(join(profile, name), { recursive: true, force: true, maxRetries: 5 });
}

/** Erases what is left of a profile that was erased while it was open. Nothing but its lock may be open any more. */
export function finishErasingProfile(profile: string): void {
  const mark = join(profile, PROFILE_ERASED_FILE);
  if (!existsSync(mark)) return;
  emptyProfile(profile);
  rmSync(mark);
}

/** Has a Chromium this profile open? Its lock is a link that names the process; it has none on Windows, where files in use cannot be erased. */
export function isProfileOpen(profile: string): boolean {
  try {
    const pid = Number(/-(\d+)$/.exec(readlinkSync(join(profile, 'SingletonLock')))?.[1]);
    process.kill(pid, 0);
    return true;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    // There is no lock, or its process has ended without taking it away.
    if (['ENOENT', 'EINVAL', 'ESRCH', 'ERR_INVALID_ARG_TYPE'].includes(code)) return false;
    return true;
  }
}
