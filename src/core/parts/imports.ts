import { join } from 'node:path';
import { Imports } from '../chat/imports/imports.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Facts } from '../memory/facts/facts.ts';
import type { ForgetTurns } from '../memory/forget/forgetTurns.ts';
import { IMPORT_FOLDER } from '../storage/folderNames.ts';
import type { PartsConfig, Stores } from './stores.ts';

/** What brings in histories of other programs. */
export function createImports(
  { dir, log, clock, events }: PartsConfig,
  stores: Stores,
  { jobs, facts, forgetTurns }: { jobs: Jobs; facts: Facts; forgetTurns: ForgetTurns },
): Imports {
  const imports = new Imports({
    ...stores,
    tombstones: stores.factStore.tombstones,
    keepAway: (id) => forgetTurns.keepAway(id),
    followTurns: () => facts.followTurns(),
    jobs,
    facts,
    clock,
    log: log.child({ domain: 'import' }),
    folder: join(dir, IMPORT_FOLDER),
    onChange: () => {
      events.send({ type: 'imports' });
      events.send({ type: 'conversations' });
    },
    onEnd: () => stores.ledger.sync({ afterImport: true }),
  });
  jobs.register(imports.job());
  return imports;
}
