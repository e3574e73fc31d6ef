import { implement } from '@orpc/server';
import { AppError } from '../../shared/errors.ts';
import { finishCopy } from '../storage/databaseCopies.ts';
import { RowCheck } from '../storage/rowCheck.ts';
import { serveThread } from '../support/serveThread.ts';
import { type CopyProblem, copyCheckContract } from './copyCheckContract.ts';
import { describeDamage } from './rowReport.ts';

const router = {
  finish: implement(copyCheckContract.finish).handler(({ input: { path } }): CopyProblem | null => {
    try {
      finishCopy(path);
      const check = new RowCheck(path);
      const report = check.find();
      check.close();
      const reason = describeDamage(report);
      return reason === null ? null : { kind: 'damage', reason };
    } catch (error) {
      if (error instanceof AppError) return { kind: 'damage', reason: String(error.params.reason) };
      return { kind: 'failure', reason: (error as { code?: string }).code ?? (error as Error).name };
    }
  }),
};

serveThread(router, () => undefined);
