import { importConversations } from '../chat/importConversations.ts';
import { api, guarded } from './implementer.ts';

export const chat = {
  list: api.chat.list.handler(({ input, context }) => context.services.chat.list(input.query)),
  get: api.chat.get.handler(({ input, context }) => context.services.chat.get(input.id)),
  rename: api.chat.rename.handler(({ input, context }) =>
    context.services.chat.rename(input.id, input.title),
  ),
  remove: api.chat.remove.handler(({ input, context }) => context.services.chat.remove(input.id)),
  restore: api.chat.restore.handler(({ input, context }) => context.services.chat.restore(input.id)),
  runTurn: api.chat.runTurn.handler(({ input, context: { services } }) =>
    guarded(services.chat.runTurn(input), services),
  ),
  regenerate: api.chat.regenerate.handler(({ input, context: { services } }) =>
    guarded(services.chat.regenerate(input.turnId), services),
  ),
  stop: api.chat.stop.handler(({ input, context }) => context.services.chat.stop(input.turnId)),
  chooseVersion: api.chat.chooseVersion.handler(({ input, context }) =>
    context.services.chat.chooseVersion(input.turnId, input.version),
  ),
  import: api.chat.import.handler(async ({ input, context: { services } }) => {
    const report = await importConversations(input, services);
    services.events.send({ type: 'conversations' });
    await services.vectors.settled();
    return report;
  }),
};
