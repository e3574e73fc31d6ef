import type { StoreApi } from 'zustand/vanilla';
import type { ReadyAttachment } from '../../../shared/contract/attachments.ts';
import type { Citation, ConversationRow, Turn } from '../../../shared/contract/chat.ts';
import type { ForgetRequest } from '../../../shared/contract/forget.ts';
import type { Candidate, ItemKind } from '../../../shared/contract/retrieval.ts';
import type { ItemMark, TraceItem } from '../../../shared/contract/traces.ts';
import type { AttachmentId, ConversationId, FactId, NoteId, TurnId } from '../../../shared/ids.ts';
import type { Streams } from './replyStreams.ts';

/** Shown in the place of a channel: the archived conversations. No channel has this name, since names are trimmed. */
export const ARCHIVED = ' archived';

export type ConversationChange = Partial<
  Pick<ConversationRow, 'title' | 'channel' | 'pinned' | 'archived' | 'folders' | 'choices'>
>;

/** The conversations of the sidebar. */
export interface ListState {
  conversations: readonly ConversationRow[];
  query: string;
  /** The channel listed; null for every channel. */
  channel: string | null;
  channels: readonly { channel: string; conversations: number }[];
  archivedCount: number;
  /** The folder whose conversations are listed; null for all. */
  folder: string | null;
  folders: readonly { folder: string; conversations: number }[];
  setQuery(query: string): Promise<void>;
  setChannel(channel: string | null): Promise<void>;
  setFolder(folder: string | null): Promise<void>;
  clearFilter(): Promise<void>;
  refreshList(): Promise<void>;
  change(id: ConversationId, change: ConversationChange): Promise<void>;
  /** Returns the facts that came from the conversation: they stay. */
  remove(id: ConversationId): Promise<FactId[]>;
  restore(id: ConversationId): Promise<void>;
  removeFacts(ids: readonly FactId[]): Promise<void>;
  restoreFacts(ids: readonly FactId[]): Promise<void>;
}

/** A conversation that is read here, and the replies under way in it. */
export interface TalkState {
  /** Null: a new conversation, which exists once its first message is sent. */
  openId: ConversationId | null;
  turns: readonly Turn[];
  /** Are there turns before the first of `turns`? */
  hasOlder: boolean;
  loading: boolean;
  /** Where the reader stays after another branch was shown; null at the end of the conversation. */
  held: TurnId | null;
  /** Text and citations of the replies under way, as they come. */
  streams: Streams;
  /** Unsent text, by conversation; '' is the new one's. */
  drafts: Readonly<Record<string, string>>;
  inspected: Citation | null;
  /** It can be read, but not go on: the connection that a chat without memory lives by is gone. */
  isOver: boolean;
  /** Reads the turns before those that are here. */
  readOlder(): Promise<void>;
  setDraft(text: string): void;
  regenerate(turnId: TurnId): Promise<void>;
  stop(): Promise<void>;
  chooseVersion(turnId: TurnId, version: number): Promise<void>;
  inspect(citation: Citation | null): void;
}

export type TalkStore = StoreApi<TalkState>;

/** The open conversation. */
export interface TurnState extends TalkState {
  title: string;
  /** It as it was read last; it may be in no list that is shown. */
  opened: ConversationRow | null;
  /** The chat without memory is shown in its place. */
  showsMemoryless: boolean;
  /** What a model has just asked the user to forget; null once the plan is open. */
  toForget: string | null;
  showMemoryless(shown: boolean): void;
  open(id: ConversationId | null): Promise<void>;
  /** Reads the open conversation anew, without what was forgotten of it. One that was forgotten as a whole is closed. */
  reopen(): Promise<void>;
  /** Opens a conversation with its turns from the latest back to `turnId`. */
  openAt(id: ConversationId, turnId: TurnId): Promise<void>;
  /**
   * Sends the draft.
   * @param asIs also if it asks to forget something
   * @returns what it asks to forget: then it was not sent, and the draft is as it was
   */
  send(asIs?: boolean): Promise<ForgetRequest>;
  /** Reads again the turns whose reply is under way, but is not followed here. */
  readPending(): Promise<void>;
  /** Reads again the turns that cite a note which has changed since they were read. */
  followNotes(): Promise<void>;
  /** Reads again the turns that taught or cite a fact. */
  followFacts(): Promise<void>;
  /** Says something else in place of a turn, which stays beside the new one, with those of its attachments that are named. */
  editMessage(turnId: TurnId, text: string, attachments: readonly AttachmentId[]): Promise<void>;
  /** Shows a turn in place of its siblings, with what was said after it. */
  showBranch(turnId: TurnId): Promise<void>;
  /** Takes back what a turn taught of a fact; it is read again whether or not that succeeds. */
  unlearn(turnId: TurnId, factId: FactId): Promise<void>;
  /** Gives a fact that a turn taught another wording. */
  editLearnt(turnId: TurnId, factId: FactId, content: string): Promise<void>;
  /** What a turn was given and its reply does not cite. */
  givenNotCited(turn: Turn): Promise<TraceItem[]>;
  /** Says of an item that a turn was given whether it is useful there. */
  mark(input: { turnId: TurnId; kind: ItemKind; itemId: string; mark: ItemMark | null }): Promise<void>;
  /** Candidates of a turn that were not given, best first. */
  nearest(turn: Turn): Promise<Candidate[]>;
  /** The plan of what is to be forgotten is open. */
  planOpened(): void;
}

