import type { Migration } from '../migrate.ts';

/** Background work that must survive a crash, and indexes on what maintenance looks for. */
export const jobs: Migration = {
  version: 10,
  name: 'jobs',
  sql: `
    CREATE TABLE jobs (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      subject TEXT NOT NULL, -- id of what the work is about; '' for the whole database
      state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'failed')),
      priority INTEGER NOT NULL DEFAULT 0, -- the lowest runs first
      revision INTEGER NOT NULL DEFAULT 1, -- goes up each time the same work is asked for again
      attempts INTEGER NOT NULL DEFAULT 0, -- begun, the running one included
      due_at INTEGER NOT NULL DEFAULT 0, -- when the next attempt may begin
      lease TEXT, -- the run that holds the job: start of the process, and a number
      leased_until INTEGER,
      error_code TEXT, -- of the last attempt that failed
      UNIQUE (kind, subject),
      CHECK ((state = 'running') = (lease IS NOT NULL)),
      CHECK ((state = 'running') = (leased_until IS NOT NULL))
    ) STRICT;
    CREATE INDEX jobs_in_order ON jobs (kind, state, priority, id, due_at);
    CREATE INDEX jobs_by_time ON jobs (kind, state, due_at);

    CREATE INDEX facts_forgotten ON facts (forgotten_at) WHERE forgotten_at IS NOT NULL;
    CREATE INDEX facts_expiring ON facts (expires_at) WHERE expires_at IS NOT NULL;
  `,
};
