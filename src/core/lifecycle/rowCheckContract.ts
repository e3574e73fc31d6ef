import { oc, type } from '@orpc/contract';
import type { DamagedRow, Remedy, RowReport } from '../storage/rowCheck.ts';

/** What a check gave, or SQLite's code if it could not read the database: errors do not cross threads. */
export type Checked<T> = { result: T } | { failure: string };

/** The procedures of the thread that compares rows with their sums. Inputs are typed without a check: both ends run in this process. */
export const rowCheckContract = {
  find: oc.input(type<{ path: string }>()).output(type<Checked<RowReport>>()),
  remedies: oc
    .input(type<{ path: string; rows: readonly DamagedRow[]; copies: readonly string[] }>())
    .output(type<Checked<Remedy[]>>()),
};
