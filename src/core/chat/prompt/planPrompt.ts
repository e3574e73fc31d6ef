import type { Source } from '../../../shared/contract/prompt.ts';
import type { Language } from '../../../shared/errors.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { Block } from '../../storage/contextBlocks.ts';
import { sectionCounts } from './attached.ts';
import { attachedMessage, attachedTurn, planAttached } from './attachedBlock.ts';
import { renderBlock } from './block.ts';
import { type Cover, planCover } from './cover.ts';
import { BLOCK_ITEMS, type Choice, NewBlock } from './newBlock.ts';
import type { AttachedBlock, PlanRequest, PromptPlan } from './plan.ts';
import { digestOf, reasonsOf, SentMessages } from './sentMessages.ts';
import { sourcesOf } from './sources.ts';
import { systemText, WITHHELD_REPLY } from './systemText.ts';
import type { PromptState, PromptTrail } from './trail.ts';
import {
  EASED,
  FULL,
  fitBlocks,
  fitMessages,
  type PastMessage,
  type PastTurn,
  type Window,
  type WindowLimits,
  withoutRepeats,
} from './window.ts';

/** Messages of the conversation in a prompt, and turns before the one that is answered which never leave. */
const MESSAGES = 20;
const LEAST_TURNS = 3;
/** Of the context: what the reply may take, and at most so many tokens. */
const REPLY_SHARE = 0.25;
const MOST_REPLY_TOKENS = 1_024;
/** Of what is left: what all blocks may take; and of that a new one, so that at a small context not every turn is a step. */
const BLOCKS_SHARE = 0.25;
const NEW_BLOCK_SHARE = 1 / 3;
/** And of the same: what is kept free for calls of tools and their results while the model answers; they may take what else is free. */
const TOOLS_SHARE = 1 / 8;
/** Of what messages may take: what is attached to the message that is answered, so that as much is left for what is asked of it next. */
const ATTACHED_SHARE = 1 / 2;
/** Of what blocks leave: what summaries of the turns that have left may take. Ten of them have some 1,500 tokens. */
const SUMMARIES_SHARE = 1 / 5;

/**
 * Decides everything that one model call contains: instructions, turns, their blocks, and which candidates the new block holds.
 * Room for the new block is set aside before anything is said to be in the prompt, selection fits that room, and nothing that was
 * chosen is left out afterwards. A prompt begins with the whole prompt before it, except at a step, which has its reason. Pure,
 * but for the marker that it draws.
 */
export function planPrompt(request: PlanRequest): PromptPlan {
  return new Planning(request).plan();
}

/** What fits: turns, their blocks, and the new one. */
interface Fit {
  window: Window;
  blocks: ReadonlyMap<TurnId, Block>;
  choice: Choice;
  cover: Cover | null;
}

class Planning {
  readonly #request: PlanRequest;
  readonly #language: Language;
  readonly #tokensOfText = new Map<string, number>();
  readonly #limits: WindowLimits;
  /** Tokens of the prompt and of what tools add to it. */
  readonly #budget: number;
  readonly #past: readonly PastTurn[];
  readonly #newBlockTokens: number;
  readonly #newBlock: NewBlock;
  /** What is attached to the message that is answered, and a turn that holds nothing else. */
  readonly #attached: AttachedBlock | null;
  readonly #attachedTurn: PastTurn | null;
  /** Drawn once: a plan that is made twice has one marker. */
  #coverMarker: string | null = null;

