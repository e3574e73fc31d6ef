import { runCore } from './coreProcess.ts';

// Entry of the core's process. Electron only warns of a promise that nobody handles; a core that may not be whole ends, and the
// main process starts it again.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
void runCore(process.parentPort).then(() => process.exit(0));
