import { AppError, codeOf } from '../../shared/errors.ts';
import type { VaultId } from '../../shared/ids.ts';
import { readTurnLabel, renderBlock } from '../chat/prompt/block.ts';
import { renderResult } from '../chat/tools/renderResult.ts';
import { restorableCopies } from '../lifecycle/copies.ts';
import { eraseData } from '../lifecycle/erase.ts';
import { exportPortions } from '../lifecycle/portable/exportPortions.ts';
import { importPortion } from '../lifecycle/portable/importPortion.ts';
import { eraseOldReplaced } from '../lifecycle/replacedCopies.ts';
import { checkBackup, type Replacement, replaceDatabase, startAnew } from '../lifecycle/restore.ts';
import { api, guarded } from './implementer.ts';

export const data = {
  deleted: api.data.deleted.handler(({ context: { services } }) => ({
    deleted: services.recentlyDeleted.list(),
    erasing: services.recentlyDeleted.isErasing,
  })),
  restoreDeleted: api.data.restoreDeleted.handler(async ({ input, context: { services } }) => {
    const idsOf = (kind: string) => input.items.filter(({ what }) => what === kind).map(({ id }) => id);
    for (const id of idsOf('vaults')) services.vaults.restore(id as VaultId);
    await services.forget.bringBack({ facts: idsOf('facts'), conversations: idsOf('conversations') });
  }),
  eraseDeleted: api.data.eraseDeleted.handler(({ input, context: { services } }) => {
    services.recentlyDeleted.erase(input.items);
    for (const what of new Set(input.items.map((item) => item.what))) services.events.send({ type: what });
  }),
  backUp: api.data.backUp.handler(({ input, context }) => context.services.backups.make(input)),
  backups: api.data.backups.handler(({ context: { services } }) => {
    const { failure } = services.backups;
    return { backups: services.backups.list(), problem: failure && codeOf(failure) };
  }),
  copies: api.data.copies.handler(({ context }) => restorableCopies(context.services.dataDir)),
  restore: api.data.restore.handler(async ({ input, context: { services } }) => {
    checkBackup(input.path);
    let replacement: Replacement | undefined;
    await services.replaceData(() => {
      replacement = replaceDatabase(services.dataDir, input.path);
      return replacement.undo;
    });
    eraseOldReplaced(services.dataDir, services.log);
    return { replaced: replacement?.replaced ?? null };
  }),
  startAnew: api.data.startAnew.handler(({ context: { services } }) => {
    if (!services.damage) throw new AppError('BAD_INPUT', { reason: 'the data is not damaged' });
    return services.replaceData(() => {
      startAnew(services.dataDir);
      return undefined;
    });
  }),
  export: api.data.export.handler(({ context: { services } }) =>
    guarded(inTurns(exportPortions(services.db)), services),
  ),
  import: api.data.import.handler(({ input, context: { services } }) => {
    const { events, factStore } = services;
    const report = importPortion(
      { ...services, facts: factStore, renderBlock, renderResult, readTurnLabel },
      input,
    );
    services.ledger.sync({ afterImport: true });
    if (input.kind === 'settings') events.send({ type: 'settings', settings: services.settings.read() });
    else if (input.kind === 'facts') events.send({ type: 'facts' });
    else if (input.kind === 'conversations') events.send({ type: 'conversations' });
    else if (input.kind === 'vaults' && report.added + report.restored > 0) {
      services.vaults.watch();
      events.send({ type: 'vaults' });
    }
    return report;
  }),
  erase: api.data.erase.handler(async ({ context: { services } }) => {
    await services.replaceData(() => {
      eraseData(services.dataDir, services.profile?.name);
      return undefined;
    });
    services.profile?.erased();
  }),
};

/** Yields to the event loop between two values. */
async function* inTurns<T>(values: Iterable<T>): AsyncGenerator<T> {
  for (const value of values) {
    yield value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
