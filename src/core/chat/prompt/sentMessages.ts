import type { LayoutEntry, Step } from '../../../shared/contract/prompt.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { Block } from '../../storage/contextBlocks.ts';
import type { PromptTrail } from './trail.ts';

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
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

  addBlock({ id, number }: { id: TurnId; number: number }, block: Block): void {
    const items = block.items.map((item) => ({ number: item.number, id: item.id }));
    this.#add({ role: 'user', content: block.text }, { kind: 'block', turnId: id, turn: number, items });
  }

  addMessage(
    { id, number }: { id: TurnId; number: number },
    message: PromptMessage & { shortened: boolean; withheld: boolean },
  ): void {
    const { role, shortened, withheld } = message;
    const content = message.content.replace(BLOCK_OPENING, '\\$1');
    this.#add({ role, content }, { kind: 'message', turnId: id, turn: number, shortened, withheld });
  }

  #add(
    message: PromptMessage,
    entry: Pick<LayoutEntry, 'kind' | 'turnId' | 'turn'> & Partial<LayoutEntry>,
  ): void {
    this.messages.push(message);
    this.layout.push({
      role: message.role,
      tokens: this.#countTokens(message.content),
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
  if (at === 0) return [{ code: 'system-changed', figures: {} }];
  const turn = previous.turns[at] ?? 0;
  const isBlock = layout[at]?.kind === 'block' || layout[at]?.turn !== turn;
  return [{ code: isBlock ? 'block-changed' : 'message-changed', figures: { turn } }];
}
