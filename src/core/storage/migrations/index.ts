import type { Migration } from '../migrate.ts';
import { initial } from './0001-initial.ts';

/** In order; append only. */
export const migrations: readonly Migration[] = [initial];