/** What is to be sent with a message. */
export interface Pending {
  id: string;
  /** Of the file, or the note's title. */
  name: string;
  /** Null while it is read. */
  ready: ReadyAttachment | null;
}

/** What is attached to messages that are not sent yet. */
export interface AttachState {
  /** By conversation, as drafts. */
  attached: Readonly<Record<string, readonly Pending[]>>;
  /** Reads a file, to be sent with the draft. It is shown at once, and goes again if it cannot be read. */
  attachFile(file: File): Promise<void>;
  attachNote(note: { id: NoteId; title: string }): Promise<void>;
  detach(id: string): void;
}

export type ChatState = ListState & TurnState & AttachState;
export type ChatStore = StoreApi<ChatState>;

/** The text that was asked in a turn. */
export function questionOf(turn: Turn): string {
  return turn.messages
    .filter((message) => message.role === 'user')
    .map((message) => message.content)
    .join('\n\n');
}

/** The reply that a turn shows; undefined for an imported turn. */
export function shownReply(turn: Turn) {
  return turn.replies.find(({ version }) => version === turn.activeVersion) ?? turn.replies.at(-1);
}

/** Is a reply of the turn being written, here or elsewhere? */
export function isPending(turn: Turn): boolean {
  return shownReply(turn)?.state === 'pending';
}

/** Is a reply being written in the open conversation? */
export function isReplying({ turns }: Pick<TalkState, 'turns'>): boolean {
  return turns.some(isPending);
}

/** How the actions read and change the store. */
export interface StoreAccess {
  set: ChatStore['setState'];
  get: ChatStore['getState'];
  /** Runs work before the next painting of the window. */
  nextFrame: (work: () => void) => void;
}

/** Key of a conversation's draft; '' is the new one's. */
export const draftKey = (id: ConversationId | null): string => id ?? '';

/** The draft of a conversation, with a text that could not be sent put back before it. */
export function withUnsent(
  { drafts }: Pick<TalkState, 'drafts'>,
  key: string,
  text: string,
): Pick<TalkState, 'drafts'> {
  const typed = drafts[key] ?? '';
  return { drafts: { ...drafts, [key]: typed === '' ? text : `${text}\n\n${typed}` } };
}

/** The same, with what was attached to it. */
export function withUnsentMessage(
  state: Pick<TalkState, 'drafts'> & Pick<AttachState, 'attached'>,
  key: string,
  { text, pending }: { text: string; pending: readonly Pending[] },
): Pick<TalkState, 'drafts'> & Pick<AttachState, 'attached'> {
  const { attached } = state;
  return {
    ...withUnsent(state, key, text),
    attached: { ...attached, [key]: [...pending, ...(attached[key] ?? [])] },
  };
}

/** Turns with one put in its place, or added at the end. */
export function withTurn(
  { openId, turns }: Pick<TalkState, 'openId' | 'turns'>,
  turn: Turn,
): Partial<Pick<TalkState, 'turns'>> {
  if (openId !== turn.conversationId) return {};
  const known = turns.some(({ id }) => id === turn.id);
  return { turns: known ? turns.map((other) => (other.id === turn.id ? turn : other)) : [...turns, turn] };
}
