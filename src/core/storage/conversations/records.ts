import type { Choices } from '../../../shared/choices.ts';
import type { Role, TurnSource } from '../../../shared/contract/chat.ts';
import type { ItemKind, SearchScope } from '../../../shared/contract/retrieval.ts';
import type { ErrorCode, ErrorParams, Language } from '../../../shared/errors.ts';
import type {
  ChunkId,
  ConversationId,
  FactId,
  MessageId,
  NoteId,
  SummaryId,
  TurnId,
  VaultId,
} from '../../../shared/ids.ts';

export interface ConversationRecord {
  id: ConversationId;
  channel: string;
  title: string;
  /** How many turns its active path has. */
  turns: number;
  /** The folders that it is about, as `folderPath` gives them. */
  folders: string[];
  /** What it has otherwise than its channel. */
  choices: Choices;
  /** The last message that it shows, its beginning; null if there is none, or far down in a long list. */
  lastMessage: { role: Role; text: string; at: number } | null;
  pinned: boolean;
  archived: boolean;
  createdAt: number;
  updatedAt: number;
}

export interface TurnRecord {
  id: TurnId;
  conversationId: ConversationId;
  /** In which order the turns of its conversation were made, from 1; an import may leave gaps. */
  ordinal: number;
  /** The turn that it was said after, with the version of its reply; null for a first turn. */
  parentId: TurnId | null;
  parentVersion: number | null;
  /** Is it on the active path of its conversation? */
  isActive: boolean;
  /** Is another turn shown in its place? */
  isReplaced: boolean;
  /** The first of the turns between which the user can switch, itself among them; null if there is no other. */
  fork: TurnId | null;
  /** Version of the reply that is shown. */
  activeVersion: number;
  source: TurnSource;
  /** The folders of its conversation when it was said. */
  folders: string[];
  createdAt: number;
}

export type MessageState = 'pending' | 'complete' | 'stopped' | 'failed' | 'interrupted';

export interface MessageRecord {
  id: MessageId;
  turnId: TurnId;
  role: Role;
  author: string | null;
  content: string;
  createdAt: number;
  /** Set on replies that this app wrote: 1 for the first, one more for each regeneration. */
  version: number | null;
  state: MessageState;
  model: string | null;
  language: Language | null;
  scope: SearchScope | null;
  error: StoredError | null;
  promptTokens: number | null;
  completionTokens: number | null;
  reasoning: string;
  promptCut: PromptCut | null;
  /** The model that was wanted, if another one had to answer. */
  wantedModel: string | null;
}

/** A coded error, as it is kept with a reply. */
export interface StoredError {
  code: ErrorCode;
  params: ErrorParams;
}

/** Tokens of a prompt that the server cut silently: as they were estimated when it was sent, and as the server counted them. */
export interface PromptCut {
  sent: number;
  reported: number;
}

export interface CitationRecord {
  ordinal: number;
  kind: ItemKind;
  itemId: ChunkId | TurnId | SummaryId | FactId;
  noteId: NoteId | null;
  vaultId: VaultId | null;
  path: string | null;
  title: string;
  heading: string[];
  textHash: string | null;
  score: number;
}

export interface NewMessage {
  id: MessageId;
  role: Role;
  author: string | null;
  content: string;
  createdAt: number;
}

export interface NewReply {
  id: MessageId;
  turnId: TurnId;
  version: number;
  model: string;
  language: Language;
  createdAt: number;
}

/** What closes a reply. */
export interface ReplyEnd {
  state: MessageState;
  content: string;
  /** What the model thought aloud. */
  reasoning: string;
  scope: SearchScope | null;
  citations: readonly CitationRecord[];
  error: StoredError | null;
  usage: { promptTokens: number | null; completionTokens: number | null } | null;
  /** Null unless the server cut the prompt. */
  promptCut: PromptCut | null;
  /** The model that answered in the place of the one that was wanted; null if that one answered. */
  fallback: { model: string; wanted: string } | null;
  /** Milliseconds that storing the message took, and the reply from its beginning to its end; null if nothing was answered. */
  timings: { store: number; reply: number } | null;
  /** What the reply brought along to be remembered, as the model wrote it; null if nothing. It is learnt, not stored. */
  memories: string | null;
}

/** What was said, message by message, each with its author if it has one; empty messages are left out. */
export function textOfMessages(
  messages: readonly Pick<NewMessage, 'author' | 'content'>[],
  separator: string,
): string {
  return messages
    .filter(({ content }) => content !== '')
    .map(({ author, content }) => (author ? `${author}: ${content}` : content))
    .join(separator);
}
