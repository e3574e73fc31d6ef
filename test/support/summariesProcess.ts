import { createApp } from '../../src/core/app.ts';

/** A core that summarises until it is killed, and tells how many summaries there are. Argument: the data folder. */
const app = createApp({ dataDir: process.argv[2] ?? '', version: 'test' });
app.watch();
const TELL_EVERY_MS = 2;
setInterval(() => {
  const { n } = app.services.db.get<{ n: number }>('SELECT count(*) AS n FROM summaries') ?? { n: 0 };
  process.send?.(n);
}, TELL_EVERY_MS);
process.on('disconnect', () => process.exit());
