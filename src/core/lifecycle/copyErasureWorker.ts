import { dirname } from 'node:path';
import { implement } from '@orpc/server';
import { AppError } from '../../shared/errors.ts';
import { diskProblemIn } from '../support/diskProblem.ts';
import { serveThread } from '../support/serveThread.ts';
import { type CopyFailure, copyErasureContract } from './copyErasureContract.ts';
import { eraseFromCopy } from './eraseFromCopy.ts';
import { namingCopies } from './namingCopies.ts';

const api = implement(copyErasureContract);

const router = {
  erase: api.erase.handler(({ input }) => {
    try {
      eraseFromCopy(input);
      return null;
    } catch (error) {
      return failureOf(error, input.path);
    }
  }),
  naming: api.naming.handler(({ input: { paths, names } }) => namingCopies(paths, names)),
};

serveThread(router, () => undefined);

function failureOf(error: unknown, path: string): CopyFailure {
  if (error instanceof AppError && error.code !== 'DATABASE_DAMAGED')
    return { code: error.code, params: error.params };
  const problem = diskProblemIn(dirname(path), error);
  if (problem) return { code: problem, params: {} };
  const { code, name } = error as { code?: string; name: string };
  const reason = error instanceof AppError ? String(error.params.reason) : (code ?? name);
  return { code: 'BACKUP_UNUSABLE', params: { path, reason } };
}
