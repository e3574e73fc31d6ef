import { implement } from '@orpc/server';
import { RowCheck } from '../storage/rowCheck.ts';
import { type Checked, rowCheckContract } from './rowCheckContract.ts';

const api = implement(rowCheckContract);

/** What the thread that compares rows with their sums answers. */
export const rowCheckRouter = {
  find: api.find.handler(({ input: { path } }) => checked(path, (check) => check.find())),
  remedies: api.remedies.handler(({ input: { path, rows, copies } }) =>
    checked(path, (check) => check.remedies(rows, copies)),
  ),
};

function checked<T>(path: string, work: (check: RowCheck) => T): Checked<T> {
  let check: RowCheck | undefined;
  try {
    check = new RowCheck(path);
    return { result: work(check) };
  } catch (error) {
    return { failure: (error as { code?: string }).code ?? (error as Error).name };
  } finally {
    check?.close();
  }
}
