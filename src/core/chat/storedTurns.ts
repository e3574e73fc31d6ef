import type { Source } from '../../shared/contract/prompt.ts';
import type { ConversationId, FactId } from '../../shared/ids.ts';
import type { AttachmentStore } from '../storage/attachments.ts';
import type { Block, ContextBlockStore } from '../storage/contextBlocks.ts';
import type { ReplyPart } from '../storage/conversations/replyParts.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { PromptStore } from '../storage/prompts.ts';
import type { RetrievalLog } from '../storage/retrievalLog.ts';
import type { SummaryStore } from '../storage/summaries.ts';
import type { NewToolCall, ToolCallStore, ToolResult } from '../storage/toolCalls.ts';
import type { AttachedFile } from './prompt/attached.ts';
import { loadAttached } from './prompt/loadAttached.ts';
import { type AskedTurn, loadPast, type Past } from './prompt/loadPast.ts';
import type { AttachedBlock } from './prompt/plan.ts';
import type { PlannedTurn, TurnToPlan } from './prompt/promptPlanner.ts';
import { sourcesOf } from './prompt/sources.ts';
import { questionOf } from './question.ts';
import type { ReplyRef, TurnStore } from './turnStore.ts';

export interface StoredTurnPorts {
  db: Db;
  conversations: ConversationStore;
  prompts: PromptStore;
  summaries: SummaryStore;
  blocks: ContextBlockStore;
  toolCalls: ToolCallStore;
  retrievals: RetrievalLog;
  factStore: FactStore;
  attachments: AttachmentStore;
  notes: NoteStore;
}

/** Turns in the database: what is stored is what is sent. */
export class StoredTurns implements TurnStore {
  readonly #ports: StoredTurnPorts;

  constructor(ports: StoredTurnPorts) {
    this.#ports = ports;
  }

  past(asked: AskedTurn, now: number): Past {
    return loadPast(asked, this.#ports, now);
  }

  questionsBefore({ conversationId, number }: AskedTurn, most: number): string[] {
    const { prompts } = this.#ports;
    const ids = prompts.activeBetween({ conversationId, from: 1, before: number }, most);
    return prompts
      .turns(ids)
      .map(({ messages }) => questionOf(messages))
      .reverse();
  }

  otherBlocks({ turnId, version }: ReplyRef, now: number): Block[] {
    return this.#ports.blocks
      .ofOtherVersions(turnId, version, now)
      .filter(({ isStale }) => !isStale)
      .map(({ block }) => block);
  }

  attached(
    { turnId, version }: ReplyRef,
    { maySend, now }: { maySend: ReadonlySet<Source>; now: number },
  ): { files: AttachedFile[]; others: AttachedBlock[] } {
    const files = loadAttached(turnId, this.#ports, { maySend, now });
    if (files.length === 0) return { files, others: [] };
    const others = this.#ports.blocks.ofOtherVersions(turnId, version, now);
    return { files, others: others.map(({ block, attached }) => ({ ...block, items: attached })) };
  }

  highestNumber(id: ConversationId): number {
    const { blocks, toolCalls } = this.#ports;
    return Math.max(blocks.highestNumber(id), toolCalls.highestNumber(id));
  }

  writePlan(
    asked: TurnToPlan,
    planned: PlannedTurn,
    { readsPrompt, now }: { readsPrompt: boolean; now: number },
  ): void {
    const { db, retrievals, factStore } = this.#ports;
    const { turnId, version, channel, question } = asked;
    const { retrieval } = planned;
    db.transaction(() => {
      if (readsPrompt) this.#writePrompt(asked, planned, now);
      retrievals.write({ turnId, version, channel, message: question, retrieval, at: now });
      const used = retrieval.candidates.filter(
        ({ kind, verdict }) => kind === 'fact' && verdict === 'injected',
      );
      if (used.length > 0)
        factStore.countUse(
          used.map(({ id }) => id as FactId),
          now,
        );
    });
  }

  discard({ turnId, version }: ReplyRef): void {
    const { db, blocks, prompts, retrievals, toolCalls } = this.#ports;
    db.transaction(() => {
      blocks.remove(turnId, version);
      toolCalls.remove(turnId, version);
      prompts.remove(turnId, version);
      retrievals.remove(turnId, version);
    });
  }

  keepPart({ turnId, version }: ReplyRef, part: ReplyPart): void {
    this.#ports.conversations.keepPart(turnId, version, part);
  }

  beginCalls(reply: ReplyRef, calls: readonly NewToolCall[]): void {
    this.#ports.toolCalls.begin(reply, calls);
  }

  endCall(reply: ReplyRef, call: { ordinal: number; now: number }, result: ToolResult): void {
    const { db, toolCalls, prompts } = this.#ports;
    db.transaction(() => {
      toolCalls.end(reply, call, result);
      prompts.addSources(reply.turnId, reply.version, sourcesOf(result.items));
    });
  }

  #writePrompt({ turnId, version }: TurnToPlan, { plan }: PlannedTurn, now: number): void {
    const { blocks, prompts, summaries, toolCalls } = this.#ports;
    for (const { turnId: id, version: shown, block } of plan.changedBlocks) {
      blocks.write(id, shown, { block, now });
    }
    for (const { call, text } of plan.changedResults) toolCalls.rewrite(call, text);
    if (plan.cover?.isNew) for (const { id } of plan.cover.summaries) summaries.forgetSent(id);
    const block = plan.block ?? (plan.attached && { ...plan.attached, items: [], text: '' });
    if (block) blocks.write(turnId, version, { block, attached: plan.attached?.items ?? [], now });
    const { layout, steps, tokens, contextTokens, trail, madeFrom } = plan;
    prompts.write({ turnId, version, layout, steps, tokens, contextTokens, trail, madeFrom, at: now });
  }
}
