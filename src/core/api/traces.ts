import type { Trace } from '../../shared/contract/traces.ts';
import { AppError } from '../../shared/errors.ts';
import type { Services } from '../services.ts';
import { api } from './implementer.ts';

export const traces = {
  list: api.traces.list.handler(({ input, context }) => ({
    traces: context.services.retrievals.latest(input.limit),
  })),
  get: api.traces.get.handler(({ input, context: { services } }) => {
    const trace = readTrace(services, input.id);
    if (!trace) throw new AppError('NOT_FOUND', { what: 'trace' });
    return trace;
  }),
  marked: api.traces.marked.handler(({ context }) => ({
    questions: context.services.itemMarks.questions(),
  })),
  embedders: api.traces.embedders.handler(({ context }) => context.services.otherEmbedders.list()),
  replay: api.traces.replay.handler(async ({ input, context: { services }, signal }) => {
    services.search.start();
    await services.vectors.whenReady();
    await services.search.whenReady();
    return services.replays.replay(input, signal);
  }),
  selfTest: api.traces.selfTest.handler(async ({ input, context: { services }, signal }) => {
    services.search.start();
    await services.vectors.whenReady();
    await services.search.whenReady();
    return services.selfTests.run(input, signal);
  }),
  mark: api.traces.mark.handler(({ input: { mark, ...item }, context: { services } }) => {
    const { itemMarks, conversations, clock } = services;
    if (conversations.turnsInUse([item.turnId]).length === 0)
      throw new AppError('NOT_FOUND', { what: 'turn' });
    return { before: itemMarks.set(item, mark, clock.now()) };
  }),
  ofTurn: api.traces.ofTurn.handler(({ input, context: { services } }) => {
    const id = services.retrievals.latestOfTurn(input.turnId);
    return (id === undefined ? undefined : readTrace(services, id)) ?? null;
  }),
};

/** A retrieval with the prompt that the model received, and what the server reported about it. */
function readTrace({ retrievals, prompts, conversations }: Services, id: string): Trace | undefined {
  const trace = retrievals.get(id);
  if (!trace) return undefined;
  const { turnId, version } = trace;
  if (turnId === null || version === null) return { ...trace, prompt: null, promptCut: null };
  const reply = conversations.messages(turnId).find((message) => message.version === version);
  return { ...trace, prompt: prompts.get(turnId, version), promptCut: reply?.promptCut ?? null };
}
