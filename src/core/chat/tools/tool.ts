import type { z } from 'zod';
import type { Source } from '../../../shared/contract/prompt.ts';
import type { ToolName, ToolOutcomeCode, ToolParams } from '../../../shared/contract/tools.ts';
import type { Language } from '../../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import type { BlockItem } from '../../storage/contextBlocks.ts';

/** Who calls a tool, and what it may be given. */
export interface ToolCaller {
  /** Null outside every conversation: then every scope is everything. */
  conversationId: ConversationId | null;
  /** The turn that is being answered: it is not a memory of itself, and what it says supports what is remembered. */
  turnId: TurnId | null;
  /** What may be told to whoever calls. */
  maySee: ReadonlySet<Source>;
  language: Language;
  signal: AbortSignal;
}

/** An item that a tool found, before it has a citation number. */
export type FoundItem = Omit<BlockItem, 'number'>;

/** What a tool gives: what became of the call, and what it found, best first. */
export interface Given {
  outcome: ToolOutcomeCode;
  params?: ToolParams;
  items?: readonly FoundItem[];
  /** A text that does not fit is cut, instead of being left out. */
  mayCut?: boolean;
}

/** Something that Souvenir can be asked to do by a model, or over MCP. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  name: ToolName;
  /** What it does and when to use it, for whoever calls it. */
  description: string;
  input: Input;
  /** It is offered to who may see one of these at least; to everybody if there is none. */
  reads: readonly Source[];
  /** @throws AppError and the reason of the caller's signal */
  run(input: z.infer<Input>, caller: ToolCaller): Promise<Given>;
}

/** A tool with its input's type hidden, to stand in a list. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool;
}
