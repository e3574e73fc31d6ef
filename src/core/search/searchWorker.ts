import { serveThread } from '../support/serveThread.ts';
import { createSearchRouter } from './searchRouter.ts';

const { router, close } = createSearchRouter();
serveThread(router, close);
