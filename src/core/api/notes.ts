import type { ContextNotes, NoteDetail, NoteLink, Passage } from '../../shared/contract/notes.ts';
import { AppError } from '../../shared/errors.ts';
import type { NoteId } from '../../shared/ids.ts';
import type { Services } from '../services.ts';
import type { ChunkRecord } from '../storage/notes/chunks.ts';
import { obsidianUrl } from '../support/obsidianUrl.ts';
import { nameKey } from '../support/paths.ts';
import { resolveLink } from '../vaults/obsidian/linkGraph.ts';
import { api } from './implementer.ts';

function readDetail(id: NoteId, services: Services): NoteDetail {
  const { notes, vaultStore, conversations } = services;
  const row = notes.row(id);
  const vault = row && vaultStore.get(row.vaultId);
  if (!vault) throw new AppError('NOT_FOUND', { what: 'note' });
  const key = nameKey(row.path);
  const namesakes = notes.byName(vault.id, key);
  return {
    note: row,
    ...notes.labels(id),
    obsidianUrl: obsidianUrl(vault, row.path),
    passages: notes.chunks.ofNote(id).map(toPassage),
    links: notes.links
      .ofNote(id)
      .filter((link) => link.target !== '')
      .map(({ kind, target, line }): NoteLink => {
        const note = resolveLink(target, notes.byName(vault.id, nameKey(target)));
        return { kind, target, line, note: note && { id: note.id, title: note.title, path: note.path } };
      }),
    backlinks: notes.links
      .naming(vault.id, key)
      .filter((link) => link.noteId !== id && resolveLink(link.target, namesakes)?.id === id)
      .map(({ noteId, title, path, line }) => ({ id: noteId, title, path, line })),
    usedIn: conversations.citing(id),
  };
}

function toPassage({ id, heading, startLine, endLine, markdown, tokens }: ChunkRecord): Passage {
  return { id, heading, startLine, endLine, markdown, tokens };
}

/** Notes that a query of the table names inexactly. */
const MOST_NAMED = 200;

/** Maximum number of tagged notes in the list. */
const TAGGED_SHOWN = 200;

function contextNotes(services: Services): ContextNotes {
  const { pinnedNotes, contextTag } = services.settings.read();
  const rowOf = (id: NoteId | undefined) => (id === undefined ? null : (services.notes.row(id) ?? null));
  return {
    pinned: pinnedNotes.map((entry) => ({ entry, note: rowOf(services.names.atPaths([entry])[0]) })),
    tagged: services.names
      .tagged(contextTag, TAGGED_SHOWN)
      .map(rowOf)
      .filter((row) => row !== null),
  };
}

export const notes = {
  list: api.notes.list.handler(async ({ input, context: { services } }) =>
    services.notes.list({ ...input, named: await services.search.notesLike(input.query, MOST_NAMED) }),
  ),
  get: api.notes.get.handler(({ input, context }) => readDetail(input.id, context.services)),
  stamps: api.notes.stamps.handler(({ input, context }) => ({
    stamps: context.services.notes.stamps(input.ids),
  })),
  context: api.notes.context.handler(({ context }) => contextNotes(context.services)),
  retry: api.notes.retry.handler(({ input, context }) => context.services.vaults.retry(input.ids)),
};
