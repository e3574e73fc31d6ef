import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figures, Usage } from '../../shared/contract/usage.ts';
import type { Calibrating } from '../search/calibration/calibrating.ts';
import type { StoredCalibration } from '../storage/calibrations.ts';
import type { Db } from '../storage/database.ts';
import { readFigures, readSpent } from '../storage/usage.ts';
import type { Clock } from '../support/clock.ts';
import { day } from '../support/text/calendar.ts';
import { databaseBytes } from './diagnostics.ts';

interface FiguresPorts {
  db: Db;
  clock: Clock;
  dataDir: string;
  calibrating: Pick<Calibrating, 'inUse'>;
}

/** How large, how fast and how useful everything is. */
export async function measure({ db, dataDir, calibrating }: FiguresPorts): Promise<Figures> {
  const [vectors, backups] = await Promise.all(
    ['vectors', 'backups'].map((name) => folderBytes(join(dataDir, name))),
  );
  return {
    ...readFigures(db),
    calibration: calibrationOf(calibrating.inUse()),
    bytes: { database: databaseBytes(db), vectors: vectors ?? 0, backups: backups ?? 0 },
  };
}

/** What replies of the last days took, today among them, and the figures. */
export async function readUsage(ports: FiguresPorts, days: number): Promise<Usage> {
  const since = day(new Date(ports.clock.now()), 1 - days).getTime();
  return { ...(await measure(ports)), ...readSpent(ports.db, since) };
}

const calibrationOf = (stored: StoredCalibration | null): Figures['calibration'] =>
  stored && {
    pairs: stored.pairs,
    marks: stored.marks,
    contextualShare: stored.contextualShare,
    at: stored.at,
  };

/** Bytes of the files in a folder and below; 0 if there is none. Files that go meanwhile are left out. */
async function folderBytes(folder: string): Promise<number> {
  const missing = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return null;
  };
  const entries = (await readdir(folder, { withFileTypes: true, recursive: true }).catch(missing)) ?? [];
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name)).catch(missing))?.size ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
