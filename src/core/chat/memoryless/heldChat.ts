import type { Attachment } from '../../../shared/contract/attachments.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import type { Block } from '../../storage/contextBlocks.ts';
import type { ReplyCitation } from '../../storage/conversations/citationRows.ts';
import type { MessageRecord, NewMessage, ReplyEnd, TurnRecord } from '../../storage/conversations.ts';
import type { NewPrompt } from '../../storage/prompts.ts';
import type { ToolCallRecord } from '../../storage/toolCalls.ts';
import type { HeldFile } from '../heldFiles.ts';
import type { AttachedBlock } from '../prompt/plan.ts';
import type { PromptTrail } from '../prompt/trail.ts';
import type { HeldQuotes } from './heldQuotes.ts';

/** What one version of a reply was given, and what it called. */
export interface HeldVersion {
  prompt: (NewPrompt & { trail: PromptTrail }) | null;
  block: { block: Block; quotes: HeldQuotes } | null;
  /** What it was given of what is attached to its turn; of notes, their quotes. */
  attached: { block: AttachedBlock; quotes: HeldQuotes } | null;
  calls: { call: ToolCallRecord; quotes: HeldQuotes }[];
}

/** A turn of a chat without memory. */
export interface HeldTurn {
  record: TurnRecord;
  /** What was sent, and every version of the reply. */
  messages: MessageRecord[];
  citations: ReplyCitation[];
  /** What was attached to what was sent, in order. */
  files: HeldFile[];
  versions: Map<number, HeldVersion>;
}

export interface HeldChat {
  id: ConversationId;
  /** In their order. */
  turns: HeldTurn[];
  /** Of blocks and results that are no longer sent too. */
  highestNumber: number;
}

/** A message of a turn; of a reply, with its version, model and language. */
export const heldMessage = (
  turnId: TurnId,
  message: NewMessage,
  reply: Partial<Pick<MessageRecord, 'version' | 'state' | 'model' | 'language'>> = {},
): MessageRecord => ({
  ...message,
  turnId,
  version: null,
  state: 'complete',
  model: null,
  language: null,
  scope: null,
  error: null,
  promptTokens: null,
  completionTokens: null,
  reasoning: '',
  promptCut: null,
  wantedModel: null,
  ...reply,
});

/** What a version was given; made when it is asked for first. */
export function versionOf(turn: HeldTurn, version: number): HeldVersion {
  const known = turn.versions.get(version);
  if (known) return known;
  const fresh: HeldVersion = { prompt: null, block: null, attached: null, calls: [] };
  turn.versions.set(version, fresh);
  return fresh;
}

/** Closes a reply: its text, its citations, and calls that were running are cut. */
export function endReply(turn: HeldTurn, version: number, end: ReplyEnd): void {
  const { state, content, reasoning, scope, error, promptCut, fallback, usage, citations } = end;
  const reply = turn.messages.find((message) => message.version === version);
  if (!reply) return;
  const { promptTokens = null, completionTokens = null } = usage ?? {};
  Object.assign(reply, {
    state,
    content,
    reasoning,
    scope,
    error,
    promptCut,
    ...(fallback ? { model: fallback.model, wantedModel: fallback.wanted } : {}),
    promptTokens,
    completionTokens,
  } satisfies Partial<MessageRecord>);
  turn.citations = [
    ...turn.citations.filter((citation) => citation.version !== version),
    ...citations.map((record) => ({ turnId: turn.record.id, version, record })),
  ];
  for (const { call } of versionOf(turn, version).calls)
    if (call.state === 'running')
      Object.assign(call, { state: 'cut', outcome: 'cut' } satisfies Partial<ToolCallRecord>);
}

/** What is attached to a turn, with how much of it the shown reply was given. */
export function shownFiles({ files, versions, record }: HeldTurn): Attachment[] {
  const shown = versions.get(record.activeVersion);
  return files.map(({ parts: _parts, hash: _hash, ordinal, ...file }) => ({
    ...file,
    given: shown?.prompt
      ? (shown.attached?.block.items ?? []).filter(({ attached }) => attached === ordinal).length
      : null,
  }));
}
