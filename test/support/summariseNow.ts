import type { App } from '../../src/core/app.ts';
import { SUMMARISE } from '../../src/core/memory/summaries/summaries.ts';

/** Has everything summarised that is due; by itself a core does so only while it stays open. */
export async function summariseNow({ services }: Pick<App, 'services'>): Promise<void> {
  const job = services.summarising.jobs().find(({ kind }) => kind === SUMMARISE);
  await job?.handler({
    subject: '',
    attempt: 1,
    signal: new AbortController().signal,
    commit: (effect) => effect(),
  });
}
