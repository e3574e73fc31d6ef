import type { Source } from '../../shared/contract/prompt.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { Block } from '../storage/contextBlocks.ts';
import type { ReplyPart } from '../storage/conversations/replyParts.ts';
import type { NewToolCall, ToolResult } from '../storage/toolCalls.ts';
import type { AttachedFile } from './prompt/attached.ts';
import type { AskedTurn, Past } from './prompt/loadPast.ts';
import type { AttachedBlock } from './prompt/plan.ts';
import type { PlannedTurn, TurnToPlan } from './prompt/promptPlanner.ts';

/** One version of a turn's reply. */
export interface ReplyRef {
  turnId: TurnId;
  version: number;
}

/** Where turns are kept while they are answered: in the database, or in memory alone. */
export interface TurnStore {
  /** What a plan needs to know of the conversation before a turn. */
  past(asked: AskedTurn, now: number): Past;
  /** What the user asked in the turns right before one, the latest first. */
  questionsBefore(asked: AskedTurn, most: number): string[];
  /** Blocks of the other versions of a turn, as far as all that they quote still holds. */
  otherBlocks(reply: ReplyRef, now: number): Block[];
  /** What is attached to a turn and may be sent, and what other versions of its reply were given of it. */
  attached(
    reply: ReplyRef,
    options: { maySend: ReadonlySet<Source>; now: number },
  ): { files: AttachedFile[]; others: AttachedBlock[] };
  /** The highest citation number of a conversation; 0 if there is none. */
  highestNumber(id: ConversationId): number;
  /** Writes down what a version is given, in one transaction. From then on its block is in the prompt. @throws AppError DISK_FULL */
  writePlan(asked: TurnToPlan, planned: PlannedTurn, options: { readsPrompt: boolean; now: number }): void;
  /** Takes back what a version was given, before its turn is answered from the start once more. */
  discard(reply: ReplyRef): void;
  /** Keeps what came of a reply since it was kept last. */
  keepPart(reply: ReplyRef, part: ReplyPart): void;
  /** Writes down calls of tools that begin. */
  beginCalls(reply: ReplyRef, calls: readonly NewToolCall[]): void;
  /**
   * Writes down what a call gave.
   * @param call its place, and the time at which its items are in use
   */
  endCall(reply: ReplyRef, call: { ordinal: number; now: number }, result: ToolResult): void;
}
