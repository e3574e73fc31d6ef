import { join } from 'node:path';
import { app } from 'electron';
import { reportUncaught } from '../local-host/lastResort.ts';
import { runDesktop } from './desktop.ts';

/** Entry of the desktop app. */
runDesktop({
  outDir: import.meta.dirname,
  iconDir: join(app.getAppPath(), 'resources', 'icons'),
  argv: process.argv,
  reportUncaught,
});
