import { createApp } from '../../src/core/app.ts';

/** A core that summarises and learns until it is killed, and tells how much there is of both. Argument: the data folder. */
const app = createApp({ dataDir: process.argv[2] ?? '', version: 'test' });
app.watch();
const TELL_EVERY_MS = 2;
setInterval(() => {
  const { n } = app.services.db.get<{ n: number }>(
    `SELECT (SELECT count(*) FROM summaries) + (SELECT count(*) FROM summaries WHERE made_by = 'model')
       + (SELECT count(*) FROM facts) AS n`,
  ) ?? { n: 0 };
  process.send?.(n);
}, TELL_EVERY_MS);
process.on('disconnect', () => process.exit());
