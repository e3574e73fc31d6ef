import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { Choices } from '../choices.ts';
import { AttachmentId, ConversationId, FactId, MessageId, NoteId, TurnId, VaultId } from '../ids.ts';
import { Attachment, MOST_ATTACHMENTS } from './attachments.ts';
import { base, Timestamp } from './base.ts';
import { Learnt } from './facts.ts';
import { PromptCut } from './prompt.ts';
import { Mark, Retrieval, SearchScope } from './retrieval.ts';
import { ToolCall } from './tools.ts';
import { ItemMark } from './traces.ts';

export const Role = z.enum(['user', 'assistant', 'system', 'tool']);
export type Role = z.infer<typeof Role>;

/** Who a turn comes from: the user, a job's own message, a thought that was captured, or an imported history. */
export const TurnSource = z.enum(['user', 'system', 'capture', 'import']);
export type TurnSource = z.infer<typeof TurnSource>;

/** `edited`: the passage has changed since, and `excerpt` is its present text. `gone`: the passage no longer exists. */
export const CitationState = z.enum(['current', 'edited', 'gone']);

export const Citation = z.object({
  ordinal: z.number().int(),
  kind: z.enum(['note', 'turn', 'summary', 'fact', 'attachment']),
  state: CitationState,
  score: z.number(),
  id: z.string(),
  noteId: NoteId.optional(),
  /** The note's stamp when the citation was read, as `notes.stamps` gives it. */
  noteStamp: z.string().nullable().optional(),
  vaultId: VaultId.optional(),
  vaultName: z.string().optional(),
  title: z.string(),
  path: z.string().optional(),
  heading: z.array(z.string()),
  startLine: z.number().int().optional(),
  obsidianUrl: z.string().optional(),
  conversationId: ConversationId.optional(),
  messageIds: z.array(MessageId).optional(),
  createdAt: Timestamp.optional(),
  excerpt: z.string(),
  marks: z.array(Mark),
  /** The whole passage, as Markdown. */
  markdown: z.string(),
});
export type Citation = z.infer<typeof Citation>;

export const ReplyState = z.enum(['pending', 'complete', 'stopped', 'failed', 'interrupted']);

/** What a message of small talk is. */
export const Courtesy = z.enum(['greeting', 'thanks', 'farewell', 'agreement']);
export type Courtesy = z.infer<typeof Courtesy>;

/**
 * Why a reply of Passages cites nothing. A message of small talk, and one that is answered without notes and memory, is not searched for;
 * of what a source that failed would have answered, nothing is known.
 */
export const WhyEmpty = z.enum(['nothing-found', 'partly-searched', 'not-searched', ...Courtesy.options]);
export type WhyEmpty = z.infer<typeof WhyEmpty>;

/** One reply to a turn; regenerating adds a version and keeps the others. */
export const ReplyVersion = z.object({
  messageId: MessageId,
  version: z.number().int(),
  state: ReplyState,
  model: z.string(),
  language: z.enum(['en', 'fr']),
  /** The model's text; empty for the Passages model, whose reply is its citations. */
  content: z.string(),
  /** The model's reasoning before its reply; shown folded, and never sent to a model again. */
  reasoning: z.string(),
  /**
   * Tokens of the prompt, estimated and counted by the server. Set only if the server counted far fewer: it cut the prompt
   * silently.
   */
  promptCut: PromptCut.nullable(),
  /** The model that was chosen, if it is no longer there and another one answered; null otherwise. */
  wantedModel: z.string().nullable(),
  citations: z.array(Citation),
  /** The tools that the model called, in order. */
  tools: z.array(ToolCall),
  scope: SearchScope,
  /** Null if it holds something, is not complete, or if a model wrote it. */
  whyEmpty: WhyEmpty.nullable(),
  /** Why the reply failed, or was cut short. */
  error: z
    .object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) })
    .nullable(),
  promptTokens: z.number().int().nullable(),
  completionTokens: z.number().int().nullable(),
  createdAt: Timestamp,
});
export type ReplyVersion = z.infer<typeof ReplyVersion>;

