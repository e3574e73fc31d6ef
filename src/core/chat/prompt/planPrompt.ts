import type { Source } from '../../../shared/contract/prompt.ts';
import type { Candidate } from '../../../shared/contract/retrieval.ts';
import type { Language } from '../../../shared/errors.ts';
import type { TurnId } from '../../../shared/ids.ts';
import { clampTime } from '../../../shared/time.ts';
import type { Finding } from '../../search/findings.ts';
import { NOTHING_IN_PROMPT, type Selection, select } from '../../search/select.ts';
import type { Block, BlockItem } from '../../storage/contextBlocks.ts';
import { sha256 } from '../../support/ids.ts';
import { renderBlock } from './block.ts';
import { type SentBlock, whatIsInPrompt } from './inPrompt.ts';
import type { PlanRequest, PromptPlan } from './plan.ts';
import { reasonsOf, SentMessages } from './sentMessages.ts';
import { sourcesOf } from './sources.ts';
import { SYSTEM_TEXT, WITHHELD_REPLY } from './systemText.ts';
import type { PromptState, PromptTrail } from './trail.ts';
import {
  EASED,
  FULL,
  fitBlocks,
  fitMessages,
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
const BLOCK_ITEMS = 100;

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
}

interface Choice {
  selections: readonly Selection[];
  items: readonly BlockItem[];
  tokens: number;
}

class Planning {
  readonly #request: PlanRequest;
  readonly #language: Language;
  readonly #tokensOfText = new Map<string, number>();
  readonly #limits: WindowLimits;
  readonly #newBlockTokens: number;
  /** Stands in for the marker while items are chosen: all markers are of one length. */
  readonly #marker: string;

