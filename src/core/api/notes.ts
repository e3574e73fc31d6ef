import type { ContextNotes, NoteDetail, NoteLink, NoteRow } from '../../shared/contract/notes.ts';
import { AppError } from '../../shared/errors.ts';
import type { NoteId } from '../../shared/ids.ts';
import type { Services } from '../app.ts';
import type { NoteRecord } from '../storage/notes.ts';
import { obsidianUrl } from '../support/obsidianUrl.ts';
import { nameKey } from '../support/paths.ts';
import { resolveLink } from '../vaults/obsidian/linkGraph.ts';
import { api } from './implementer.ts';

/** A note in use, with its vault; null where it or its vault is gone. */
function find(id: NoteId, { notes, vaultStore }: Services) {
  const note = notes.get(id);
  const vault = note && vaultStore.get(note.vaultId);
  if (!note || !vault || vault.removedAt !== null) return null;
  const { tags, aliases, indexedAt } = notes.labels(id);
  const row: NoteRow = {
    id: note.id,
    vaultId: note.vaultId,
    vaultName: vault.name,
    path: note.path,
    title: note.title,
    status: note.status,
    reason: note.reason,
    detail: note.detail,
    chunks: note.chunkCount,
    bytes: note.bytes,
    modifiedAt: Math.round(Math.max(0, note.mtimeMs)),
    indexedAt,
  };
  return { note, vault, row, tags, aliases };
}

function detail(id: NoteId, services: Services): NoteDetail {
  const found = find(id, services);
  if (!found) throw new AppError('NOT_FOUND', { what: 'note' });
  const { note, vault, row, tags, aliases } = found;
  const { notes, conversations } = services;
  const place = ({ id: noteId, title, path }: NoteRecord) => ({ id: noteId, title, path });
  const meaning = (target: string): NoteRecord | null =>
    resolveLink(target, notes.byName(note.vaultId, nameKey(target)));
  return {
    note: row,
    tags,
    aliases,
    obsidianUrl: obsidianUrl(vault, note.path),
    passages: notes.chunks(id).map(({ id: chunkId, heading, startLine, endLine, markdown, tokens }) => ({
      id: chunkId,
      heading,
      startLine,
      endLine,
      markdown,
      tokens,
    })),
    links: notes
      .links(id)
      .filter((link) => link.target !== '')
      .map(({ kind, target, line }): NoteLink => {
        const found = meaning(target);
        return { kind, target, line, note: found && place(found) };
      }),
    backlinks: notes
      .linksNaming(note.vaultId, nameKey(note.path))
      .filter((link) => link.note_id !== id && meaning(link.target)?.id === id)
      .map((link) => ({ id: link.note_id as NoteId, title: link.title, path: link.path, line: link.line })),
    usedIn: conversations.citing(id),
  };
}

/** Tagged notes that are listed. */
const TAGGED_SHOWN = 200;

function contextNotes(services: Services): ContextNotes {
  const { pinnedNotes, contextTag } = services.settings.read();
  const rowOf = (id: NoteId | undefined) => (id === undefined ? null : (find(id, services)?.row ?? null));
  return {
    pinned: pinnedNotes.map((entry) => ({ entry, note: rowOf(services.names.atPaths([entry])[0]) })),
    tagged: services.names
      .tagged(contextTag, TAGGED_SHOWN)
      .map(rowOf)
      .filter((row) => row !== null),
  };
}

export const notes = {
  list: api.notes.list.handler(({ input, context }) => context.services.notes.list(input)),
  get: api.notes.get.handler(({ input, context }) => detail(input.id, context.services)),
  context: api.notes.context.handler(({ context }) => contextNotes(context.services)),
  retry: api.notes.retry.handler(({ input, context }) => context.services.vaults.retry(input.ids)),
};