export const Turn = z.object({
  id: TurnId,
  conversationId: ConversationId,
  messages: z.array(
    z.object({
      id: MessageId,
      role: Role,
      author: z.string().nullable(),
      content: z.string(),
      createdAt: Timestamp,
    }),
  ),
  replies: z.array(ReplyVersion),
  activeVersion: z.number().int(),
  /** The turns between which the user can switch at its place, itself among them, in the order in which they were made; empty if there is no other. */
  siblings: z.array(TurnId),
  /** Is it shown, or on another branch? */
  isActive: z.boolean(),
  source: TurnSource,
  /** Characters of what it shows. */
  characters: z.number().int(),
  /** The folders of its conversation when it was said. */
  folders: z.array(z.string()),
  /** What was attached to its messages, in order. */
  attachments: z.array(Attachment),
  /** Facts learnt from the turn, without those undone or forgotten since. */
  learnt: z.array(Learnt),
  /** What the user said of items that it was given. */
  itemMarks: z.array(z.object({ itemId: z.string(), mark: ItemMark })),
  /** How many facts it suggested that wait for the user's word. */
  toReview: z.number().int(),
  createdAt: Timestamp,
});
export type Turn = z.infer<typeof Turn>;

export const ConversationRow = z.object({
  id: ConversationId,
  channel: z.string(),
  title: z.string(),
  /** How many turns are shown. */
  turns: z.number().int(),
  /** The folders that it is about, absolute, with symbolic links resolved. */
  folders: z.array(z.string()),
  /** What it has otherwise than its channel. */
  choices: Choices,
  /** The beginning of the last message that it shows; null if there is none, and after the first 500 of a list. */
  lastMessage: z.object({ role: Role, text: z.string(), at: Timestamp }).nullable(),
  pinned: z.boolean(),
  /** Archived conversations are not listed, but search finds them and replies use them. */
  archived: z.boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type ConversationRow = z.infer<typeof ConversationRow>;

export const TurnEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('accepted'), conversationId: ConversationId, turn: Turn }),
  z.object({ type: z.literal('retrieved'), retrieval: Retrieval }),
  z.object({ type: z.literal('citation'), citation: Citation }),
  z.object({ type: z.literal('text'), delta: z.string() }),
  z.object({ type: z.literal('reasoning'), delta: z.string() }),
  /** The reasoning had no opening tag: every `text` so far was reasoning, and the reply begins here. */
  z.object({ type: z.literal('text-was-reasoning') }),
  /** A tool is called, or has answered; the same ordinal then. */
  z.object({ type: z.literal('tool'), call: ToolCall }),
  z.object({ type: z.literal('done'), turn: Turn }),
]);
export type TurnEvent = z.infer<typeof TurnEvent>;

export const ImportFile = z.object({
  conversations: z.array(
    z.object({
      id: ConversationId,
      channel: z.string().min(1).max(100).default('import'),
      title: z.string().max(1_000).default(''),
      messages: z.array(
        z.object({
          id: MessageId,
          role: Role,
          author: z.string().max(500).nullish(),
          content: z.string(),
          /** ISO 8601, or milliseconds since 1970. */
          createdAt: z.union([z.string().min(4), z.number()]),
        }),
      ),
    }),
  ),
});
export type ImportFile = z.infer<typeof ImportFile>;

