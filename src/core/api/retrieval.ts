import { api } from './implementer.ts';

export const retrieval = {
  preview: api.retrieval.preview.handler(async ({ input, context: { services }, signal }) => {
    // A command asks once and goes: vectors that are still being opened are waited for. A turn does not wait.
    await services.vectors.start();
    return services.answerer.preview({ ...input, signal });
  }),
  search: api.retrieval.search.handler(async ({ input, context: { services } }) => {
    if (input.mode !== 'text') await services.vectors.start();
    return { results: await services.retriever.search(input) };
  }),
};
