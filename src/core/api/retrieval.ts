import type { Services } from '../services.ts';
import { lookupKey } from '../support/paths.ts';
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
    folders: searchedFolders(services),
    authors: services.conversations.authors(),
  })),
};

/** Folders of notes find the conversations that are tied to them as well; a folder is offered by its path only if no note lies in it. */
function searchedFolders({
  notes,
  vaultStore,
  conversations,
}: Pick<Services, 'notes' | 'vaultStore' | 'conversations'>): string[] {
  const ofNotes = notes.folders();
  const offered = new Set(
    vaultStore.list().flatMap(({ path }) => ofNotes.map((folder) => lookupKey(`${path}/${folder}`))),
  );
  const tied = conversations.folders().map(({ folder }) => folder);
  return [
    ...ofNotes,
    ...tied
      .filter((folder) => !offered.has(lookupKey(folder)))
      .sort((one, other) => one.localeCompare(other)),
  ];
}
