import type { AppEvent } from '../../shared/contract/app.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { BackupErasure } from '../lifecycle/backupErasure.ts';
import type { RecentlyDeleted } from '../lifecycle/recentlyDeleted.ts';
import { Forget } from '../memory/forget/forget.ts';
import { ForgetActs } from '../memory/forget/forgetActs.ts';
import { ForgetFacts } from '../memory/forget/forgetFacts.ts';
import { ForgetSummaries } from '../memory/forget/forgetSummaries.ts';
import { ForgetTitles } from '../memory/forget/forgetTitles.ts';
import { ForgetTurns } from '../memory/forget/forgetTurns.ts';
import { ForgottenSummaries } from '../storage/forgottenSummaries.ts';
import { ForgottenTurns } from '../storage/forgottenTurns.ts';
import type { createChat } from './chat.ts';
import type { createIndexing } from './indexing.ts';
import type { PartsConfig, Stores } from './stores.ts';

/** Each kind of item that can be forgotten, in the order in which a plan shows them. */
export function createForgetting(
  { clock, events }: PartsConfig,
  {
    stores,
    indexing,
    chat,
    backupErasure,
    recentlyDeleted,
    jobs,
  }: {
    stores: Stores;
    indexing: ReturnType<typeof createIndexing>;
    chat: Pick<ReturnType<typeof createChat>, 'answerer' | 'chat' | 'summarising'>;
    backupErasure: BackupErasure;
    recentlyDeleted: RecentlyDeleted;
    jobs: Jobs;
  },
) {
  const { db, conversations, factStore } = stores;
  const forgottenTurns = new ForgottenTurns(db, conversations);
  const forgetTurns = new ForgetTurns({
    db,
    conversations,
    forgottenTurns,
    clock,
    tombstones: factStore.tombstones,
    followTurns: (at) => factStore.followTurns(at),
    stop: (id) => chat.chat.stop(id),
  });
  const kinds = [
    new ForgetFacts(db, factStore, clock),
    forgetTurns,
    new ForgetSummaries({
      db,
      forgottenSummaries: new ForgottenSummaries(db),
      tombstones: factStore.tombstones,
      rewrite: (id, at) => chat.summarising.rewrite(id, at),
      remakeAbove: (id) => chat.summarising.remakeAbove(id),
    }),
    new ForgetTitles({ db, conversations, forgottenTurns, tombstones: factStore.tombstones }),
  ];
  const acts = new ForgetActs({
    db,
    jobs,
    kinds,
    erase: (at) => recentlyDeleted.eraseForgotten(at),
    // Windows read again what may have gone or come back.
    onDone: () => {
      for (const type of [
        'facts',
        'conversations',
        'turns',
        'summaries',
      ] as const satisfies AppEvent['type'][])
        events.send({ type });
    },
  });
  jobs.register(acts.job());
  const forget = new Forget({
    db,
    clock,
    kinds,
    acts,
    search: (request) => indexing.search.search(request),
    retrieve: async (text) => (await chat.answerer.preview({ text })).candidates,
    backups: (names) => backupErasure.naming(names),
  });
  return { forget, forgetTurns };
}
