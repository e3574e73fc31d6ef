import { api } from './implementer.ts';

export const retrieval = {
  preview: api.retrieval.preview.handler(({ input, context }) => context.services.answerer.preview(input)),
  search: api.retrieval.search.handler(({ input, context }) => ({
    results: context.services.retriever.search(input),
  })),
};
