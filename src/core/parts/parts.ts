import type { AppError } from '../../shared/errors.ts';
import type { FactId } from '../../shared/ids.ts';
import { SAME } from '../embedding/similarity.ts';
import { wordVectorsOfThread } from '../embedding/wordVectors.ts';
import { Jobs } from '../jobs/jobs.ts';
import { BackupErasure } from '../lifecycle/backupErasure.ts';
import { DAILY_BACKUP, dailyBackup } from '../lifecycle/dailyBackup.ts';
import { remainsJobs } from '../lifecycle/eraseRemains.ts';
import { RecentlyDeleted } from '../lifecycle/recentlyDeleted.ts';
import type { OpenData } from '../lifecycle/replaceData.ts';
import { retokenise } from '../lifecycle/retokenise.ts';
import { RowChecks } from '../lifecycle/rowChecks.ts';
import { Drift } from '../memory/drift/drift.ts';
import { type Alike, COMPARE_FACTS, compareFacts } from '../memory/facts/alike.ts';
import { Confirming } from '../memory/facts/confirming.ts';
import { Consolidation } from '../memory/facts/consolidate.ts';
import { expireFacts } from '../memory/facts/expiry.ts';
import { Facts } from '../memory/facts/facts.ts';
import { Words } from '../memory/facts/words.ts';
import { CALIBRATE } from '../search/calibration/calibrating.ts';
import { loadLexicon } from '../search/lexical/lexicon.ts';
import type { Services, WithoutData } from '../services.ts';
import { openDatabase } from '../storage/database.ts';
import { refuseInside } from '../storage/dataFolder.ts';
import { unlessAborted } from '../support/abort.ts';
import { closeAll } from '../support/closeAll.ts';
import { Particularity } from '../support/text/particulars.ts';
import { createChat } from './chat.ts';
import { createFactsNote } from './factsNote.ts';
import { createForgetting } from './forgetting.ts';
import { createImports } from './imports.ts';
import { createIndexing } from './indexing.ts';
import { createReview } from './review.ts';
import { openStores, type PartsConfig, type Stores } from './stores.ts';

/** Everything that stands on one database. */
export interface Parts extends OpenData {
  services: Omit<Services, keyof WithoutData>;
}

/** Facts that one that was learnt is compared with. */
const NEAREST_FACTS = 10;

/** Opens the database and builds on it; closes it again if that fails. */
export function openParts(config: PartsConfig): Parts {
  const db = openDatabase(config.dir, config.log);
  try {
    const stores = openStores(config, db);
    refuseInside(
      config.dir,
      stores.vaultStore.list().map(({ path }) => path),
    );
    return assemble(config, stores);
  } catch (error) {
    db.close();
    throw error;
  }
}

