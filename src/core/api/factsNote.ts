import { api } from './implementer.ts';

export const factsNote = {
  status: api.factsNote.status.handler(({ context }) => context.services.factsNote.status),
  sync: api.factsNote.sync.handler(async ({ context: { services } }) => {
    await services.factsNote.sync();
    return services.factsNote.status;
  }),
  answer: api.factsNote.answer.handler(async ({ input, context: { services } }) => {
    await services.factsNote.sync({ answer: input.act });
    return services.factsNote.status;
  }),
  conflicts: api.factsNote.conflicts.handler(({ context }) => ({
    conflicts: context.services.factsNote.conflicts(),
  })),
  settleConflict: api.factsNote.settleConflict.handler(({ input, context }) =>
    context.services.factsNote.settleConflict(input.id, input.keep),
  ),
};
