import { AppError } from '../../shared/errors.ts';
import type { JobKind } from '../jobs/jobKind.ts';
import type { Clock } from '../support/clock.ts';
import type { Backups } from './backup.ts';

/** Name of the job kind, so that it can be paused: only a program that stays open makes backups by itself. */
export const DAILY_BACKUP = 'daily-backup';

/**
 * Makes a backup when the latest is a day old. The schedule follows from the files: if a crash makes the job run again, it
 * finds the backup of the earlier run and makes no other.
 * @param onDamage called where the check of the backup finds the database damaged
 */
export function dailyBackup(
  backups: Pick<Backups, 'dueAt' | 'make'>,
  clock: Clock,
  onDamage: (damage: AppError) => void,
): JobKind {
  return {
    kind: DAILY_BACKUP,
    schedule: () => backups.dueAt(),
    handler: async ({ signal }) => {
      if (backups.dueAt() > clock.now()) return;
      try {
        await backups.make({ signal });
      } catch (error) {
        if (error instanceof AppError && error.code === 'DATABASE_DAMAGED') onDamage(error);
        throw error;
      }
    },
  };
}
