// Counts the subject of each job in `settings` until it is killed or, with "to-the-end", until no jobs are left.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Jobs } from '../../src/core/jobs/jobs.ts';
import { openDatabase } from '../../src/core/storage/database.ts';
import { systemClock } from '../../src/core/support/clock.ts';
import { createLogger } from '../../src/core/support/logger.ts';

const [dir = '', toTheEnd] = process.argv.slice(2);
const db = openDatabase(dir);
const jobs = new Jobs({ db, clock: systemClock, log: createLogger(dir), onChange: () => undefined });
jobs.register({
  kind: 'count',
  concurrency: 4,
  handler: async ({ subject, signal, commit }) => {
    appendFileSync(join(dir, 'begun.txt'), `${subject}\n`);
    await sleep(toTheEnd === undefined ? 5 : 0, undefined, { signal });
    commit(() => {
      db.run(
        "INSERT INTO settings (key, value) VALUES (?, '1') ON CONFLICT (key) DO UPDATE SET value = value + 1",
        subject,
      );
    });
  },
});
jobs.start();
if (toTheEnd === undefined) await sleep(60_000);
await jobs.settled();
await jobs.close();
db.close();
