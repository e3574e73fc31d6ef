import { api } from './implementer.ts';

export const retrieval = {
  preview: api.retrieval.preview.handler(async ({ input, context: { services }, signal }) => {
    // Whoever asks for what would be retrieved wants the whole answer, also just after a start. A turn of a window does not wait.
    services.search.start();
    await services.vectors.whenReady();
    await services.search.whenReady();
    return services.answerer.preview({ ...input, signal });
  }),
  search: api.retrieval.search.handler(async ({ input, context: { services } }) => {
    services.search.start();
    if (input.mode !== 'text') await services.vectors.whenReady();
    return { results: await services.search.search(input) };
  }),
};
