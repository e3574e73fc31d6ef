import type { Fact, StaleFact } from '../../../shared/contract/facts.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ChunkId, FactId, NoteId } from '../../../shared/ids.ts';
import type { Anchor, FactAnchors } from '../../storage/factAnchors.ts';
import type { ChunkRecord } from '../../storage/notes/chunks.ts';
import type { NoteStore } from '../../storage/notes/noteStore.ts';
import { blockHash, blocksOf, closestBlock } from '../../support/text/blocks.ts';
import type { Facts } from '../facts/facts.ts';

export interface DriftPorts {
  facts: Facts;
  notes: NoteStore;
  anchors: FactAnchors;
}

/** A block of a note, with its passage. */
interface Place {
  chunk: ChunkRecord;
  block: string;
}

type Settlement = { id: FactId } & (
  | { act: 'confirm' }
  | { act: 'change'; content: string }
  | { act: 'drop' }
);

/** Facts that were learnt from notes, and what the notes say by now. */
export class Drift {
  readonly #ports: DriftPorts;

  constructor(ports: DriftPorts) {
    this.#ports = ports;
  }

  /**
   * The block of a passage that a fact was learnt from: the one that comes closest to it, or else the whole passage.
   * @throws AppError NOT_FOUND if there is no such passage
   */
  anchorOf({ noteId, chunkId }: { noteId: NoteId; chunkId: ChunkId }, content: string): Anchor {
    const { notes } = this.#ports;
    const note = notes.get(noteId);
    const chunk = notes.chunks.get(chunkId);
    if (!note || chunk?.noteId !== noteId) throw new AppError('NOT_FOUND', { what: 'passage' });
    const block = closestBlock(content, blocksOf(chunk.markdown)) ?? chunk.markdown;
    return { vaultId: note.vaultId, path: note.path, heading: chunk.heading, hash: blockHash(block) };
  }

  /** Facts in use that are stale, the latest first, each with the block that comes closest now. */
  list(): StaleFact[] {
    const { facts, anchors } = this.#ports;
    return facts
      .getAll(anchors.stale())
      .filter(({ status }) => status === 'current')
      .sort((one, other) => (other.staleSince ?? 0) - (one.staleSince ?? 0))
      .map((fact) => ({ fact, now: this.now(fact) }));
  }

  /** The block of its note that comes closest to a fact now; null if there is none. */
  now(fact: Fact): StaleFact['now'] {
    const place = this.#closest(fact);
    return (
      place && {
        noteId: place.chunk.noteId,
        chunkId: place.chunk.id,
        heading: place.chunk.heading,
        markdown: place.block,
      }
    );
  }

  /**
   * Does what the user decided of a fact.
   * @throws AppError NOT_FOUND
   */
  settle(settlement: Settlement): Fact {
    const { facts, anchors } = this.#ports;
    const { id } = settlement;
    if (settlement.act === 'drop') return facts.remove([id])[0] as Fact;
    const fact =
      settlement.act === 'change' ? facts.edit(id, { content: settlement.content }) : facts.edit(id, {});
    const anchor = anchors.get(id);
    if (!anchor) return fact;
    const place = this.#closest(fact);
    anchors.set(
      id,
      place
        ? { ...anchor, heading: place.chunk.heading, hash: blockHash(place.block) }
        : { ...anchor, hash: null },
    );
    return facts.getAll([id])[0] as Fact;
  }

  /** The block closest to a fact: under the heading that it was learnt under, else anywhere in its note, else the first under that heading. */
  #closest({ content, anchor }: Fact): Place | null {
    const { notes } = this.#ports;
    const note = anchor && notes.byPath(anchor.vaultId, anchor.path);
    if (!note) return null;
    const chunks = notes.chunks.ofNote(note.id);
    const heading = JSON.stringify(anchor.heading);
    const section = chunks.filter((chunk) => JSON.stringify(chunk.heading) === heading);
    return closestPlace(content, section) ?? closestPlace(content, chunks) ?? firstPlace(section);
  }
}

const placesOf = (chunks: readonly ChunkRecord[]): Place[] =>
  chunks.flatMap((chunk) => blocksOf(chunk.markdown).map((block) => ({ chunk, block })));

const firstPlace = (chunks: readonly ChunkRecord[]): Place | null => placesOf(chunks)[0] ?? null;

function closestPlace(content: string, chunks: readonly ChunkRecord[]): Place | null {
  const places = placesOf(chunks);
  const closest = closestBlock(
    content,
    places.map(({ block }) => block),
  );
  return places.find(({ block }) => block === closest) ?? null;
}
