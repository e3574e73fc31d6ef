import { estimateTokens } from '../support/text/tokens.ts';
import type { ChatModel, ModelEvent, ModelRequest } from './chatModel.ts';

/** Name of the built-in answerer, as stored with its replies. */
export const PASSAGES = 'passages';

/** The answerer that needs no model. It writes no prose: its reply is the items that answer the question, best first. */
export class PassagesModel implements ChatModel {
  readonly name = PASSAGES;
  readonly isLocal = true;
  readonly readsPrompt = false;
  readonly takesTools = false;
  readonly #minScore: number;

  /** @param minScore relevance, 0 to 1, below which an item is no answer */
  constructor(minScore: number) {
    this.#minScore = minScore;
  }

  async contextTokens(): Promise<number> {
    return Number.POSITIVE_INFINITY;
  }

  countTokens(text: string): number {
    return estimateTokens(text);
  }

  async *reply({ items }: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for (const item of items) {
      // Who the user is is given to every turn, but answers few questions.
      if (item.score < this.#minScore) continue;
      // Lets a stop arrive between two items.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return;
      yield { type: 'cite', number: item.number };
    }
  }
}
