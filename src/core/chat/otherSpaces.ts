import type { OtherEmbedders } from '../embedding/otherEmbedders.ts';
import type { Serving } from '../embedding/vectorIndexer.ts';
import { spaceOf } from '../search/calibration/spaceCalibration.ts';
import type { OtherSpace } from '../search/vector/otherVectors.ts';
import type { CalibrationStore } from '../storage/calibrations.ts';

/**
 * Runs work with another embedder; undefined if none is asked for, or it is the one whose index answers.
 * @throws AppError EMBEDDER_UNUSABLE; what the work throws; the signal's reason
 */
export type OtherSpaces = <T>(
  setting: string | undefined,
  work: (other: OtherSpace | undefined) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

export const createOtherSpaces =
  ({
    serving,
    otherEmbedders,
    calibrations,
  }: {
    serving(): Serving | null;
    otherEmbedders: OtherEmbedders;
    calibrations: Pick<CalibrationStore, 'get'>;
  }): OtherSpaces =>
  (setting, work, signal) => {
    if (setting === undefined || setting === serving()?.setting) return work(undefined);
    return otherEmbedders.use(
      setting,
      (space) => {
        const stored = calibrations.get(space.fingerprint);
        return work({ serving: space, calibration: stored ? spaceOf(stored) : null, made: new Map() });
      },
      signal,
    );
  };
