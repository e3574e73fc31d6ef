import { api } from './implementer.ts';

export const retrieval = {
  preview: api.retrieval.preview.handler(({ input, context }) => context.services.retriever.retrieve(input)),
  search: api.retrieval.search.handler(({ input, context }) => ({
    results: context.services.retriever.search(input),
  })),
};
