import type { IndexProgress, IndexReport } from '../../shared/contract/vaults.ts';
import { AppError } from '../../shared/errors.ts';
import type { Services } from '../app.ts';
import { createChannel } from '../support/events.ts';
import { VaultUnavailable } from '../vaults/vaultIndexer.ts';
import { api, guarded } from './implementer.ts';

type IndexEvent = { type: 'progress'; progress: IndexProgress } | { type: 'report'; report: IndexReport };

/** Indexes a vault, adding it where it is new, and tells the progress until the report. */
async function* indexVault(path: string, services: Services): AsyncGenerator<IndexEvent> {
  const vault = await services.vaults.add(path, []);
  const stop = services.events.listen((event) => {
    if (event.type === 'index' && event.progress.vaultId === vault.id) {
      events.push({ type: 'progress', progress: event.progress });
    }
  });
  const events = createChannel<IndexEvent>(stop);
  services.vaults
    .indexer(vault.id)
    .reconcile()
    .then(async (report) => {
      await services.vectors.settled();
      events.push({ type: 'report', report });
      events.close();
    })
    .catch((error: unknown) => {
      events.fail(
        error instanceof VaultUnavailable ? new AppError('VAULT_UNAVAILABLE', { path: vault.path }) : error,
      );
    });
  yield* events;
}

export const vaults = {
  known: api.vaults.known.handler(({ context }) => context.services.vaults.known()),
  inspect: api.vaults.inspect.handler(({ input, context }) => context.services.vaults.inspect(input.path)),
  completePath: api.vaults.completePath.handler(({ input, context }) =>
    context.services.vaults.completePath(input.prefix),
  ),
  list: api.vaults.list.handler(({ context }) => context.services.vaults.list()),
  add: api.vaults.add.handler(({ input, context }) =>
    context.services.vaults.add(input.path, input.ignorePatterns),
  ),
  setIgnorePatterns: api.vaults.setIgnorePatterns.handler(({ input, context }) =>
    context.services.vaults.setIgnorePatterns(input.id, input.patterns),
  ),
  previewIgnore: api.vaults.previewIgnore.handler(({ input, context }) =>
    context.services.vaults.previewIgnore(input.id, input.patterns),
  ),
  remove: api.vaults.remove.handler(({ input, context }) => context.services.vaults.remove(input.id)),
  restore: api.vaults.restore.handler(({ input, context }) => context.services.vaults.restore(input.id)),
  pause: api.vaults.pause.handler(({ input, context }) => context.services.vaults.pause(input.id)),
  resume: api.vaults.resume.handler(({ input, context }) => context.services.vaults.resume(input.id)),
  index: api.vaults.index.handler(({ input, context: { services } }) =>
    guarded(indexVault(input.path, services), services),
  ),
};
