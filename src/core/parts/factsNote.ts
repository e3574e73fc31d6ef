import { AppError } from '../../shared/errors.ts';
import { placeOf } from '../../shared/factsNote.ts';
import { chosenLanguage } from '../../shared/settings.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Facts } from '../memory/facts/facts.ts';
import { FactsNote } from '../memory/factsNote/factsNote.ts';
import { FactLines } from '../storage/factLines.ts';
import { systemLanguage } from '../support/systemLanguage.ts';
import { readOwnNote, writeOwnNote } from '../vaults/ownNote.ts';

import type { PartsConfig, Stores } from './stores.ts';

/** What keeps facts and the note of them equal. */
export function createFactsNote(
  config: PartsConfig,
  stores: Stores,
  { jobs, facts }: { jobs: Jobs; facts: Facts },
) {
  const { clock, events } = config;
  const { db, factStore, vaultStore } = stores;
  const settings = stores.settings.read;
  return new FactsNote({
    ...stores,
    store: factStore,
    facts,
    jobs,
    lines: new FactLines(db),
    clock,
    log: config.log.child({ domain: 'facts-note' }),
    file: { read: readOwnNote, write: writeOwnNote },
    setting: () => settings().factsNote,
    placeOf: (setting) => {
      const place = placeOf(setting);
      const vault = place && vaultStore.get(place.vaultId);
      if (place && vault?.removedAt !== null) throw new AppError('NOT_FOUND', { what: 'vault' });
      return place && vault ? { ...place, root: vault.path } : null;
    },
    language: () => chosenLanguage(settings().language, systemLanguage()),
    onChange: () => events.send({ type: 'facts-note' }),
  });
}
