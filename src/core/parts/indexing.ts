import { factsNoteIn } from '../../shared/factsNote.ts';
import { VectorIndexer } from '../embedding/vectorIndexer.ts';
import { VectorOutbox } from '../embedding/vectorOutbox.ts';
import { SearchClient } from '../search/searchClient.ts';
import { Vaults } from '../vaults/registry.ts';

import type { PartsConfig, Stores } from './stores.ts';

/** What keeps notes and vectors up to date, and what searches them. */
export function createIndexing(config: PartsConfig, stores: Stores, onOwnNote: () => void) {
  const { dir, log, clock, events } = config;
  const { db, settings, scopeOf, vaultStore, notes } = stores;
  const search = new SearchClient({
    entry: config.searchWorker,
    db,
    settings: settings.read,
    scopeOf,
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
  return { search, vectors, vaults };
}
