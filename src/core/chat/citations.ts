import type { Citation } from '../../shared/contract/chat.ts';
import { isKind, items, type Kind } from '../items/index.ts';
import type { AttachmentStore } from '../storage/attachments.ts';
import type { BlockItem } from '../storage/contextBlocks.ts';
import type { CitationRecord, ConversationStore } from '../storage/conversations.ts';
import type { FactStore } from '../storage/facts.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { SummaryStore } from '../storage/summaries.ts';
import type { VaultStore } from '../storage/vaults.ts';
import type { Clock } from '../support/clock.ts';
import { RecentExcerpts } from './recentExcerpts.ts';

export interface CitationPorts {
  vaults: VaultStore;
  notes: NoteStore;
  conversations: ConversationStore;
  factStore: FactStore;
  summaries: SummaryStore;
  attachments: Pick<AttachmentStore, 'placed'>;
  clock: Clock;
}

/** What citations that are read again and again show. */
const recentExcerpts = new RecentExcerpts();

/** What is stored of a citation: where the item stands, never its text. */
export function toCitationRecord(
  item: BlockItem,
  ordinal: number,
  stores: Pick<CitationPorts, 'notes'>,
): CitationRecord {
  return {
    ordinal,
    kind: item.kind,
    itemId: item.id as CitationRecord['itemId'],
    title: item.title,
    heading: [...item.heading],
    score: item.score,
    ...items[existing(item.kind)].cite(item.id, stores),
  };
}

/**
 * A stored citation as it reads today: the item as it is now, `edited` if the passage was replaced by another under the same
 * heading, `gone` if the item no longer exists.
 * @param question decides which part of a long item the excerpt shows
 */
export function renderCitation(record: CitationRecord, question: string, ports: CitationPorts): Citation {
  const { vaults, notes, conversations, factStore, summaries, attachments, clock } = ports;
  const stores = { vaults, notes, conversations, facts: factStore, summaries, attachments };
  const { place, text } = items[existing(record.kind)].readCited(record, stores, clock.now());
  const { ordinal, score } = record;
  if (!text) return { ...place, ordinal, score, excerpt: '', marks: [], markdown: '' };
  const excerpt = recentExcerpts.get(question, text);
  return {
    ...place,
    ordinal,
    score,
    excerpt: excerpt.text,
    marks: excerpt.marks,
    markdown: text.markdown,
  };
}

/** @throws Error for a kind that nothing describes; no row can be of such a kind */
function existing(kind: string): Kind {
  if (!isKind(kind)) throw new Error(`there are no items of kind ${kind}`);
  return kind;
}
