import type { Source, Step } from '../../../shared/contract/prompt.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { ToolCall } from '../../models/chatModel.ts';
import type { Span } from '../../search/findings.ts';
import type { Block, BlockItem } from '../../storage/contextBlocks.ts';
import type { ToolCallRecord } from '../../storage/toolCalls.ts';
import { renderBlock } from './block.ts';
import type { PromptState } from './trail.ts';

/** A turn before the one that is answered, as the prompt may hold it. */
export interface PastTurn {
  id: TurnId;
  /** Its ordinal in the conversation: higher than those of the turns before it. */
  number: number;
  /** The version that is shown. */
  version: number;
  messages: readonly PastMessage[];
  /** What it was given and still holds; null if it was given nothing. */
  block: Block | null;
  /** The text of its block as it was sent; null if it is to be rendered, since an item left it. */
  sentBlock: string | null;
  /** What its reply may have been made from. */
  madeFrom: readonly Source[];
  /** The turn's whole text as search finds it. */
  itemText: string;
  /** Where the tools that it called stand in `itemText`; null if it called none. */
  callsAt: Span | null;
  /** Results of its tools that are to be stored as they are sent now, since an item left them. */
  changedResults: readonly { call: ToolCallRecord; text: string }[];
}

export interface PastMessage {
  role: 'user' | 'assistant' | 'tool';
  content: string;
  /** Tools that the model called here; each result follows as a message of its own. */
  toolCalls?: readonly ToolCall[];
  /** Of a result: the call that it answers, and what it found. Of attachments: their sections. */
  toolCallId?: string;
  found?: readonly BlockItem[];
  /** It holds what was attached to the message behind it: how many sections that has in all. */
  attached?: number;
  /** Which stretches of `content` (from `at`) stand in the turn's `itemText` (from `itemAt`). */
  parts: readonly { at: number; itemAt: number; length: number }[];
  /** It stands for a reply that stays on this computer. */
  withheld: boolean;
  /** It stays on this computer, and nothing stands for it. */
  leftOut?: boolean;
}

/** What a message takes of the prompt. */
export const sentText = ({ content, toolCalls }: Pick<PastMessage, 'content' | 'toolCalls'>): string =>
  toolCalls ? content + JSON.stringify(toolCalls) : content;

/** Calls of tools and their results belong to the reply that they led to, and attachments to their message. */
const isCounted = ({ role, toolCalls, attached, leftOut = false }: PastMessage): boolean =>
  role !== 'tool' && toolCalls === undefined && attached === undefined && !leftOut;

/**
 * How full a limit may be. Once one limit is passed, what has passed this share of another limit is freed as well: the prompt's
 * beginning is lost anyway, and one step is better than two (over forty turns, 18 % fewer steps than with 1).
 */
export const FULL = 1;
export const EASED = 0.7;

export interface WindowLimits {
  /** Messages of the conversation in a prompt. */
  messages: number;
  /** Turns before the one that is answered which never leave. */
  leastTurns: number;
  /** Tokens of all messages. */
  messageTokens: number;
  /** Tokens of all blocks. */
  blockTokens: number;
  /** Tokens of all blocks after a step: half at most, and room for two more blocks of the largest size. */
  blockTokensAtStep: number;
  /** Items of all blocks. */
  blockItems: number;
  /** For how many turns a block is sent, its own included. */
  blockDepth: number;
}

export const SHORTENED_MARK = ' […]';
/** Below this a message says nothing any more. */
const LEAST_CHARACTERS = 48;
/** An earlier message may be shortened so far that the question keeps the rest: this share of the messages' tokens is left to them. */
const LEAST_SHARE_OF_PAST = 1 / 8;

/** Turns of the window, oldest first, with the question that follows them, as they are sent. */
export interface Window {
  turns: readonly PastTurn[];
  question: string;
  state: PromptState;
  steps: Step[];
}

/**
 * Which turns the prompt holds. A limit that is passed is a step: it frees half of what it limits at once, so that the next
 * prompts begin with this one. Pure.
 */
