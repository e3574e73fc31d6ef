import { implement } from '@orpc/server';
import { AppError } from '../../shared/errors.ts';
import { finishCopy } from '../storage/databaseCopies.ts';
import { serveThread } from '../support/serveThread.ts';
import { type CopyProblem, copyCheckContract } from './copyCheckContract.ts';

const router = {
  finish: implement(copyCheckContract.finish).handler(({ input: { path } }): CopyProblem | null => {
    try {
      finishCopy(path);
      return null;
    } catch (error) {
      if (error instanceof AppError) return { kind: 'damage', reason: String(error.params.reason) };
      return { kind: 'failure', reason: (error as { code?: string }).code ?? (error as Error).name };
    }
  }),
};

serveThread(router, () => undefined);
