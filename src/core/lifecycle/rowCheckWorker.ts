import { serveThread } from '../support/serveThread.ts';
import { rowCheckRouter } from './rowCheckRouter.ts';

serveThread(rowCheckRouter, () => undefined);
