import { runCore } from './coreProcess.ts';

// Entry of the core's process. Electron only warns of unhandled rejections. The core may be in a broken state after one, so
// this process ends and the main process starts it again.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
void runCore(process.parentPort).then(() => process.exit(0));
