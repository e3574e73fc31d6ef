import { api } from './implementer.ts';

export const summaries = {
  list: api.summaries.list.handler(({ input, context }) =>
    context.services.summaries.list(input.conversationId, input.level),
  ),
  get: api.summaries.get.handler(({ input, context }) => context.services.summarising.get(input.id)),
  correct: api.summaries.correct.handler(({ input, context }) =>
    context.services.summarising.correct(input.id, input.text),
  ),
  regenerate: api.summaries.regenerate.handler(({ input, context }) =>
    context.services.summarising.regenerate(input.id),
  ),
  remove: api.summaries.remove.handler(({ input, context }) => context.services.summarising.remove(input.id)),
  restore: api.summaries.restore.handler(({ input, context }) =>
    context.services.summarising.putBack(input.id),
  ),
};
