import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux tells of power supplies (Documentation/ABI/testing/sysfs-class-power). Elsewhere Node has no way to know. */
const SUPPLIES = '/sys/class/power_supply';

/** Does the computer run on its battery? No if it has none, or does not tell. */
export function onBattery(folder: string = SUPPLIES): boolean {
  const supplies = namesIn(folder).map((name) => {
    const read = (file: string) => readLine(join(folder, name, file));
    return { type: read('type'), scope: read('scope'), online: read('online'), status: read('status') };
  });
  // The battery of a mouse or a pen is a device's.
  const own = supplies.filter(({ scope }) => scope !== 'Device');
  if (own.some(({ type, online }) => type !== 'Battery' && online === '1')) return false;
  return own.some(({ type, status }) => type === 'Battery' && status === 'Discharging');
}

/** Supplies come and go, and a file may not be there for a kind of supply. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function readLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
