import type { Citation } from '../../shared/contract/chat.ts';
import type { Candidate } from '../../shared/contract/retrieval.ts';
import type { ChunkId, FactId, TurnId } from '../../shared/ids.ts';
import { makeExcerpt } from '../search/excerpt.ts';
import { readQuestion } from '../search/query/question.ts';
import { type CitationRecord, type ConversationStore, textOfMessages } from '../storage/conversations.ts';
import type { FactStore } from '../storage/facts.ts';
import type { ChunkRecord } from '../storage/notes/chunks.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { VaultRecord, VaultStore } from '../storage/vaults.ts';
import type { Clock } from '../support/clock.ts';
import { obsidianUrl } from '../support/obsidianUrl.ts';
import { toPlainText } from '../support/text/plainText.ts';

const CITED_CHARACTERS = 500;

export interface CitationPorts {
  vaults: VaultStore;
  notes: NoteStore;
  conversations: ConversationStore;
  factStore: FactStore;
  clock: Clock;
}

/** What is stored of a citation: where the passage stands, never its text. */
export function toCitationRecord(candidate: Candidate, ordinal: number, notes: NoteStore): CitationRecord {
  const isNote = candidate.kind === 'note';
  return {
    ordinal,
    kind: candidate.kind === 'summary' ? 'turn' : candidate.kind,
    itemId: candidate.id,
    noteId: candidate.noteId ?? null,
    vaultId: candidate.vaultId ?? null,
    path: candidate.path ?? null,
    title: candidate.title ?? '',
    heading: candidate.heading ?? [],
    textHash: isNote ? (notes.chunks.get(candidate.id as ChunkId)?.textHash ?? null) : null,
    score: candidate.score,
  };
}

/**
 * A stored citation as it reads today: the passage as it stands, `edited` where the one cited is no longer there but its
 * section is, `gone` where note or turn no longer exist.
 */
export function renderCitation(record: CitationRecord, question: string, ports: CitationPorts): Citation {
  if (record.kind === 'fact') return renderFact(record, question, ports);
  return record.kind === 'note' ? renderNote(record, question, ports) : renderTurn(record, question, ports);
}

function renderNote(record: CitationRecord, question: string, { vaults, notes }: CitationPorts): Citation {
  const note = record.noteId === null ? undefined : notes.get(record.noteId);
  const vault = record.vaultId === null ? undefined : vaults.get(record.vaultId);
  const { chunk, state } = findPassage(record, note, vault, notes);
  const place = {
    ordinal: record.ordinal,
    kind: 'note' as const,
    state,
    score: record.score,
    id: chunk?.id ?? record.itemId,
    title: note?.title ?? record.title,
    heading: chunk?.heading ?? record.heading,
    ...(record.noteId === null ? {} : { noteId: record.noteId }),
    ...(record.vaultId === null ? {} : { vaultId: record.vaultId }),
    ...(vault ? { vaultName: vault.name } : {}),
    ...((note?.path ?? record.path) === null ? {} : { path: note?.path ?? (record.path as string) }),
  };
  if (!chunk || !note || !vault) return { ...place, excerpt: '', marks: [], markdown: '' };
  const excerpt = makeExcerpt(toPlainText(chunk.markdown), readQuestion(question).weights, CITED_CHARACTERS);
  return {
    ...place,
    startLine: chunk.startLine,
    obsidianUrl: obsidianUrl(vault, note.path, chunk.heading),
    excerpt: excerpt.text,
    marks: excerpt.marks,
    markdown: chunk.markdown,
  };
}

function findPassage(
  record: CitationRecord,
  note: NoteRecord | undefined,
  vault: VaultRecord | undefined,
  notes: NoteStore,
): { chunk: ChunkRecord | undefined; state: Citation['state'] } {
  if (!note || !vault || vault.removedAt !== null) return { chunk: undefined, state: 'gone' };
  const same = notes.chunks.get(record.itemId as ChunkId);
  if (same) return { chunk: same, state: 'current' };
  const heading = JSON.stringify(record.heading);
  const section = notes.chunks.ofNote(note.id).find((chunk) => JSON.stringify(chunk.heading) === heading);
  return section ? { chunk: section, state: 'edited' } : { chunk: undefined, state: 'gone' };
}

function renderTurn(record: CitationRecord, question: string, { conversations }: CitationPorts): Citation {
  const turn = conversations.turn(record.itemId as TurnId);
  const conversation = turn && conversations.get(turn.conversationId);
  const place = {
    ordinal: record.ordinal,
    kind: 'turn' as const,
    score: record.score,
    id: record.itemId,
    heading: [],
  };
  if (!turn || !conversation) {
    return { ...place, state: 'gone', title: record.title, excerpt: '', marks: [], markdown: '' };
  }
  const messages = conversations.messages(turn.id);
  const text = textOfMessages(messages, '\n\n');
  const excerpt = makeExcerpt(text, readQuestion(question).weights, CITED_CHARACTERS);
  return {
    ...place,
    state: 'current',
    title: conversation.title,
    conversationId: conversation.id,
    messageIds: messages.map((message) => message.id),
    createdAt: turn.createdAt,
    excerpt: excerpt.text,
    marks: excerpt.marks,
    markdown: text,
  };
}

function renderFact(record: CitationRecord, question: string, { factStore, clock }: CitationPorts): Citation {
  const fact = factStore.get(record.itemId as FactId, clock.now());
  const place = {
    ordinal: record.ordinal,
    kind: 'fact' as const,
    score: record.score,
    id: record.itemId,
    heading: [],
  };
  if (!fact || fact.status === 'forgotten')
    return { ...place, state: 'gone', title: '', excerpt: '', marks: [], markdown: '' };
  const excerpt = makeExcerpt(fact.content, readQuestion(question).weights, CITED_CHARACTERS);
  return {
    ...place,
    state: 'current',
    title: '',
    ...(fact.conversationId === null ? {} : { conversationId: fact.conversationId }),
    createdAt: fact.updatedAt,
    excerpt: excerpt.text,
    marks: excerpt.marks,
    markdown: fact.content,
  };
}
