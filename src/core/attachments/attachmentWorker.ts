import { implement } from '@orpc/server';
import { serveThread } from '../support/serveThread.ts';
import { attachmentContract } from './attachmentContract.ts';
import { FileRefused } from './fileRefused.ts';
import { readFileText } from './readFileText.ts';

const router = {
  read: implement(attachmentContract.read).handler(async ({ input }) => {
    try {
      return { text: await readFileText(input) };
    } catch (error) {
      if (!(error instanceof FileRefused)) throw error;
      return { problem: error.problem };
    }
  }),
};

serveThread(router, () => undefined);