export function fitMessages(
  past: readonly PastTurn[],
  asked: { id: TurnId; number: number; question: string },
  context: { state: PromptState; limits: WindowLimits; ease: number; countTokens(text: string): number },
): Window {
  const { limits, ease, countTokens } = context;
  const { messages, leastTurns, messageTokens } = limits;
  const fits = new MessageFit(asked, context.state, countTokens);
  const steps: Step[] = [];
  let turns = past.filter(({ number }) => number >= context.state.firstTurn);
  /** Oldest turns leave until `isEnough`, or until only the last ones are left. */
  const leave = (isEnough: (left: readonly PastTurn[]) => boolean) => {
    while (turns.length > leastTurns && !isEnough(turns)) turns = turns.slice(1);
  };
  const countMessages = (some: readonly PastTurn[]) =>
    1 + some.reduce((sum, turn) => sum + turn.messages.filter(isCounted).length, 0);

  const count = countMessages(turns);
  if (count > messages * ease && turns.length > leastTurns) {
    leave((left) => countMessages(left) <= messages / 2);
    if (count > messages) steps.push({ code: 'window', figures: { messages: count, limit: messages } });
  }
  const tokens = fits.tokens(turns);
  if (tokens > messageTokens * ease) {
    const before = turns.length;
    leave((left) => fits.tokens(left) <= messageTokens / 2);
    if (turns.length < before && tokens > messageTokens) {
      steps.push({ code: 'tokens', figures: { tokens, limit: messageTokens } });
    }
    const left = fits.leaveAttached(turns, messageTokens);
    if (left > 0) steps.push({ code: 'attached-left', figures: { messages: left, limit: messageTokens } });
    if (fits.tokens(turns) > messageTokens) {
      const shortened = fits.shorten(turns, messageTokens);
      if (shortened > 0) {
        steps.push({ code: 'shortened', figures: { messages: shortened, limit: messageTokens } });
      }
      // An imported turn may hold thousands of messages: so many do not fit, however short.
      while (turns.length > 0 && fits.tokens(turns) > messageTokens) turns = turns.slice(1);
    }
  }
  const firstTurn = turns[0]?.number ?? asked.number;
  return {
    turns: turns.map((turn) => fits.asSent(turn)),
    question: fits.question(),
    state: {
      ...context.state,
      firstTurn,
      shortened: fits.shortenedOf([...turns.map(({ id }) => id), asked.id]),
    },
    steps,
  };
}

/** Messages as they are sent, some of them shortened. */
class MessageFit {
  readonly #asked: { id: TurnId; question: string };
  readonly #countTokens: (text: string) => number;
  readonly #shortened: Record<string, Record<string, number>>;

