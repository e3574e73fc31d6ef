import { factsNoteIn } from '../../shared/factsNote.ts';
import { OtherEmbedders } from '../embedding/otherEmbedders.ts';
import { VectorIndexer } from '../embedding/vectorIndexer.ts';
import { VectorOutbox } from '../embedding/vectorOutbox.ts';
import { Calibrating } from '../search/calibration/calibrating.ts';
import type { Lexicon } from '../search/lexical/lexicon.ts';
import { Marks } from '../search/marks/marks.ts';
import { SearchClient } from '../search/searchClient.ts';
import { Particularity } from '../support/text/particulars.ts';
import { Vaults } from '../vaults/registry.ts';

import type { PartsConfig, Stores } from './stores.ts';

/** What keeps notes and vectors up to date, and what searches them. */
export function createIndexing(
  config: PartsConfig,
  stores: Stores,
  { lexicon, onOwnNote }: { lexicon: Lexicon; onOwnNote: () => void },
) {
  const { dir, log, clock, events } = config;
  const { db, settings, scopeOf, vaultStore, notes, itemMarks, calibrations } = stores;
  const particularity = new Particularity(lexicon);
  const search = new SearchClient({
    entry: config.searchWorker,
    db,
    settings: settings.read,
    scopeOf,
    marks: new Marks({
      marks: itemMarks,
      differs: (one, other) => particularity.differs(one, other),
      serving: () => vectors.serving(),
    }),
    serving: () => vectors.serving(),
    refill: () => vectors.refillMirror(),
    indexing: () => vaults.indexing(),
    clock,
    log: log.child({ domain: 'search' }),
  });
  const vectors = new VectorIndexer({
    dataDir: dir,
    outbox: new VectorOutbox(db, clock),
    mirror: search.mirror,
    startEmbedder: config.startEmbedder,
    expected: () => settings.read().embedder,
    log: log.child({ domain: 'vectors' }),
    onProgress: (progress) => events.send({ type: 'vectors', progress }),
  });
  const vaults = new Vaults({
    db,
    vaults: vaultStore,
    notes,
    clock,
    log: log.child({ domain: 'indexing' }),
    parser: config.createParser(log.child({ domain: 'indexing' })),
    onProgress: (progress) => events.send({ type: 'index', progress }),
    onNotes: () => events.send({ type: 'notes' }),
    onVaults: () => events.send({ type: 'vaults' }),
    ownNote: (id) => factsNoteIn(settings.read().factsNote, id),
    onOwnNote,
  });
  const calibrating = new Calibrating({
    store: calibrations,
    marks: itemMarks,
    search,
    serving: () => vectors.serving(),
    isComplete: () => {
      const { state, pending } = vectors.progress();
      return state === 'ready' && pending === 0;
    },
    clock,
  });
  const otherEmbedders = new OtherEmbedders({
    opened: (setting) => vectors.opened(setting),
    known: () => [settings.read().embedder, ...calibrations.embedders()],
    startEmbedder: config.startEmbedder,
    log: log.child({ domain: 'vectors' }),
  });
  return { search, vectors, vaults, calibrating, otherEmbedders };
}
