import type { AppEvent } from '../../shared/contract/app.ts';
import type { DeletedItem } from '../../shared/contract/data.ts';
import type { Services } from '../services.ts';
import { api } from './implementer.ts';

/** Windows read again what may have gone or come back. */
function tell({ events }: Services): void {
  for (const type of ['facts', 'conversations', 'turns'] as const satisfies AppEvent['type'][])
    events.send({ type });
}

export const forget = {
  read: api.forget.read.handler(({ input, context: { services } }) =>
    services.forget.read(input.message, input.conversationId ?? null),
  ),
  plan: api.forget.plan.handler(async ({ input, context: { services } }) => {
    services.search.start();
    await services.vectors.whenReady();
    return services.forget.plan(input);
  }),
  apply: api.forget.apply.handler(async ({ input, context: { services } }) => {
    const done = await services.forget.apply(input.ticked);
    tell(services);
    if (input.now) {
      const items = services.recentlyDeleted.list().filter(({ deletedAt }) => deletedAt === done.at);
      services.recentlyDeleted.erase(
        items.map(({ what, id }): DeletedItem => ({ what, id })),
        done.at,
      );
      tell(services);
    }
    return done;
  }),
  undo: api.forget.undo.handler(({ input, context: { services } }) => {
    const restored = services.forget.undo(input.at);
    tell(services);
    return { restored };
  }),
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
