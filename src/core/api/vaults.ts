import type { IndexProgress, IndexReport } from '../../shared/contract/vaults.ts';
import type { Services } from '../services.ts';
import { createChannel } from '../support/events.ts';
import { api, guarded } from './implementer.ts';

type IndexEvent = { type: 'progress'; progress: IndexProgress } | { type: 'report'; report: IndexReport };

/** Indexes the vault at `path` and adds it if it is new. Yields progress, then the report once all vectors are stored too. */
async function* indexVault(path: string, services: Services): AsyncGenerator<IndexEvent> {
  const { vaults, vectors, events } = services;
  const { id } = await vaults.add(path, []);
  const channel = createChannel<IndexEvent>(() => stopListening());
  const stopListening = events.listen((event) => {
    if (event.type === 'index' && event.progress.vaultId === id) {
      channel.push({ type: 'progress', progress: event.progress });
    }
  });
  const index = async () => {
    const before = vectors.embedded('note');
    const report = await vaults.indexer(id).reconcile();
    await vectors.settled();
    channel.push({ type: 'report', report: { ...report, embedded: vectors.embedded('note') - before } });
    channel.close();
  };
  index().catch((error: unknown) => channel.fail(error));
  yield* channel;
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
  confirm: api.vaults.confirm.handler(({ input, context }) => context.services.vaults.confirm(input.id)),
  pause: api.vaults.pause.handler(({ input, context }) => context.services.vaults.pause(input.id)),
  resume: api.vaults.resume.handler(({ input, context }) => context.services.vaults.resume(input.id)),
  index: api.vaults.index.handler(({ input, context: { services } }) =>
    guarded(indexVault(input.path, services), services),
  ),
};
