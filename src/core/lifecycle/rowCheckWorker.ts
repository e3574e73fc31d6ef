import { implement } from '@orpc/server';
import { RowCheck } from '../storage/rowCheck.ts';
import { serveThread } from '../support/serveThread.ts';
import { type Checked, rowCheckContract } from './rowCheckContract.ts';

const api = implement(rowCheckContract);

const router = {
  find: api.find.handler(({ input: { path } }) => checked(path, (check) => check.find())),
  remedies: api.remedies.handler(({ input: { path, rows, copies } }) =>
    checked(path, (check) => check.remedies(rows, copies)),
  ),
};

serveThread(router, () => undefined);

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
