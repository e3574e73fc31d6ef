import type { LayoutEntry, Source, Step } from '../../../shared/contract/prompt.ts';
import type { Candidate } from '../../../shared/contract/retrieval.ts';
import type { Language } from '../../../shared/errors.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { Settings } from '../../../shared/settings.ts';
import type { ToolDefinition } from '../../models/chatModel.ts';
import type { Comparable, Selectable } from '../../search/select.ts';
import type { Block, BlockItem } from '../../storage/contextBlocks.ts';
import type { ToolCallRecord } from '../../storage/toolCalls.ts';
import type { AttachedFile } from './attached.ts';
import type { Cover, CoverSummary } from './cover.ts';
import type { VectorOf } from './inPrompt.ts';
import type { PromptMessage } from './sentMessages.ts';
import type { PromptTrail } from './trail.ts';
import type { PastTurn } from './window.ts';

export interface PlanRequest {
  /** Turns before the one that is answered, oldest first, at least those of the window; shown versions. */
  past: readonly PastTurn[];
  asked: { id: TurnId; number: number; question: string };
  /** What is attached to it; nothing if left out. */
  attached?: readonly AttachedFile[];
  /** What other versions of this turn were given of it, each with what it was rendered with. */
  otherAttached?: readonly AttachedBlock[];
  /** Summaries in use of the conversation, at least those that a prompt may hold. */
  summaries?: readonly CoverSummary[];
  /** Of the last prompt before this turn; null for the first. */
  previous: PromptTrail | null;
  /** What retrieval found, with what is known of each item now; empty if nothing was to be retrieved. */
  candidates: readonly Selectable[];
  /** Similarity of two texts by their vectors, 0 to 1. */
  similarity(one: Comparable, other: Comparable): number;
  vectorOf: VectorOf;
  settings: Pick<
    Settings,
    | 'minScore'
    | 'maxResults'
    | 'maxInjected'
    | 'tokenBudget'
    | 'dedupThreshold'
    | 'contextWindowDepth'
    | 'semanticBuffer'
  >;
  model: PlannedModel;
  /** Language of the conversation's first message, if there is no prompt before. */
  language: Language;
  /** The reply is to bring along what is to be remembered. */
  withMemories?: boolean;
  /** Instructions of the user's, after Souvenir's own. */
  systemPrompt?: string;
  now: number;
  /** Citation number of the first new item. */
  nextNumber: number;
  /** Blocks of other versions of this turn: if one holds the same items, it is sent as it is. */
  otherBlocks: readonly Block[];
  /** Draws a marker that nobody can guess. */
  drawMarker(): string;
}

/** What a plan needs to know of the model that is called. */
export interface PlannedModel {
  /** Does it read a prompt? Nothing is held back from one that does not. */
  readsPrompt: boolean;
  /** Tokens that prompt and reply may have together. */
  contextTokens: number;
  countTokens(text: string): number;
  /** What may be sent to it beside the user's own messages. */
  maySend: ReadonlySet<Source>;
  /** The tools that it is offered; the same in every prompt of a conversation, as long as the settings are the same. */
  tools?: readonly ToolDefinition[];
}

/** What was attached to a turn, as far as it is given. */
export type AttachedBlock = Omit<Block, 'text'>;

export interface PromptPlan {
  /** Exactly what is sent; empty for a model that reads no prompt. */
  messages: readonly PromptMessage[];
  layout: readonly LayoutEntry[];
  steps: readonly Step[];
  tokens: number;
  contextTokens: number;
  /** Every candidate with its verdict, and the excerpt that was injected. */
  candidates: readonly Candidate[];
  /** What stands for the turns that have left; null if nothing does. */
  cover: Cover | null;
  /** The new block; null if nothing is injected. */
  block: Block | null;
  blockTokens: number;
  /** What is given of the attachments; null if nothing is. */
  attached: AttachedBlock | null;
  /** Blocks that were rendered again, by turn. */
  changedBlocks: readonly { turnId: TurnId; version: number; block: Block }[];
  /** Items of all blocks that are sent, by citation number: what the reply may cite. */
  items: readonly BlockItem[];
  trail: PromptTrail;
  /** What the reply may be made from. */
  madeFrom: readonly Source[];
  /** The tools that the model is offered. */
  tools: readonly ToolDefinition[];
  /** What may be told to the model beside the user's own messages. */
  maySee: ReadonlySet<Source>;
  /** Tokens that calls of tools and their results may take while it answers. */
  toolRoom: number;
  /** Results of earlier turns to which another text is to be stored, since an item left them. */
  changedResults: readonly { call: ToolCallRecord; text: string }[];
}
