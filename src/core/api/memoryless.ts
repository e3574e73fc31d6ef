import { api, guarded } from './implementer.ts';
import { searchReady } from './vectorsReady.ts';

export const memoryless = {
  open: api.memoryless.open.handler(({ context: { services }, signal }) =>
    guarded(services.memoryless.open(signal), services),
  ),
  runTurn: api.memoryless.runTurn.handler(async ({ input, context }) => {
    if (input.notes) await searchReady(context);
    return guarded(context.services.memoryless.runTurn(input), context.services);
  }),
  regenerate: api.memoryless.regenerate.handler(({ input, context }) =>
    guarded(context.services.memoryless.regenerate(input), context.services),
  ),
  chooseVersion: api.memoryless.chooseVersion.handler(({ input: { id, version }, context }) =>
    context.services.memoryless.chooseVersion(id, version),
  ),
  stop: api.memoryless.stop.handler(({ input, context }) => context.services.memoryless.stop(input.id)),
  keep: api.memoryless.keep.handler(({ input, context }) => context.services.memoryless.keep(input.id)),
};