  constructor(request: PlanRequest) {
    this.#request = request;
    this.#language = request.previous?.state.language ?? request.language;
    const { model, settings, past } = request;
    const { contextTokens, tools = [] } = model;
    const toolTokens = tools.length === 0 ? 0 : this.#countTokens(JSON.stringify(tools));
    const budget =
      contextTokens - Math.min(MOST_REPLY_TOKENS, Math.floor(contextTokens * REPLY_SHARE)) - toolTokens;
    const toolRoom = tools.length === 0 ? 0 : Math.floor(budget * TOOLS_SHARE);
    const blockTokens = Math.floor(budget * BLOCKS_SHARE);
    const systemTokens = this.#countTokens(systemText(this.#language, request));
    this.#newBlockTokens = Math.min(settings.tokenBudget, Math.floor(blockTokens * NEW_BLOCK_SHARE));
    const messageTokens = budget - systemTokens - blockTokens - toolRoom;
    const marker = request.drawMarker();
    this.#attached = planAttached(request, {
      frame: { marker, language: this.#language, at: request.now },
      limit: Math.floor(messageTokens * ATTACHED_SHARE),
      countTokens: (text) => this.#countTokens(text),
    });
    this.#attachedTurn = this.#attached && attachedTurn(request, this.#attached);
    this.#newBlock = new NewBlock(
      { ...request, nextNumber: request.nextNumber + (this.#attached?.items.length ?? 0) },
      { language: this.#language, marker, countTokens: (text) => this.#countTokens(text) },
    );
    this.#budget = budget;
    this.#past = past.map((turn) => this.#asMayBeSent(turn));
    this.#limits = {
      messages: MESSAGES,
      leastTurns: LEAST_TURNS,
      messageTokens,
      blockTokens,
      blockTokensAtStep: Math.min(blockTokens / 2, blockTokens - 2 * this.#newBlockTokens),
      blockItems: BLOCK_ITEMS,
      blockDepth: settings.contextWindowDepth,
    };
  }

  plan(): PromptPlan {
    return this.#request.model.readsPrompt ? this.#planPrompt() : this.#planItems();
  }

  /** For a model that answers with the items themselves: nothing is in its prompt, so nothing is held back. */
  #planItems(): PromptPlan {
    const { settings, previous } = this.#request;
    const choice = this.#newBlock.choose({ turns: [], cover: null }, new Map(), settings.tokenBudget);
    const block = this.#newBlock.make(choice.items);
    const items = [...(this.#attached?.items ?? []), ...choice.items];
    return {
      messages: [],
      layout: [],
      steps: [],
      tokens: 0,
      contextTokens: 0,
      candidates: choice.selections.map((selection) => this.#newBlock.judged(selection)),
      block,
      blockTokens: choice.tokens,
      attached: null,
      changedBlocks: [],
      items,
      cover: null,
      trail: previous ?? { state: this.#firstState(), digests: [], turns: [] },
      madeFrom: sourcesOf(items),
      tools: [],
      maySee: this.#request.model.maySend,
      toolRoom: 0,
      changedResults: [],
    };
  }

  /** Plans within the limits; if one is passed, plans again and frees what is nearly full as well. */
  #planPrompt(): PromptPlan {
    const plain = this.#fitWithCover(FULL);
    if (plain.window.steps.length === 0) return this.#assemble(plain);
    const eased = this.#fitWithCover(EASED);
    return this.#assemble({ ...eased, window: { ...eased.window, steps: plain.window.steps } });
  }

  /** The more turns leave, the more is to be told of them: room for that is set aside until it is enough. */
  #fitWithCover(ease: number): Fit {
    const { asked, past } = this.#request;
    let cover = this.#cover(this.#request.previous?.state.firstTurn ?? past[0]?.number ?? asked.number);
    for (;;) {
      const fit = this.#fit(ease, cover);
      const needed = this.#cover(fit.window.state.firstTurn);
      const state = { ...fit.window.state, cover: needed?.state ?? null };
      if ((needed?.tokens ?? 0) <= (cover?.tokens ?? 0))
        return { ...fit, cover: needed, window: { ...fit.window, state } };
      cover = needed;
    }
  }

  /** Summaries of the turns before a window, without those that have to stay on this computer. */
  #cover(firstTurn: number): Cover | null {
    const { summaries = [], previous, model, drawMarker } = this.#request;
    const free = summaries.filter(({ madeFrom }) => madeFrom.every((source) => model.maySend.has(source)));
    return planCover(free, previous?.state.cover ?? null, {
      firstTurn,
      language: this.#language,
      limit: Math.floor(this.#limits.messageTokens * SUMMARIES_SHARE),
      countTokens: (text) => this.#countTokens(text),
      drawMarker: () => {
        this.#coverMarker ??= drawMarker();
        return this.#coverMarker;
      },
    });
  }

  /** @param cover for which room is set aside */
  #fit(ease: number, cover: Cover | null): Fit {
    const { asked, previous } = this.#request;
    const aside = (cover?.tokens ?? 0) + this.#attachedTokens();
    const limits = { ...this.#limits, messageTokens: this.#limits.messageTokens - aside };
    const window = fitMessages(this.#past, asked, {
      state: previous?.state ?? this.#firstState(),
      limits,
      ease,
      countTokens: (text) => this.#countTokens(text),
    });
    const fitBeside = (state: PromptState, newBlock: { tokens: number; items: number }) =>
      fitBlocks(window.turns, asked, {
        state,
        limits,
        ease,
        tokensOf: (block) => this.#countTokens(block.text),
        newBlock,
      });
    const alone = fitBeside(window.state, { tokens: 0, items: 0 });
    const state = { ...window.state, firstBlock: alone.firstBlock };
    const blocks = withoutRepeats(alone.blocks);
    const sent = this.#attachedTurn ? [...window.turns, this.#attachedTurn] : window.turns;
    const choice = this.#newBlock.choose({ turns: sent, cover }, blocks, this.#newBlockTokens);
    const beside = fitBeside(state, { tokens: choice.tokens, items: choice.items.length });
    const steps = [...window.steps, ...alone.steps, ...beside.steps];
    if (beside.firstBlock === alone.firstBlock)
      return { window: { ...window, state, steps }, blocks, choice, cover };
    const freed = this.#chooseAtStep({ turns: sent, cover }, beside.blocks);
    const first = window.turns.find(({ id }) => freed.blocks.has(id));
    return {
      ...freed,
      cover,
      window: { ...window, state: { ...state, firstBlock: first?.number ?? asked.number }, steps },
    };
  }

  /** What was in a block that left may be given anew: blocks leave until all of them, the new one included, take what they may at a step. */
  #chooseAtStep(
    sent: { turns: readonly PastTurn[]; cover: Cover | null },
    kept: ReadonlyMap<TurnId, Block>,
  ): Pick<Fit, 'blocks' | 'choice'> {
    let blocks = withoutRepeats(kept);
    for (;;) {
      const choice = this.#newBlock.choose(sent, blocks, this.#newBlockTokens);
      const tokens = [...blocks.values()].reduce((sum, block) => sum + this.#countTokens(block.text), 0);
      if (blocks.size === 0 || tokens + choice.tokens <= this.#limits.blockTokensAtStep)
        return { blocks, choice };
      blocks = new Map([...blocks].slice(1));
    }
  }

  #assemble({ window, blocks, choice, cover }: Fit): PromptPlan {
    const { asked, model, previous } = this.#request;
    const block = this.#newBlock.make(choice.items);
    const sent = new SentMessages((text) => this.#countTokens(text));
    sent.addSystem(systemText(this.#language, this.#request));
    if (cover) sent.addSummaries(cover.text, cover.state.ids);
    for (const turn of window.turns) {
      const original = this.#past.find(({ id }) => id === turn.id);
      const own = blocks.get(turn.id);
      const firstUser = turn.messages.findIndex(
        ({ role, attached }) => role === 'user' && attached === undefined,
      );
      for (const [place, message] of turn.messages.entries()) {
        if (own && place === Math.max(0, firstUser)) sent.addBlock(turn, own);
        if (message.leftOut) continue;
        if (message.attached !== undefined) {
          sent.addAttached(turn, { ...message, found: message.found ?? [], sections: message.attached });
          continue;
        }
        const { content } = original?.messages[place] ?? message;
        const shortened = !message.withheld && message.content !== content;
        sent.addMessage(turn, { ...message, shortened });
      }
      if (own && turn.messages.length === 0) sent.addBlock(turn, own);
    }
    const attached = this.#attached && { ...this.#attached, ...frameOf(block ?? this.#attached) };
    if (attached) {
      const counts = sectionCounts(this.#request.attached ?? []);
      const { content, attached: sections = 0 } = attachedMessage(attached, counts);
      sent.addAttached(asked, { content, found: attached.items, sections });
    }
    if (block) sent.addBlock(asked, block);
    const shortened = window.question !== asked.question;
    sent.addMessage(asked, { role: 'user', content: window.question, withheld: false, shortened });
    const trail: PromptTrail = {
      state: window.state,
      digests: sent.messages.map(digestOf),
      turns: sent.layout.map(({ turn }) => turn),
    };
    const results = window.turns.flatMap(({ messages }) => messages.filter(({ leftOut }) => !leftOut));
    const items = [
      ...[...blocks.values()].flatMap((one) => one.items),
      ...results.flatMap(({ found }) => found ?? []),
      ...(attached?.items ?? []),
      ...choice.items,
    ];
    const tokens = sent.layout.reduce((sum, entry) => sum + entry.tokens, 0);
    return {
      messages: sent.messages,
      layout: sent.layout,
      steps: reasonsOf(window.steps, previous, trail, sent.layout),
      tokens,
      contextTokens: model.contextTokens,
      candidates: choice.selections.map((selection) => this.#newBlock.judged(selection)),
      cover,
      block,
      blockTokens: block ? this.#countTokens(block.text) : 0,
      attached,
      changedBlocks: window.turns.flatMap(({ id, version, sentBlock }) => {
        const own = blocks.get(id);
        return own && own.text !== sentBlock ? [{ turnId: id, version, block: own }] : [];
      }),
      items,
      trail,
      madeFrom: [
        ...new Set([
          ...sourcesOf(items),
          ...(cover?.summaries ?? []).flatMap(({ madeFrom }) => madeFrom),
          ...window.turns.flatMap((turn) =>
            turn.messages.some(({ role, withheld }) => role === 'assistant' && !withheld)
              ? turn.madeFrom
              : [],
          ),
        ]),
      ],
      tools: model.tools ?? [],
      maySee: model.maySend,
      toolRoom: Math.max(0, this.#budget - tokens),
      changedResults: window.turns.flatMap((turn) => turn.changedResults),
    };
  }

  #attachedTokens(): number {
    const [message] = this.#attachedTurn?.messages ?? [];
    return message && this.#request.model.readsPrompt ? this.#countTokens(message.content) : 0;
  }

  #firstState(): PromptState {
    const { past, asked } = this.#request;
    const first = past[0]?.number ?? asked.number;
    return { language: this.#language, firstTurn: first, firstBlock: first, shortened: {}, cover: null };
  }

  /** A turn without what has to stay on this computer, and with its block rendered anew if an item left it. */
  #asMayBeSent(turn: PastTurn): PastTurn {
    const { maySend } = this.#request.model;
    const isFree = (sources: readonly Source[]) => sources.every((source) => maySend.has(source));
    const hasTools = (this.#request.model.tools ?? []).length > 0;
    const withTools = turn.messages.map((message) => {
      const mayGo =
        message.attached === undefined
          ? !isOfTools(message) || (hasTools && isFree(turn.madeFrom))
          : isFree(sourcesOf(message.found ?? []));
      return mayGo ? message : leftOut(message);
    });
    const messages = isFree(turn.madeFrom)
      ? withTools
      : withTools.map((message) =>
          message.role === 'assistant' && !message.leftOut
            ? { ...message, content: WITHHELD_REPLY[this.#language], withheld: true, parts: [] }
            : message,
        );
    const { block } = turn;
    if (!block || block.items.length === 0 || !isFree(sourcesOf(block.items))) {
      return { ...turn, messages, block: null };
    }
    if (turn.sentBlock !== null) return { ...turn, messages };
    return { ...turn, messages, block: { ...block, text: renderBlock(block) } };
  }

  #countTokens(text: string): number {
    const known = this.#tokensOfText.get(text);
    if (known !== undefined) return known;
    const tokens = text === '' ? 0 : this.#request.model.countTokens(text);
    this.#tokensOfText.set(text, tokens);
    return tokens;
  }
}

const isOfTools = ({ role, toolCalls }: PastMessage): boolean => role === 'tool' || toolCalls !== undefined;

/** It keeps its place, by which it is known how far the messages of its turn were shortened. */
const leftOut = ({ role, withheld, attached }: PastMessage): PastMessage => ({
  role,
  ...(attached === undefined ? {} : { attached }),
  content: '',
  parts: [],
  withheld,
  leftOut: true,
});

/** What both messages of a turn that quote something are rendered with. */
const frameOf = ({ marker, language, at }: AttachedBlock): Omit<AttachedBlock, 'items'> => ({
  marker,
  language,
  at,
});