  constructor(request: PlanRequest) {
    this.#request = request;
    this.#language = request.previous?.state.language ?? request.language;
    this.#marker = request.drawMarker();
    const { model, settings } = request;
    const { contextTokens } = model;
    const budget = contextTokens - Math.min(MOST_REPLY_TOKENS, Math.floor(contextTokens * REPLY_SHARE));
    const blockTokens = Math.floor(budget * BLOCKS_SHARE);
    const systemTokens = this.#countTokens(SYSTEM_TEXT[this.#language]);
    this.#newBlockTokens = Math.min(settings.tokenBudget, Math.floor(blockTokens * NEW_BLOCK_SHARE));
    this.#limits = {
      messages: MESSAGES,
      leastTurns: LEAST_TURNS,
      messageTokens: budget - systemTokens - blockTokens,
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
    const choice = this.#choose([], new Map(), settings.tokenBudget);
    const block = this.#newBlock(choice.items);
    return {
      messages: [],
      layout: [],
      steps: [],
      tokens: 0,
      contextTokens: 0,
      candidates: choice.selections.map((selection) => this.#toCandidate(selection)),
      block,
      blockTokens: choice.tokens,
      changedBlocks: [],
      items: choice.items,
      trail: previous ?? { state: this.#firstState(), digests: [], turns: [] },
      madeFrom: sourcesOf(choice.items),
    };
  }

  /** Plans within the limits; if one is passed, plans again and frees what is nearly full as well. */
  #planPrompt(): PromptPlan {
    const plain = this.#fit(FULL);
    if (plain.window.steps.length === 0) return this.#assemble(plain);
    const eased = this.#fit(EASED);
    return this.#assemble({ ...eased, window: { ...eased.window, steps: plain.window.steps } });
  }

  #fit(ease: number): Fit {
    const { asked, previous, past } = this.#request;
    const limits = this.#limits;
    const window = fitMessages(
      past.map((turn) => this.#asMayBeSent(turn)),
      asked,
      {
        state: previous?.state ?? this.#firstState(),
        limits,
        ease,
        countTokens: (text) => this.#countTokens(text),
      },
    );
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
    const choice = this.#choose(window.turns, blocks, this.#newBlockTokens);
    const beside = fitBeside(state, { tokens: choice.tokens, items: choice.items.length });
    const steps = [...window.steps, ...alone.steps, ...beside.steps];
    if (beside.firstBlock === alone.firstBlock)
      return { window: { ...window, state, steps }, blocks, choice };
    const freed = this.#chooseAtStep(window.turns, beside.blocks);
    const first = window.turns.find(({ id }) => freed.blocks.has(id));
    return {
      ...freed,
      window: { ...window, state: { ...state, firstBlock: first?.number ?? asked.number }, steps },
    };
  }

  /** What was in a block that left may be given anew: blocks leave until all of them, the new one included, take what they may at a step. */
  #chooseAtStep(
    turns: readonly PastTurn[],
    kept: ReadonlyMap<TurnId, Block>,
  ): Pick<Fit, 'blocks' | 'choice'> {
    let blocks = withoutRepeats(kept);
    for (;;) {
      const choice = this.#choose(turns, blocks, this.#newBlockTokens);
      const tokens = [...blocks.values()].reduce((sum, block) => sum + this.#countTokens(block.text), 0);
      if (blocks.size === 0 || tokens + choice.tokens <= this.#limits.blockTokensAtStep)
        return { blocks, choice };
      blocks = new Map([...blocks].slice(1));
    }
  }

  #assemble({ window, blocks, choice }: Fit): PromptPlan {
    const { asked, model, previous } = this.#request;
    const block = this.#newBlock(choice.items);
    const sent = new SentMessages((text) => this.#countTokens(text));
    sent.addSystem(SYSTEM_TEXT[this.#language]);
    for (const turn of window.turns) {
      const original = this.#request.past.find(({ id }) => id === turn.id);
      const own = blocks.get(turn.id);
      const firstUser = turn.messages.findIndex(({ role }) => role === 'user');
      for (const [place, message] of turn.messages.entries()) {
        if (own && place === Math.max(0, firstUser)) sent.addBlock(turn, own);
        const { content } = original?.messages[place] ?? message;
        const shortened = !message.withheld && message.content !== content;
        sent.addMessage(turn, { ...message, shortened });
      }
      if (own && turn.messages.length === 0) sent.addBlock(turn, own);
    }
    if (block) sent.addBlock(asked, block);
    const shortened = window.question !== asked.question;
    sent.addMessage(asked, { role: 'user', content: window.question, withheld: false, shortened });
    const trail: PromptTrail = {
      state: window.state,
      digests: sent.messages.map(({ role, content }) => sha256(`${role}\n${content}`).slice(0, 16)),
      turns: sent.layout.map(({ turn }) => turn),
    };
    const items = [...[...blocks.values()].flatMap((one) => one.items), ...choice.items];
    return {
      messages: sent.messages,
      layout: sent.layout,
      steps: reasonsOf(window.steps, previous, trail, sent.layout),
      tokens: sent.layout.reduce((sum, { tokens }) => sum + tokens, 0),
      contextTokens: model.contextTokens,
      candidates: choice.selections.map((selection) => this.#toCandidate(selection)),
      block,
      blockTokens: block ? this.#countTokens(block.text) : 0,
      changedBlocks: window.turns.flatMap(({ id, version, sentBlock }) => {
        const own = blocks.get(id);
        return own && own.text !== sentBlock ? [{ turnId: id, version, block: own }] : [];
      }),
      items,
      trail,
      madeFrom: [
        ...new Set([
          ...sourcesOf(items),
          ...window.turns.flatMap((turn) =>
            turn.messages.some(({ role, withheld }) => role === 'assistant' && !withheld)
              ? turn.madeFrom
              : [],
          ),
        ]),
      ],
    };
  }

  #firstState(): PromptState {
    const { past, asked } = this.#request;
    const first = past[0]?.number ?? asked.number;
    return { language: this.#language, firstTurn: first, firstBlock: first, shortened: {} };
  }

  /** A turn without what has to stay on this computer, and with its block rendered anew if an item left it. */
  #asMayBeSent(turn: PastTurn): PastTurn {
    const { maySend } = this.#request.model;
    const isFree = (sources: readonly Source[]) => sources.every((source) => maySend.has(source));
    const messages = isFree(turn.madeFrom)
      ? turn.messages
      : turn.messages.map((message) =>
          message.role === 'assistant'
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

  #choose(turns: readonly PastTurn[], blocks: ReadonlyMap<TurnId, Block>, budget: number): Choice {
    const { settings, candidates, similarity, model, nextNumber, vectorOf } = this.#request;
    const toItems = (findings: readonly Finding[]) =>
      findings.map((finding, place) => this.#toItem(finding, nextNumber + place));
    const sentBlocks: SentBlock[] = turns.flatMap((turn) => {
      const block = blocks.get(turn.id);
      return block ? [{ turn: turn.number, block }] : [];
    });
    const held = sentBlocks.reduce((sum, { block }) => sum + block.items.length, 0);
    const selections = select(candidates, {
      minScore: settings.minScore,
      maxResults: settings.maxResults,
      maxInjected: Math.min(settings.maxInjected, BLOCK_ITEMS - Math.min(held, BLOCK_ITEMS / 2)),
      blockTokens: (findings) => this.#countTokens(this.#render(toItems(findings))),
      budget,
      inPrompt: model.readsPrompt
        ? whatIsInPrompt(turns, sentBlocks, { vectorOf, limit: settings.semanticBuffer })
        : NOTHING_IN_PROMPT,
      dedupThreshold: settings.dedupThreshold,
      similarity,
    });
    const injected = selections.filter(({ verdict }) => verdict === 'injected');
    const items = toItems(injected.map(({ finding }) => finding));
    return { selections, items, tokens: items.length === 0 ? 0 : this.#countTokens(this.#render(items)) };
  }

  #toItem({ result, span, text }: Finding, number: number): BlockItem {
    const { kind, id, title, heading, path, channel, createdAt, excerpt, score } = result;
    return {
      number,
      kind,
      id,
      title: title ?? '',
      heading: heading ?? [],
      origin: path ?? channel ?? '',
      at: clampTime(createdAt ?? this.#request.now),
      excerpt,
      span,
      textKey: sha256(text),
      score,
    };
  }

  #render(items: readonly BlockItem[]): string {
    return renderBlock({
      marker: this.#marker,
      language: this.#language,
      at: this.#request.now,
      items,
    });
  }

  /** The new block; that of another version of this turn if it gives the same. */
  #newBlock(items: readonly BlockItem[]): Block | null {
    if (items.length === 0) return null;
    const essence = (all: readonly BlockItem[]) =>
      JSON.stringify(all.map(({ id, excerpt }) => [id, excerpt]));
    const same = this.#request.otherBlocks.find((block) => essence(block.items) === essence(items));
    if (same) return same;
    const block = { marker: this.#marker, language: this.#language, at: this.#request.now, items };
    return { ...block, text: renderBlock(block) };
  }

  #toCandidate({ finding, verdict, reason }: Selection): Candidate {
    const tokens = this.#countTokens(this.#render([this.#toItem(finding, this.#request.nextNumber)]));
    const header = this.#countTokens(this.#render([]));
    return { ...finding.result, verdict, reason, tokens: Math.max(1, tokens - header) };
  }

  #countTokens(text: string): number {
    const known = this.#tokensOfText.get(text);
    if (known !== undefined) return known;
    const tokens = text === '' ? 0 : this.#request.model.countTokens(text);
    this.#tokensOfText.set(text, tokens);
    return tokens;
  }
}
