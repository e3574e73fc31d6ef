import type { App } from '../../src/core/app.ts';
import type { Serving } from '../../src/core/embedding/vectorIndexer.ts';
import type { MirroredIndex } from '../../src/core/embedding/vectorMirror.ts';
import { openEngine } from '../../src/core/search/engine.ts';
import type { Finding, SourceName } from '../../src/core/search/findings.ts';
import type { Shares } from '../../src/core/search/fusion/shares.ts';
import { TermIndex } from '../../src/core/search/lexical/termIndex.ts';
import { mergeParts } from '../../src/core/search/mergeParts.ts';
import { embedQuestion } from '../../src/core/search/vector/embedQuestion.ts';
import { defaultSettings } from '../../src/shared/settings.ts';
import { readVectors } from '../support/testApp.ts';

/** The product's own retrieval over what a core holds. */
export interface Product {
  index: Serving & MirroredIndex;
  /**
   * What a question finds in some sources, best first, before selection.
   * @param now when it is asked, milliseconds since 1970
   * @param before what was asked right before
   */
  find(text: string, sources: readonly SourceName[], now?: number, before?: string): Promise<Finding[]>;
}

/**
 * The engine of the search thread, on this one: with the index of terms and the vectors loaded, and no deadline.
 * @param shares the measured ones by default
 */
export async function openProduct(app: App, shares?: Shares): Promise<Product> {
  await app.services.vectors.settled();
  const { db } = app.services;
  const index = await readVectors(app);
  const terms = new TermIndex(db);
  while (!terms.load());
  const engine = openEngine(db, () => index, { terms, ...(shares && { shares }) });
  return {
    index,
    async find(text, sources, now = Date.now(), before) {
      const found = engine.find({
        text,
        before: before === undefined ? [] : [before],
        now,
        settings: defaultSettings,
        limit: defaultSettings.candidatesPerSource,
        conversationId: undefined,
        exceptTurn: undefined,
        vectorsOf: [],
        query: await embedQuestion(text, index),
        sources,
        deadline: null,
      });
      const { items, skipped } = mergeParts(
        [...found].map((one) => ({ found: one })),
        sources,
        null,
      );
      if (skipped[0]) throw new Error(`a source was skipped: ${JSON.stringify(skipped[0])}`);
      return items;
    },
  };
}
