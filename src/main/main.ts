import { join } from 'node:path';
import { app } from 'electron';
import envPaths from 'env-paths';
import { runDesktop } from './desktop.ts';

/** Entry of the desktop app. `--data=<dir>` replaces the platform's default data folder. */
const given = process.argv.find((part) => part.startsWith('--data='))?.slice('--data='.length);

runDesktop({
  dataDir: given ?? envPaths('souvenir', { suffix: '' }).data,
  outDir: import.meta.dirname,
  iconDir: join(app.getAppPath(), 'resources', 'icons'),
  argv: process.argv,
});
