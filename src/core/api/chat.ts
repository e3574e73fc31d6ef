import { importConversations } from '../chat/importConversations.ts';
import { folderPath, knownFolderPath } from '../vaults/folderPath.ts';
import { api, guarded } from './implementer.ts';
import { exportConversation, saveToVault } from './saveToVault.ts';
import { searchReady } from './vectorsReady.ts';

/** The folders that are meant; those that were known before need not be there. */
const foldersAt = (folders: readonly string[], known: readonly string[]): Promise<string[]> =>
  Promise.all(folders.map(async (folder) => (known.includes(folder) ? folder : folderPath(folder))));

export const chat = {
  list: api.chat.list.handler(async ({ input, context }) =>
    context.services.chat.list({
      ...input,
      ...(input.folder === undefined ? {} : { folder: await knownFolderPath(input.folder) }),
    }),
  ),
  folders: api.chat.folders.handler(({ context }) => context.services.conversations.folders()),
  get: api.chat.get.handler(({ input: { id, ...page }, context }) => context.services.chat.get(id, page)),
  turns: api.chat.turns.handler(({ input, context }) => ({ turns: context.services.chat.turns(input.ids) })),
  channels: api.chat.channels.handler(({ context }) => context.services.conversations.channels()),
  change: api.chat.change.handler(async ({ input: { id, folders, ...change }, context: { services } }) => {
    if (folders === undefined) return services.chat.change(id, change);
    const known = services.conversations.get(id)?.folders ?? [];
    return services.chat.change(id, { ...change, folders: await foldersAt(folders, known) });
  }),
  remove: api.chat.remove.handler(({ input, context }) => ({
    facts: context.services.chat.remove(input.id),
  })),
  restore: api.chat.restore.handler(({ input, context }) =>
    context.services.forget.bringBack({ facts: [], conversations: [input.id] }),
  ),
  runTurn: api.chat.runTurn.handler(async ({ input, context }) => {
    const folders = input.folders && (await foldersAt(input.folders, []));
    await searchReady(context);
    return guarded(context.services.chat.runTurn({ ...input, folders }), context.services);
  }),
  capture: api.chat.capture.handler(({ input, context }) => context.services.chat.capture(input.text)),
  regenerate: api.chat.regenerate.handler(async ({ input, context }) => {
    await searchReady(context);
    return guarded(context.services.chat.regenerate(input.turnId), context.services);
  }),
  edit: api.chat.edit.handler(async ({ input, context }) => {
    await searchReady(context);
    return guarded(context.services.chat.edit(input.turnId, input.text, input.attachments), context.services);
  }),
  showBranch: api.chat.showBranch.handler(({ input, context }) =>
    context.services.chat.showBranch(input.turnId),
  ),
  stop: api.chat.stop.handler(({ input, context }) => context.services.chat.stop(input.turnId)),
  chooseVersion: api.chat.chooseVersion.handler(({ input, context }) =>
    context.services.chat.chooseVersion(input.turnId, input.version),
  ),
  export: api.chat.export.handler(({ input, context }) => exportConversation(context.services, input.id)),
  saveToVault: api.chat.saveToVault.handler(({ input, context }) => saveToVault(context.services, input)),
  import: api.chat.import.handler(async ({ input, context: { services } }) => {
    // The services of now: if the data is replaced meanwhile, the rest must not be written to the new data.
    const { events, vectors, ...present } = { ...services };
    const report = await importConversations(input, {
      ...present,
      tombstones: present.factStore.tombstones,
      keepAway: (id) => present.forgetTurns.keepAway(id),
      followTurns: () => present.facts.followTurns(),
    });
    present.ledger.sync({ afterImport: true });
    events.send({ type: 'conversations' });
    await vectors.settled();
    return report;
  }),
};
