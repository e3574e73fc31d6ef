import { api } from './implementer.ts';

export const review = {
  list: api.review.list.handler(({ input, context }) => context.services.review.list(input)),
  settle: api.review.settle.handler(({ input, context: { services } }) => {
    const settled = services.review.settle(input.items);
    services.events.send({ type: 'facts' });
    return { settled };
  }),
  unsettle: api.review.unsettle.handler(({ input, context: { services } }) => {
    const unsettled = services.review.unsettle(input.items);
    services.events.send({ type: 'facts' });
    return { unsettled };
  }),
};
