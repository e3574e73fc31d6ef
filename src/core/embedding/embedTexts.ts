import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../support/logger.ts';
import type { Embedder } from './embedder.ts';
import { isUnitOrZero } from './vectorTable.ts';

/** Texts that the embedder is given at once, so that it can be stopped between two calls. */
const AT_ONCE = 64;
/** Any embedder can embed this; one that cannot is broken. */
const PLAIN_TEXT = 'a';

export interface EmbedTextsOptions {
  signal: AbortSignal;
  log: Logger;
}

/** The embedder ended during a call, or before it. */
export class EmbedderEnded extends AppError {
  /** Places of the texts of the call; none if it had ended before. */
  readonly places: readonly number[];
  constructor(places: readonly number[], cause: unknown) {
    super('EMBEDDER_FAILED', { reason: 'it ended' }, { cause });
    this.places = places;
  }
}

/**
 * Embeds texts. The place of a text on which the embedder fails by itself holds null; the others are embedded all the same.
 * @param alone places of texts that are embedded one by one
 * @throws EmbedderEnded; AppError EMBEDDER_FAILED if the embedder fails on every text, and it is closed then; the signal's reason
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  { alone, ...options }: EmbedTextsOptions & { alone: ReadonlySet<number> },
): Promise<(Float32Array | null)[]> {
  const vectors: (Float32Array | null)[] = texts.map(() => null);
  for (const places of groupsOf(texts.length, alone)) {
    const embedded = await embedGroup(
      embedder,
      places.map((place) => ({ place, text: texts[place] as string })),
      options,
    );
    for (const [index, place] of places.entries()) vectors[place] = embedded[index] ?? null;
  }
  return vectors;
}

function groupsOf(count: number, alone: ReadonlySet<number>): number[][] {
  const groups: number[][] = [...alone].map((place) => [place]);
  const others = Array.from({ length: count }, (_, place) => place).filter((place) => !alone.has(place));
  for (let at = 0; at < others.length; at += AT_ONCE) groups.push(others.slice(at, at + AT_ONCE));
  return groups;
}

interface PlacedText {
  place: number;
  text: string;
}

/** One call for all texts; if it fails, one call for each of them. */
async function embedGroup(
  embedder: Embedder,
  group: readonly PlacedText[],
  { signal, log }: EmbedTextsOptions,
): Promise<(Float32Array | null)[]> {
  try {
    return await call(embedder, group, signal);
  } catch (error) {
    if (error instanceof EmbedderEnded || signal.aborted) throw error;
    if (group.length > 1) log.warn({ texts: group.length, err: error }, 'texts are embedded one by one');
  }
  const vectors: (Float32Array | null)[] = [];
  let hasFailed = false;
  for (const one of group) {
    try {
      vectors.push(...(await call(embedder, [one], signal)));
    } catch (error) {
      if (error instanceof EmbedderEnded || signal.aborted) throw error;
      if (!hasFailed) await assertWorks(embedder, signal);
      hasFailed = true;
      vectors.push(null);
    }
  }
  return vectors;
}

/** Is it the text that the embedder failed on, or the embedder? @throws what the embedder throws for a plain text */
async function assertWorks(embedder: Embedder, signal: AbortSignal): Promise<void> {
  try {
    await embedder.embedPassages([PLAIN_TEXT], signal);
  } catch (error) {
    signal.throwIfAborted();
    await embedder.close();
    throw error;
  }
}

async function call(
  embedder: Embedder,
  group: readonly PlacedText[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  if (embedder.ended.aborted) throw new EmbedderEnded([], embedder.ended.reason);
  try {
    const vectors = await embedder.embedPassages(
      group.map(({ text }) => text),
      signal,
    );
    if (
      vectors.length !== group.length ||
      !vectors.every((vector) => isUnitOrZero(vector, embedder.dimensions))
    ) {
      throw new AppError('EMBEDDER_FAILED', { reason: 'its vectors make no sense' });
    }
    return vectors;
  } catch (error) {
    signal.throwIfAborted();
    if (embedder.ended.aborted)
      throw new EmbedderEnded(
        group.map(({ place }) => place),
        error,
      );
    throw error;
  }
}
