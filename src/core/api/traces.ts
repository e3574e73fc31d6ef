import { AppError } from '../../shared/errors.ts';
import { api } from './implementer.ts';

export const traces = {
  list: api.traces.list.handler(({ input, context }) => ({
    traces: context.services.context.traces(input.limit),
  })),
  get: api.traces.get.handler(({ input, context }) => {
    const trace = context.services.context.trace(input.id);
    if (!trace) throw new AppError('NOT_FOUND', { what: 'trace' });
    return trace;
  }),
  ofTurn: api.traces.ofTurn.handler(({ input, context: { services } }) => {
    const id = services.context.traceOf(input.turnId);
    return (id === undefined ? undefined : services.context.trace(id)) ?? null;
  }),
};
