import type { Language } from '../../../shared/errors.ts';
import { type BlockItem, formatContextBlock } from '../../search/contextBlock.ts';
import { estimateTokens } from '../../support/text/tokens.ts';

export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A turn as the prompt may carry it: its block stands just before the user message it was retrieved for. */
export interface PromptTurn {
  id: string;
  messages: readonly { role: 'user' | 'assistant'; content: string }[];
  block: readonly (BlockItem & { id: string })[];
}

export interface PromptRequest {
  system: string;
  /** Oldest first; the last one is being answered. */
  turns: readonly PromptTurn[];
  /** Tokens that the server really serves. */
  contextTokens: number;
  /** For how many turns a block is sent again. */
  contextWindowDepth: number;
  language: Language;
  now: number;
  /** Drawn anew for each prompt. */
  marker: string;
}

/** What the prompt carries, item by item, with its tokens. */
export interface RulerEntry {
  kind: 'system' | 'message' | 'block';
  turnId: string | null;
  tokens: number;
  /** Ids of a block's items. */
  items: readonly string[];
  /** Cut to fit. */
  shortened: boolean;
}

export interface Prompt {
  messages: PromptMessage[];
  ruler: RulerEntry[];
  tokens: number;
}

const MESSAGES = 20;
const LEAST_TURNS = 3;
/** Turns leave together, so that the prompt's beginning stays the same for a while, and a server's prefix cache is of use. */
const LEAVE_TOGETHER = 5;
const BLOCK_SHARE = 0.25;
const REPLY_SHARE = 0.25;
const MOST_REPLY_TOKENS = 1_024;
const SHORTENED = ' […]';

/** Builds the prompt of a turn: system, then each turn's block and messages. Pure. */
export function buildPrompt(request: PromptRequest): Prompt {
  const budget =
    request.contextTokens - Math.min(MOST_REPLY_TOKENS, Math.floor(request.contextTokens * REPLY_SHARE));
  const kept = chooseBlocks(request, budget);
  const systemTokens = estimateTokens(request.system);
  const blockTokens = [...kept.values()].reduce((sum, block) => sum + block.tokens, 0);
  const turns = chooseTurns(request.turns, budget - systemTokens - blockTokens);
  const messages: PromptMessage[] = [{ role: 'system', content: request.system }];
  const ruler: RulerEntry[] = [
    { kind: 'system', turnId: null, tokens: systemTokens, items: [], shortened: false },
  ];
  for (const turn of turns) {
    const block = kept.get(turn.id);
    const firstUser = turn.messages.findIndex((message) => message.role === 'user');
    for (const [index, message] of turn.messages.entries()) {
      if (block && index === Math.max(0, firstUser)) {
        messages.push({ role: 'user', content: block.text });
        ruler.push({
          kind: 'block',
          turnId: turn.id,
          tokens: block.tokens,
          items: block.items,
          shortened: false,
        });
      }
      messages.push({ role: message.role, content: message.content });
      const tokens = estimateTokens(message.content);
      ruler.push({
        kind: 'message',
        turnId: turn.id,
        tokens,
        items: [],
        shortened: message.content.endsWith(SHORTENED),
      });
    }
  }
  return { messages, ruler, tokens: ruler.reduce((sum, entry) => sum + entry.tokens, 0) };
}

/** Turns whose messages the prompt holds: twenty messages, never fewer than three turns, leaving five at a time. */
export function windowOf<T extends { messages: readonly unknown[] }>(turns: readonly T[]): T[] {
  let start = turns.length;
  let count = 0;
  while (start > 0) {
    count += turns[start - 1]?.messages.length ?? 0;
    if (count > MESSAGES && turns.length - start >= LEAST_TURNS) break;
    start -= 1;
  }
  if (start === 0) return [...turns];
  const stepped = Math.ceil(start / LEAVE_TOGETHER) * LEAVE_TOGETHER;
  return turns.slice(Math.min(stepped, turns.length - LEAST_TURNS));
}

interface Block {
  text: string;
  tokens: number;
  items: string[];
}

/** Blocks that are sent: of the last turns in the window, the oldest dropped whole once they pass a quarter of the budget. */
function chooseBlocks(request: PromptRequest, budget: number): Map<string, Block> {
  const { turns, contextWindowDepth, language, now, marker } = request;
  const kept = new Map<string, Block>();
  const inWindow = new Set(windowOf(turns).map((turn) => turn.id));
  let left = Math.floor(budget * BLOCK_SHARE);
  for (const turn of turns.slice(-contextWindowDepth).reverse()) {
    if (!inWindow.has(turn.id) || turn.block.length === 0) continue;
    const text = formatContextBlock(turn.block, { language, now, marker });
    const tokens = estimateTokens(text);
    if (tokens > left) break;
    left -= tokens;
    kept.set(turn.id, { text, tokens, items: turn.block.map((item) => item.id) });
  }
  return kept;
}

/** The window's turns, older ones left out and long messages of the last three shortened until they fit. */
function chooseTurns(all: readonly PromptTurn[], budget: number): PromptTurn[] {
  let turns = windowOf(all);
  const tokensOf = (some: readonly PromptTurn[]) =>
    some.reduce(
      (sum, turn) => sum + turn.messages.reduce((part, { content }) => part + estimateTokens(content), 0),
      0,
    );
  while (turns.length > LEAST_TURNS && tokensOf(turns) > budget) turns = turns.slice(1);
  if (tokensOf(turns) <= budget) return turns;
  const count = turns.reduce((sum, turn) => sum + turn.messages.length, 0);
  const room = Math.max(16, Math.floor(budget / Math.max(1, count)) * 3);
  return turns.map((turn) => ({
    ...turn,
    messages: turn.messages.map(({ role, content }) => ({
      role,
      content: content.length > room ? content.slice(0, room - SHORTENED.length) + SHORTENED : content,
    })),
  }));
}
