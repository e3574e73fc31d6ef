import { api } from './implementer.ts';

export const forget = {
  read: api.forget.read.handler(({ input, context: { services } }) =>
    services.forget.read(input.message, input.conversationId ?? null),
  ),
  plan: api.forget.plan.handler(async ({ input, context: { services } }) => {
    services.search.start();
    await services.vectors.whenReady();
    return services.forget.plan(input);
  }),
  apply: api.forget.apply.handler(({ input, context: { services } }) =>
    services.forget.apply(input.ticked, input.now),
  ),
  undo: api.forget.undo.handler(async ({ input, context: { services } }) => ({
    restored: await services.forget.undo(input.at),
  })),
  check: api.forget.check.handler(async ({ input, context: { services } }) => {
    services.search.start();
    await services.vectors.whenReady();
    return services.forget.check(input.topic);
  }),
  eraseFromBackups: api.forget.eraseFromBackups.handler(({ context: { services } }) => {
    services.backupErasure.start();
    return services.backupErasure.read();
  }),
  backupErasure: api.forget.backupErasure.handler(({ context }) => context.services.backupErasure.read()),
};