  constructor(
    asked: { id: TurnId; question: string },
    state: PromptState,
    countTokens: (text: string) => number,
  ) {
    this.#asked = asked;
    this.#countTokens = countTokens;
    this.#shortened = Object.fromEntries(
      Object.entries(state.shortened).map(([id, lengths]) => [id, { ...lengths }]),
    );
  }

  tokens(turns: readonly PastTurn[]): number {
    const contents = turns.flatMap((turn) => this.asSent(turn).messages.map(sentText));
    return [...contents, this.question()].reduce((sum, content) => sum + this.#countTokens(content), 0);
  }

  question(): string {
    return this.#cut(this.#asked.id, 0, this.#asked.question);
  }

  asSent(turn: PastTurn): PastTurn {
    if (!this.#shortened[turn.id]) return turn;
    const messages = turn.messages.map((message, place) => {
      if (message.withheld || message.leftOut) return message;
      if (message.attached === undefined)
        return { ...message, content: this.#cut(turn.id, place, message.content) };
      // A part of what stands between fences could not be told from the rest: it leaves as a whole.
      const isLeft = this.#shortened[turn.id]?.[place] !== undefined;
      return isLeft ? { ...message, content: '', leftOut: true } : message;
    });
    return { ...turn, messages };
  }

  shortenedOf(ids: readonly TurnId[]): PromptState['shortened'] {
    return Object.fromEntries(
      ids.flatMap((id) => (this.#shortened[id] ? [[id, this.#shortened[id]] as const] : [])),
    );
  }

  /**
   * What was attached to earlier messages leaves, the earliest first, until all messages fit: the messages themselves say more, and
   * what a later question needs of it is found again.
   * @returns how many messages lost their attachments
   */
  leaveAttached(turns: readonly PastTurn[], limit: number): number {
    let left = 0;
    for (const turn of turns)
      for (const [place, message] of this.asSent(turn).messages.entries()) {
        if (message.attached === undefined || message.leftOut || this.tokens(turns) <= limit) continue;
        this.#shortened[turn.id] = { ...this.#shortened[turn.id], [place]: 0 };
        left += 1;
      }
    return left;
  }

  /** Shortens the longest messages, the question last, until all take half of the limit, or as little as they can; gives how many. */
  shorten(turns: readonly PastTurn[], limit: number): number {
    const longest = (id: TurnId, place: number, content: string) => ({ id, place, length: content.length });
    const past = turns.flatMap((turn) =>
      this.asSent(turn).messages.flatMap(({ content, withheld, attached }, place) =>
        withheld || attached !== undefined ? [] : [longest(turn.id, place, content)],
      ),
    );
    const question = longest(this.#asked.id, 0, this.question());
    const before = JSON.stringify(this.#shortened);
    const questionTokens = this.#countTokens(this.question());
    const share = Math.max(limit / 2 - questionTokens, limit * LEAST_SHARE_OF_PAST);
    this.#lower(past, () => this.tokens(turns) - this.#countTokens(this.question()) <= share);
    this.#lower([question], () => this.tokens(turns) <= limit);
    if (JSON.stringify(this.#shortened) === before) return 0;
    return Object.values(this.#shortened).reduce((sum, lengths) => sum + Object.keys(lengths).length, 0);
  }

  /** Lowers the length that a message may have, an eighth at a time, until it is enough. */
  #lower(messages: readonly { id: TurnId; place: number; length: number }[], isEnough: () => boolean): void {
    let length = Math.max(0, ...messages.map((message) => message.length));
    while (length > LEAST_CHARACTERS && !isEnough()) {
      length = Math.max(LEAST_CHARACTERS, Math.floor((length * 7) / 8));
      for (const message of messages) {
        if (message.length <= length) continue;
        this.#shortened[message.id] = { ...this.#shortened[message.id], [message.place]: length };
      }
    }
  }

  #cut(id: TurnId, place: number, content: string): string {
    const length = this.#shortened[id]?.[place];
    if (length === undefined || content.length <= length) return content;
    const kept = content.slice(0, length - SHORTENED_MARK.length);
    // Half of a surrogate pair is no character.
    return kept.replace(/[\uD800-\uDBFF]$/, '').trimEnd() + SHORTENED_MARK;
  }
}

/** Which blocks may be sent, and what a new one takes beside them. */
export interface BlockContext {
  state: PromptState;
  limits: WindowLimits;
  ease: number;
  tokensOf(block: Block): number;
  newBlock: { tokens: number; items: number };
}

/** The blocks that are sent again, oldest first. */
export interface KeptBlocks {
  blocks: ReadonlyMap<TurnId, Block>;
  firstBlock: number;
  steps: Step[];
}

/** Which blocks of the window's turns are sent again beside a new one; a limit that is passed is a step. Pure. */
export function fitBlocks(
  turns: readonly PastTurn[],
  asked: { number: number },
  { state, limits, ease, tokensOf, newBlock }: BlockContext,
): KeptBlocks {
  const steps: Step[] = [];
  const all = turns.filter(({ block, number }) => block !== null && number >= state.firstBlock);
  let kept: readonly PastTurn[] = all;
  // Numbers leave gaps where something was said on other branches.
  const ages = new Map(turns.map(({ id }, place) => [id, turns.length - place]));
  const ageOf = ({ id }: PastTurn) => ages.get(id) ?? 0;
  const age = kept[0] ? ageOf(kept[0]) : 0;
  if (age >= limits.blockDepth * ease) {
    kept = kept.filter((turn) => ageOf(turn) < limits.blockDepth / 2);
    if (age >= limits.blockDepth) {
      steps.push({ code: 'block-depth', figures: { turns: age, limit: limits.blockDepth } });
    }
  }
  const tokens = totalTokens(kept, tokensOf) + newBlock.tokens;
  if (tokens > limits.blockTokens * ease) {
    kept = freeHalf(
      kept,
      (left) => totalTokens(left, tokensOf) + newBlock.tokens <= limits.blockTokensAtStep,
    );
    if (tokens > limits.blockTokens) {
      steps.push({ code: 'block-share', figures: { tokens, limit: limits.blockTokens } });
    }
  }
  const items = totalItems(kept) + newBlock.items;
  if (items > limits.blockItems * ease) {
    kept = freeHalf(kept, (left) => totalItems(left) + newBlock.items <= limits.blockItems / 2);
    if (items > limits.blockItems) {
      steps.push({ code: 'block-items', figures: { items, limit: limits.blockItems } });
    }
  }
  return {
    blocks: new Map(kept.map(({ id, block }) => [id, block as Block])),
    firstBlock: kept.length < all.length ? (kept[0]?.number ?? asked.number) : state.firstBlock,
    steps,
  };
}

/**
 * Blocks without what stands in an earlier one: another version of a reply may have brought a stretch that a later block quotes.
 * @returns the blocks that still quote something, in the same order; those that lost an item are rendered again
 */
export function withoutRepeats(blocks: ReadonlyMap<TurnId, Block>): ReadonlyMap<TurnId, Block> {
  const quoted = new Map<string, BlockItem[]>();
  const isRepeat = ({ textKey, span }: BlockItem) =>
    (quoted.get(textKey) ?? []).some((other) => other.span.start < span.end && span.start < other.span.end);
  const left = new Map<TurnId, Block>();
  for (const [id, block] of blocks) {
    const items = block.items.filter((item) => item.textKey === '' || !isRepeat(item));
    for (const item of items) quoted.set(item.textKey, [...(quoted.get(item.textKey) ?? []), item]);
    if (items.length === block.items.length) left.set(id, block);
    else if (items.length > 0) left.set(id, { ...block, items, text: renderBlock({ ...block, items }) });
  }
  return left;
}

function freeHalf(
  holders: readonly PastTurn[],
  isEnough: (left: readonly PastTurn[]) => boolean,
): readonly PastTurn[] {
  let left = holders;
  while (left.length > 0 && !isEnough(left)) left = left.slice(1);
  return left;
}

const totalTokens = (holders: readonly PastTurn[], tokensOf: (block: Block) => number): number =>
  holders.reduce((sum, { block }) => sum + (block ? tokensOf(block) : 0), 0);
const totalItems = (holders: readonly PastTurn[]): number =>
  holders.reduce((sum, { block }) => sum + (block?.items.length ?? 0), 0);
