import type { Candidate } from '../../../shared/contract/retrieval.ts';
import type { Language } from '../../../shared/errors.ts';
import type { TurnId } from '../../../shared/ids.ts';
import type { Finding } from '../../search/findings.ts';
import { NOTHING_IN_PROMPT, type Selection, select } from '../../search/select.ts';
import type { Block, BlockItem } from '../../storage/contextBlocks.ts';
import { renderBlock, renderItem } from './block.ts';
import type { Cover } from './cover.ts';
import { foundItem, quotedOf } from './foundItem.ts';
import { type SentBlock, whatIsInPrompt } from './inPrompt.ts';
import type { PlanRequest } from './plan.ts';
import type { PastTurn } from './window.ts';

/** Items of all blocks of a prompt, at most. */
export const BLOCK_ITEMS = 100;

/** Of the token budget, what may be given although it does not answer. */
const EXTRA_SHARE = 1 / 2;

/** What the new block would hold. */
export interface Choice {
  selections: readonly Selection[];
  items: readonly BlockItem[];
  tokens: number;
}

/** The block of the turn that is answered: chooses its items among the candidates, and renders it. */
export class NewBlock {
  readonly #request: PlanRequest;
  readonly #language: Language;
  readonly #countTokens: (text: string) => number;
  /** All markers are of one length: a block of another version, with its own, takes as many tokens. */
  readonly #marker: string;

  constructor(
    request: PlanRequest,
    form: { language: Language; marker: string; countTokens(text: string): number },
  ) {
    this.#request = request;
    this.#language = form.language;
    this.#countTokens = form.countTokens;
    this.#marker = form.marker;
  }

  /**
   * Judges every candidate, and takes what fits.
   * @param sent turns of the window, and what stands for those that have left
   * @param budget of the block, in tokens
   */
  choose(
    { turns, cover }: { turns: readonly PastTurn[]; cover: Cover | null },
    blocks: ReadonlyMap<TurnId, Block>,
    budget: number,
  ): Choice {
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
      extraBudget: settings.tokenBudget * EXTRA_SHARE,
      inPrompt: model.readsPrompt
        ? whatIsInPrompt(turns, sentBlocks, {
            vectorOf,
            limit: settings.semanticBuffer,
            summaries: cover?.summaries ?? [],
          })
        : NOTHING_IN_PROMPT,
      dedupThreshold: settings.dedupThreshold,
      similarity,
    });
    const injected = selections.filter(({ verdict }) => verdict === 'injected');
    const items = toItems(injected.map(({ finding }) => finding));
    return { selections, items, tokens: items.length === 0 ? 0 : this.#countTokens(this.#render(items)) };
  }

  #toItem(finding: Finding, number: number): BlockItem {
    return { number, ...foundItem(finding, this.#request.now) };
  }

  #render(items: readonly BlockItem[]): string {
    return renderBlock({ ...this.#frame, items });
  }

  get #frame(): Pick<Block, 'marker' | 'language' | 'at'> {
    return { marker: this.#marker, language: this.#language, at: this.#request.now };
  }

  /** The block of these items; that of another version of this turn if it gives the same. Null without items. */
  make(items: readonly BlockItem[]): Block | null {
    if (items.length === 0) return null;
    const essence = (all: readonly BlockItem[]) =>
      JSON.stringify(all.map(({ id, excerpt }) => [id, excerpt]));
    const same = this.#request.otherBlocks.find((block) => essence(block.items) === essence(items));
    if (same) return same;
    const block = { ...this.#frame, items };
    return { ...block, text: renderBlock(block) };
  }

  /** A candidate with its verdict, and the tokens that it takes in a block. */
  judged({ finding, verdict, reason }: Selection): Candidate {
    const item = { number: this.#request.nextNumber, ...quotedOf(finding, this.#request.now) };
    const tokens = this.#countTokens(renderItem(item, this.#frame));
    return { ...finding.result, verdict, reason, tokens };
  }
}
