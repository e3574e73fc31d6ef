import type { Citation } from '../../shared/contract/chat.ts';
import type { SearchResult } from '../../shared/contract/retrieval.ts';
import type { AttachmentStore } from '../storage/attachments.ts';
import type { CitationRecord, ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { SummaryStore } from '../storage/summaries.ts';
import type { TurnLabel } from '../storage/turnLabels.ts';
import type { VaultStore } from '../storage/vaults.ts';

/** What ranking needs to know of a row beside its terms and its vector. */
export interface RowKeys {
  rowid: number;
  id: string;
  /** When what it tells of was said; milliseconds since 1970. Passages of notes have none. */
  createdAt?: number;
  /** The conversation of a turn. */
  conversationId?: string;
  /** How many notes link to a passage's note. */
  backlinks?: number;
}

/** The keys of a row that are kept in memory: those that change only with the row itself. */
export interface KnownRow extends Omit<RowKeys, 'backlinks'> {
  /** The place of a turn in its conversation. */
  ordinal?: number;
}

/** A row as search reads it: the terms of its full-text fields (space-joined, in order) serve exact scoring. */
export interface ItemRow extends RowKeys {
  fields: Record<string, string>;
  termCount: number;
  /** What `ItemDescription.quotedHash` gives for it. */
  quotedHash: string;
}

/** The stores that item descriptions read. */
export interface ItemStores {
  db: Db;
  vaults: VaultStore;
  notes: NoteStore;
  conversations: ConversationStore;
  facts: FactStore;
  summaries: SummaryStore;
  attachments: Pick<AttachmentStore, 'placed'>;
}

/** The contentless FTS5 table of a kind; its row ids are those of the kind's own table. */
export interface FullTextTable {
  table: string;
  /** Its `fts5vocab` table. */
  vocabulary: string;
  fields: readonly string[];
  /** BM25 weight of each field, by which FTS5 orders what it finds. */
  weights: readonly number[];
  /** Replaces some of the weights by which rows are scored exactly (`search/lexical/textScore.ts`). */
  fieldWeights?: Readonly<Record<string, number>>;
  /** How much the length of a body counts, from 0 to 1; `LENGTH_COUNTS` by default (`search/lexical/textScore.ts`). */
  lengthCounts?: number;
  /** SQL that selects the row id and the terms of `fields`, in that order, for every row. */
  content: string;
  /** What changes `content`. */
  changes: readonly RowChange[];
}

/** A change of a table, as a trigger names it, and SQL that selects the row ids of the items that it changes. */
export interface RowChange {
  after: string;
  rowids: string;
}

/** What a search result says of an item beside its kind, score and excerpt. */
export type ItemPlace = Omit<SearchResult, 'kind' | 'score' | 'excerpt' | 'marks'>;

/** An item that a search found, as a reader sees it. */
export interface ItemReading {
  place: ItemPlace;
  /** The whole item as plain text. */
  text: string;
  /** Of a turn: what stands beside it where it is quoted. */
  label?: TurnLabel | undefined;
  /** Does it only ask, and tell nothing? `terms` are those of the question that is asked now. */
  onlyAsks(terms: ReadonlyMap<string, number>): boolean;
}

/** What a citation stores beside its number, kind, id, title, heading and score. */
export type CitedPlace = Pick<CitationRecord, 'noteId' | 'vaultId' | 'path' | 'textHash'>;

/** What a stored citation points at now. */
export interface CitedItem {
  /** What the rendered citation says beside number, score, excerpt and text. */
  place: Omit<Citation, 'ordinal' | 'score' | 'excerpt' | 'marks' | 'markdown'>;
  /** The whole item, as Markdown to be shown and as plain text to cut an excerpt from; null if it no longer exists. */
  text: { markdown: string; plain(): string } | null;
}

export interface TermWriter {
  /** Raised when the same row would give another text: at the next start all rows are written again. */
  version: number;
  /** Of a database of version `since` only these rows `r` give another text. */
  changed?: { since: number; rows: string };
  /** Writes terms and full text of a row again. */
  rewrite(stores: ItemStores, id: string): void;
}

/**
 * Everything that the rest of the core needs to know of one kind of item that can be remembered. SQL that depends on the time
 * takes the parameter `@now` (milliseconds since 1970).
 */
export interface ItemDescription<Row extends ItemRow> {
  /** The name of the kind in keys of vectors and in rows of the outbox. */
  storedAs: string;
  /** Its table, which has `rowid`, `id`, `text_hash` and `term_count`. */
  table: string;
  fullText: FullTextTable;
  /** The SQL condition under which the row called `row` may be found, quoted and embedded. */
  inUse(row: string): string;
  /** SQL that selects `id` and `hash` of every row that should have a vector. */
  vectors: string;
  /** The FROM clause that joins a row `r` to its conversation `v`; null if the kind belongs to no conversation. */
  inConversation: string | null;
  /** The SQL condition under which the row called `row` is of the time from `@from` until before `@to`. */
  happened(row: string): string;
  /** The SQL condition under which the path of the row called `row` begins with `@folder`; null if the kind has no folders. */
  inFolder: ((row: string) => string) | null;
  /** The SQL condition under which a row `r` belongs to no conversation and is part of every scope; null if no row does. */
  inEveryScope: string | null;
  /** An SQL expression: the hash of what a context block quotes of the item with this id; NULL if it is not in use. */
  quotedHash(id: string): string;
  /**
   * An SQL condition: the item was erased, and nothing that quotes it may go on doing so. The expressions give its id and, if it is a
   * passage, its note's path.
   */
  isErased(item: { id: string; path: string }): string;
  /** Is a row of `keys` in use exactly while its conversation is? Then that is asked, for all of its rows at once. */
  isUsedWithConversation: boolean;
  /** SQL that selects the columns of `KnownRow` for every row that `fullText.content` has, in use or not. */
  keys: string;
  /** An SQL expression: how many notes link to the note of the row called `row`; null if that says nothing of the kind. */
  backlinks: ((row: string) => string) | null;
  /** The rows in use among `rowids`. */
  load(db: Db, rowids: readonly number[], now: number): Row[];
  /** Reads rows that were found, in their order. */
  read(rows: readonly Row[], stores: Pick<ItemStores, 'conversations' | 'db'>): ItemReading[];
  /** What the vector of a row is made from; null if the row was deleted or is not in use. */
  embeddable(db: Db, id: string, now: number): { hash: string; text: string } | null;
  /** How terms and full text of a row follow from it; null for rows that are read again from the disk. */
  terms: TermWriter | null;
  /** Where the item with this id stands, which a reply cites. */
  cite(id: string, stores: Pick<ItemStores, 'notes'>): CitedPlace;
  /** Reads what a stored citation points at now. */
  readCited(record: CitationRecord, stores: Omit<ItemStores, 'db'>, now: number): CitedItem;
}
