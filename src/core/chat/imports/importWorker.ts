import { implement } from '@orpc/server';
import { serveThread } from '../../support/serveThread.ts';
import { importContract } from './importContract.ts';
import { readPortion } from './readPortion.ts';

const router = {
  read: implement(importContract.read).handler(({ input }) => {
    try {
      return { portion: readPortion(input) };
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === undefined) throw error;
      return { failure: code };
    }
  }),
};

serveThread(router, () => undefined);