function assemble(config: PartsConfig, stores: Stores): Parts {
  const { log, clock, events } = config;
  const { db, conversations, factStore, summaries, attachments, vaultStore, notes, backups, ledger } = stores;
  const rewritten = retokenise({
    db,
    vaults: vaultStore,
    notes,
    conversations,
    facts: factStore,
    summaries,
    attachments,
  });
  if (rewritten > 0) log.info({ rows: rewritten }, 'terms written again by the present tokeniser');
  // A copy that was restored may have lost turns since.
  factStore.followTurns(clock.now());
  const jobs = new Jobs({
    db,
    clock,
    log: log.child({ domain: 'jobs' }),
    onChange: () => events.send({ type: 'jobs' }),
  });
  const lexicon = loadLexicon();
  const indexing = createIndexing(config, stores, { lexicon, onOwnNote: () => factsNote.wake() });
  const { vaults, vectors, search, calibrating } = indexing;
  const words = new Words(lexicon, wordVectorsOfThread);
  const consolidation = new Consolidation(new Particularity(words), words);
  const onLearnt = (id: FactId) => jobs.enqueue(COMPARE_FACTS, id);
  const facts = new Facts({ store: factStore, clock, words, consolidation, onLearnt });
  const drift = new Drift({ facts, notes, anchors: factStore.anchors });
  const { learning, gates, ...chat } = createChat(config, stores, {
    indexing,
    facts,
    lexicon,
    words,
    drift,
    jobs,
  });
  const factsNote = createFactsNote(config, stores, { jobs, facts });
  // Every change of rows that have vectors, or that a scheduled job waits for, is followed by one of these events.
  const stopListening = events.listen(({ type }) => {
    if (type === 'vaults' || type === 'facts' || type === 'conversations') ledger.sync();
    if (type === 'notes' || type === 'facts' || type === 'conversations' || type === 'summaries')
      vectors.wakeSoon();
    if (type === 'vaults' || type === 'facts' || type === 'conversations') jobs.reschedule();
    if (type === 'vaults' || type === 'facts') factsNote.wake();
    if (type === 'vectors') calibrating.adopt();
  });
  const recentlyDeleted = new RecentlyDeleted({
    ...stores,
    jobs,
    clock,
    vaults,
    settings: stores.settings.read,
  });
  const backupErasure = new BackupErasure({
    db,
    dataDir: config.dir,
    jobs,
    backups,
    isErasing: () => recentlyDeleted.isErasing,
    restorableSince: () => recentlyDeleted.restorableSince,
    log: log.child({ domain: 'backups' }),
    onChange: () => events.send({ type: 'backups' }),
  });
  const remains = remainsJobs({ db, vectors });
  const tellDamage = ({ params }: AppError) =>
    stores.notices.add({
      code: 'database-damaged',
      params: { reason: params.reason ?? '' },
      at: clock.now(),
    });
  const rowChecks = new RowChecks({
    entry: config.rowCheckWorker,
    db,
    dataDir: config.dir,
    log: log.child({ domain: 'rows' }),
    onDamage: tellDamage,
  });
  for (const kind of [
    ...recentlyDeleted.jobs(),
    ...remains,
    backupErasure.job(),
    expireFacts(factStore, clock),
    learning.job(),
    calibrating.job(),
    ...chat.summarising.jobs(),
    factsNote.job(),
    compareFacts({
      store: factStore,
      clock,
      consolidation,
      threshold: SAME,
      nearest: async (id, signal) => {
        await unlessAborted(vectors.settled(), signal);
        return (await search.nearest({ kind: 'fact', id, limit: NEAREST_FACTS }, signal)) as Alike[] | null;
      },
    }),
    dailyBackup(backups, clock, tellDamage),
  ])
    jobs.register(kind);
  const forgetting = createForgetting(config, {
    stores,
    indexing,
    chat,
    backupErasure,
    recentlyDeleted,
    jobs,
  });
  const imports = createImports(config, stores, { jobs, facts, forgetTurns: forgetting.forgetTurns });
  // A command that comes and goes makes no backups, and does not wait for vectors.
  const resumeJobs = jobs.pause([DAILY_BACKUP, COMPARE_FACTS, CALIBRATE]);
  jobs.start();

  return {
    services: {
      jobs,
      facts,
      confirming: new Confirming(db, facts, factStore),
      drift,
      factsNote,
      recentlyDeleted,
      backupErasure,
      ...forgetting,
      imports,
      ...createReview(config, stores, { drift, particularity: new Particularity(lexicon) }),
      rowChecks,
      ...stores,
      ...indexing,
      ...chat,
    },
    watch: () => {
      resumeJobs();
      for (const gate of gates) gate.open();
      vaults.watch();
      search.start();
      rowChecks.start();
      void vectors.whenReady();
    },
    close: () =>
      closeAll([
        stopListening,
        ...gates.map((gate) => () => gate.close()),
        () => factsNote.close(),
        () => jobs.close(),
        () => imports.close(),
        () => backups.close(),
        () => rowChecks.close(),
        () => chat.memoryless.close(),
        () => chat.chat.close(),
        () => vaults.close(),
        () => vectors.close(),
        () => search.close(),
        () => db.close(),
      ]),
  };
}
