import envPaths from 'env-paths';
import { AppError } from '../shared/errors.ts';

/**
 * The folder given with --data, or else the platform's default.
 * @throws AppError DATA_FOLDER_UNNAMED
 */
export function dataDirOf(given: string | undefined): string {
  if (given?.trim() === '') throw new AppError('DATA_FOLDER_UNNAMED');
  return given ?? envPaths('souvenir', { suffix: '' }).data;
}
