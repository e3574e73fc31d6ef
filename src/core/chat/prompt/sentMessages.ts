import type { LayoutEntry, Step } from '../../../shared/contract/prompt.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { ModelMessage } from '../../models/chatModel.ts';
import type { Block, BlockItem } from '../../storage/contextBlocks.ts';
import { sha256 } from '../../support/ids.ts';
import type { PromptTrail } from './trail.ts';
import { type PastMessage, sentText } from './window.ts';

export type PromptMessage = ModelMessage;

/** What two prompts are compared by. */
export function digestOf(message: PromptMessage): string {
  const { role, content } = message;
  const calls = role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : '';
  return sha256(`${role}\n${calls}${content}`).slice(0, 16);
}

/** Only a block begins like this: a message that does, as one of an imported history may, is told apart by a backslash. */
const BLOCK_OPENING = /^\s*(\[Context\])/i;

/** The messages of a prompt as they are put together, each with its entry in the layout. */
export class SentMessages {
  readonly messages: PromptMessage[] = [];
  readonly layout: LayoutEntry[] = [];
  readonly #countTokens: (text: string) => number;

  constructor(countTokens: (text: string) => number) {
    this.#countTokens = countTokens;
  }

  addSystem(content: string): void {
    this.#add({ role: 'system', content }, { kind: 'system', turnId: null, turn: null });
  }

  addSummaries(content: string, ids: readonly string[]): void {
    const items = ids.map((id, place) => ({ number: place + 1, id }));
    this.#add({ role: 'user', content }, { kind: 'summaries', turnId: null, turn: null, items });
  }

  addBlock({ id, number }: { id: TurnId; number: number }, block: Block): void {
    const items = block.items.map((item) => ({ number: item.number, id: item.id }));
    this.#add({ role: 'user', content: block.text }, { kind: 'block', turnId: id, turn: number, items });
  }

  /** What was attached to the message that follows. */
  addAttached(
    { id, number }: { id: TurnId; number: number },
    { content, found, sections }: { content: string; found: readonly BlockItem[]; sections: number },
  ): void {
    const items = found.map((item) => ({ number: item.number, id: item.id }));
    this.#add({ role: 'user', content }, { kind: 'attached', turnId: id, turn: number, items, sections });
  }

  addMessage(
    { id, number }: { id: TurnId; number: number },
    message: Omit<PastMessage, 'parts'> & { shortened: boolean },
  ): void {
    const { role, shortened, withheld, toolCalls, toolCallId = '', found = [] } = message;
    const entry = { kind: 'message', turnId: id, turn: number, shortened, withheld } as const;
    if (role === 'tool') {
      const items = found.map((item) => ({ number: item.number, id: item.id }));
      this.#add({ role, content: message.content, toolCallId }, { ...entry, items });
      return;
    }
    const content = message.content.replace(BLOCK_OPENING, '\\$1');
    if (toolCalls) this.#add({ role: 'assistant', content, toolCalls }, entry);
    else this.#add({ role, content }, entry);
  }

  #add(
    message: PromptMessage,
    entry: Pick<LayoutEntry, 'kind' | 'turnId' | 'turn'> & Partial<LayoutEntry>,
  ): void {
    this.messages.push(message);
    this.layout.push({
      role: message.role,
      tokens: this.#countTokens(message.role === 'assistant' ? sentText(message) : message.content),
      items: [],
      shortened: false,
      withheld: false,
      ...entry,
    });
  }
}

/** Why the prompt does not begin with the one before: the steps that were taken, or else what changed first; nothing if it does. */
export function reasonsOf(
  steps: readonly Step[],
  previous: PromptTrail | null,
  { digests }: PromptTrail,
  layout: readonly LayoutEntry[],
): readonly Step[] {
  const at = previous ? previous.digests.findIndex((digest, place) => digests[place] !== digest) : -1;
  if (!previous || at < 0) return [];
  if (steps.length > 0) return steps;
  if (layout[at]?.kind === 'summaries' || (at > 0 && previous.turns[at] === null))
    return [{ code: 'summaries-changed', figures: {} }];
  if (at === 0) return [{ code: 'system-changed', figures: {} }];
  const turn = previous.turns[at] ?? 0;
  const isBlock = layout[at]?.kind === 'block' || layout[at]?.turn !== turn;
  return [{ code: isBlock ? 'block-changed' : 'message-changed', figures: { turn } }];
}
