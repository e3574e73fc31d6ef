import type { SearchResult } from '../../../shared/contract/retrieval.ts';
import type { Serving } from '../../embedding/vectorIndexer.ts';
import { unlessAborted } from '../../support/abort.ts';
import type { ItemRef, RankedFinding } from '../findings.ts';
import type { FindPart } from '../searchContract.ts';
import { type EmbeddedQuestion, embedQuestion } from '../vector/embedQuestion.ts';
import { type Lowering, lowerings, type MarkedItemsPorts } from './markedItems.ts';

export interface MarksPorts extends MarkedItemsPorts {
  /** Null if there are no vectors. */
  serving(): Serving | null;
}

/** A question whose findings are lowered. */
interface Asked {
  text: string;
  /** Null if its vector is late or failed. */
  query: EmbeddedQuestion | null;
  signal?: AbortSignal;
}

/** What the user's marks do to what was found. The embedder keeps the vectors of questions that it has embedded before. */
export class Marks {
  readonly #ports: MarksPorts;

  constructor(ports: MarksPorts) {
    this.#ports = ports;
  }

  /** @throws AppError EMBEDDER_FAILED; the signal's reason if it was aborted */
  async lowerParts(parts: readonly FindPart[], asked: Asked): Promise<readonly FindPart[]> {
    const items = parts.flatMap((part) => ('found' in part && 'items' in part.found ? part.found.items : []));
    const found = await this.#lowerings(
      items.map(({ finding }) => finding.result),
      asked,
    );
    if (found.every((one) => one === null)) return parts;
    const byItem = new Map(items.map((item, place) => [item, found[place] ?? null]));
    return parts.map((part) => {
      if (!('found' in part && 'items' in part.found)) return part;
      const lower = (item: RankedFinding) => lowerFinding(item, byItem.get(item) ?? null);
      return { found: { ...part.found, items: part.found.items.map(lower) } };
    });
  }

  /** Best first. @throws as `lowerParts` */
  async lowerResults(results: readonly SearchResult[], asked: Asked): Promise<SearchResult[]> {
    const found = await this.#lowerings(results, asked);
    return results
      .map((result, place) => lowerResult(result, found[place] ?? null))
      .sort((one, other) => other.score - one.score);
  }

  #lowerings(items: readonly ItemRef[], { text, query, signal }: Asked): Promise<(Lowering | null)[]> {
    const serving = this.#ports.serving();
    // Another index may have been taken over since the question was embedded.
    const space = query && serving?.fingerprint === query.fingerprint ? serving : null;
    const embed = async (other: string) => {
      if (!space) return null;
      const embedding = embedQuestion(other, space, signal);
      return (signal ? await unlessAborted(embedding, signal) : await embedding).values;
    };
    const vector = space && query ? query.values : null;
    return lowerings(items, { text, vector, scale: space?.scale ?? null, embed }, this.#ports);
  }
}

function lowerFinding(item: RankedFinding, lowering: Lowering | null): RankedFinding {
  if (!lowering) return item;
  const { finding, score, fused } = item;
  const { factor } = lowering;
  const inFolder = placedLower(finding.inFolder, factor);
  const beside = placedLower(finding.beside, factor);
  const result = lowerResult(finding.result, lowering);
  return { finding: { ...finding, result, inFolder, beside }, score: score * factor, fused };
}

/** Where a finding stands is told with the score that it is placed by, which the mark lowers as well. */
const placedLower = <T extends { placedAt: number }>(place: T | null, factor: number): T | null =>
  place && { ...place, placedAt: place.placedAt * factor };

/** A result with the score that is left to it, and what it was. */
function lowerResult<T extends Pick<SearchResult, 'score' | 'lowered'>>(
  result: T,
  lowering: Lowering | null,
): T {
  if (!lowering) return result;
  const { factor, similarity } = lowering;
  const { score } = result;
  return {
    ...result,
    score: rounded(score * factor),
    lowered: { was: score, similarity: rounded(similarity) },
  };
}

const rounded = (value: number): number => Number(value.toFixed(4));
