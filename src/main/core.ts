import { onUncaught, reportUncaught } from '../local-host/lastResort.ts';
import { runCore } from './coreProcess.ts';

// Entry of the core's process. Electron only warns of unhandled rejections. Before the core is open nothing runs that could be kept: the
// process ends, and the main process starts it again.
onUncaught((error) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
void runCore(process.parentPort, (app) => reportUncaught(app.reportFault)).then(() => process.exit(0));
