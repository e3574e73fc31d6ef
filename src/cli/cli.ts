import { onUncaught } from '../local-host/lastResort.ts';
import { writeFailure } from './files.ts';
import { note, terminalLanguage, toFailure } from './output.ts';
import { fail, runCommand } from './program.ts';

/** A reader such as `head` may close the pipe early, which is no failure; a result that cannot be written is one. */
function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    const failure = toFailure(writeFailure('stdout', error), terminalLanguage());
    note(`${failure.code}: ${failure.message}`);
    process.exit(1);
  });
  // Nobody is left to be told; a host whose terminal was closed goes on.
  process.stderr.on('error', () => undefined);
}

const argv = process.argv.slice(2);
watchOutput();
onUncaught((error) => {
  fail(error, argv);
  process.exit();
});
await runCommand(argv);
