import type { Migration } from '../migrate.ts';
import { initial } from './0001-initial.ts';
import { facts } from './0002-facts.ts';

/** In order; append only. */
export const migrations: readonly Migration[] = [initial, facts];