export const ImportReport = z.object({
  /** New conversations. */
  conversations: z.number().int(),
  /** Deleted conversations that the import restored. */
  restored: z.number().int(),
  turns: z.number().int(),
  messages: z.number().int(),
  /** Messages that were already stored. */
  unchanged: z.number().int(),
  /** Turns left out because they were forgotten. */
  forgotten: z.number().int(),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** What a user sends. */
export const MessageText = z.string().trim().min(1).max(100_000);
const text = MessageText;

/** Of a conversation. A project seldom lies in more places. */
export const MOST_FOLDERS = 20;

const byId = z.object({ id: ConversationId });
const channel = z.string().trim().min(1).max(100);
const folder = z.string().trim().min(1).max(4_096);
const attachments = z.array(AttachmentId).max(MOST_ATTACHMENTS);

export const chat = {
  /**
   * Pinned conversations first, then the most recent. With `archived`, only archived ones; otherwise none of them. `query`
   * matches part of a title, or prefixes of words that one turn contains. `after` is the last conversation of the page before.
   */
  list: base
    .input(
      z.object({
        query: z.string().max(500).default(''),
        channel: channel.optional(),
        /** Only conversations that are tied to this folder. */
        folder: folder.optional(),
        archived: z.boolean().default(false),
        limit: z.number().int().min(1).max(1_000).optional(),
        after: ConversationId.optional(),
      }),
    )
    .output(z.array(ConversationRow)),
  /** Every channel that has conversations, largest first; archived conversations are counted apart. */
  channels: base.output(
    z.object({
      channels: z.array(z.object({ channel: z.string(), conversations: z.number().int() })),
      archived: z.number().int(),
    }),
  ),
  /** The folders that conversations are tied to, those of most of them first; archived conversations are left out. */
  folders: base.output(z.array(z.object({ folder: z.string(), conversations: z.number().int() }))),
  /** The latest turns, or the latest turns before `before`, oldest first; `hasMore` says whether earlier ones exist. */
  get: base
    .input(byId.extend({ limit: z.number().int().min(1).max(200).default(30), before: TurnId.optional() }))
    .output(z.object({ conversation: ConversationRow, turns: z.array(Turn), hasMore: z.boolean() })),
  /** The present state of turns, in the order of `ids`, without deleted ones. */
  turns: base
    .input(z.object({ ids: z.array(TurnId).min(1).max(200) }))
    .output(z.object({ turns: z.array(Turn) })),
  /**
   * `folders` are all of them from now on: a folder on this computer, in a vault or not, however it is written. One that the conversation
   * has already may be gone by now.
   */
  change: base
    .input(
      byId.extend({
        title: z.string().trim().min(1).max(300).optional(),
        channel: channel.optional(),
        pinned: z.boolean().optional(),
        archived: z.boolean().optional(),
        folders: z.array(folder).max(MOST_FOLDERS).optional(),
        /** All of them from now on. */
        choices: Choices.optional(),
      }),
    )
    .output(ConversationRow),
  /** Hides the conversation at once; it is erased when the undo period ends. Returns the facts in use that came from it. */
  remove: base.input(byId).output(z.object({ facts: z.array(FactId) })),
  restore: base.input(byId),
  /**
   * Stores the message, then answers. The reply continues if the caller disconnects. `channel` applies to a new conversation
   * only; `folders` are added to those of the conversation. A `system` message is a program's own: it is answered without retrieval, each time, and nothing is learnt from it.
   */
  runTurn: base
    .input(
      z.object({
        conversationId: ConversationId.optional(),
        channel: channel.optional(),
        folders: z.array(folder).max(MOST_FOLDERS).optional(),
        text,
        system: z.boolean().optional(),
        /** What was made ready by `attachments`. */
        attachments: attachments.optional(),
      }),
    )
    .output(eventIterator(TurnEvent)),
  /** Stores a thought as a turn of a conversation of its own, in the channel `quick`, and learns from it. It is not answered. */
  capture: base.input(z.object({ text })).output(Turn),
  regenerate: base.input(z.object({ turnId: TurnId })).output(eventIterator(TurnEvent)),
  /**
   * Says something else in place of a turn, and answers. The turn stays beside the new one, with everything said after it; facts that it
   * alone taught are out of use until it is shown again. `attachments` names what is attached now, of the turn or made ready since; left
   * out, all of the turn's.
   */
  edit: base
    .input(z.object({ turnId: TurnId, text, attachments: attachments.optional() }))
    .output(eventIterator(TurnEvent)),
  /** Shows a turn in place of its siblings, with what was said after it. */
  showBranch: base.input(z.object({ turnId: TurnId })).output(Turn),
  stop: base.input(z.object({ turnId: TurnId })),
  /** Shows another version of a reply, with what was said after it. */
  chooseVersion: base.input(z.object({ turnId: TurnId, version: z.number().int().min(1) })).output(Turn),
  /** A conversation as a note in Markdown, with its sources as `[[note#heading]]`. */
  export: base.input(byId).output(z.object({ title: z.string(), markdown: z.string() })),
  /**
   * Saves a conversation, or a turn with the reply that it shows, in a vault: as a note under a name that none has, or at the end of
   * today's daily note. Returns the note's path in the vault.
   */
  saveToVault: base
    .input(
      z.object({
        vaultId: VaultId,
        what: z.union([z.object({ conversationId: ConversationId }), z.object({ turnId: TurnId })]),
        where: z.enum(['note', 'daily-note']),
      }),
    )
    .output(z.object({ path: z.string() })),
  import: base.input(ImportFile).output(ImportReport),
};
