import { api } from './implementer.ts';

export const retrieval = {
  preview: api.retrieval.preview.handler(async ({ input, context: { services }, signal }) => {
    // A preview waits for the vectors, even just after a start, so that its answer is complete. A turn in a window does not
    // wait.
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
  filters: api.retrieval.filters.handler(({ context: { services } }) => ({
    folders: services.notes.folders(),
    authors: services.conversations.authors(),
  })),
};
