import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { VectorProgress } from '../../shared/contract/app.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import { BUILT_IN, type Embedder, type StartEmbedder } from './embedder.ts';
import { closeIndex, fingerprintOf, type LiveIndex, type OpenIndexRequest, openIndex } from './liveIndex.ts';
import type { VectorRow } from './vectorMatrix.ts';
import type { KnownIndex, VectorOutbox } from './vectorOutbox.ts';
import { eraseVectors } from './vectorTable.ts';

export type Problem = VectorProgress['problem'];

export interface OpenedIndexes {
  /** Answers questions. */
  serving: LiveIndex;
  /** The vectors of `serving`. */
  rows: VectorRow[];
  /** The index of another embedder, which answers once it is complete. */
  building: LiveIndex | null;
  /** Why the embedder of the setting is not used; null if it is. */
  notice: Problem;
}

/** `setting` of the request names the embedder that is expected to answer. */
export interface OpenIndexesRequest extends OpenIndexRequest {
  outbox: VectorOutbox;
  startEmbedder: StartEmbedder;
}

/**
 * Opens the index of the expected embedder. If another one answered before, that one is opened too and goes on answering while
 * the new one is built beside it. If the expected embedder cannot be used, the former one answers, or else the built-in one.
 * Indexes that nobody needs any more are erased.
 * @throws whatever kept even the built-in embedder's index from being opened; everything is closed then
 */
export async function openIndexes(request: OpenIndexesRequest): Promise<OpenedIndexes> {
  const known = request.outbox.serving();
  const expected = await startExpected(request);
  const opened =
    'notice' in expected
      ? { ...(await openFallback(request, known?.embedder)), building: null, notice: expected.notice }
      : await openExpected(request, expected, known);
  eraseOthers(request, [opened.serving, opened.building]);
  return opened;
}

/**
 * Opens the index of the expected embedder beside the one that answers, unless that one is what is expected. If the expected
 * embedder cannot be used, there is a notice and nothing is built. Indexes that nobody needs any more are erased.
 * @throws the signal's reason
 */
export async function openBeside(
  request: OpenIndexesRequest,
  serving: LiveIndex,
): Promise<Pick<OpenedIndexes, 'building' | 'notice'>> {
  let opened: Pick<OpenedIndexes, 'building' | 'notice'> = { building: null, notice: null };
  if (serving.setting !== request.setting) {
    const expected = await startExpected(request);
    if ('notice' in expected) opened = { building: null, notice: expected.notice };
    else if (fingerprintOf(expected) !== serving.fingerprint) opened = await openBuilding(request, expected);
    else {
      // The same model under another name: its folder was moved.
      await expected.close();
      serving.setting = request.setting;
      request.outbox.setServing({ fingerprint: serving.fingerprint, embedder: serving.setting });
    }
  }
  eraseOthers(request, [serving, opened.building]);
  return opened;
}

/** Closes the indexes that are open, with their embedders. */
export async function closeIndexes({
  serving,
  building,
}: Pick<OpenedIndexes, 'serving' | 'building'>): Promise<void> {
  await closeIndex(serving);
  if (building) await closeIndex(building);
}

async function startExpected({
  setting,
  log,
  signal,
  startEmbedder,
}: OpenIndexesRequest): Promise<Embedder | { notice: Problem }> {
  try {
    return await startEmbedder(setting, log, signal);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.error({ err: error }, 'the chosen embedder cannot be used');
    return { notice: codeOf(error) };
  }
}

async function openExpected(
  request: OpenIndexesRequest,
  expected: Embedder,
  known: KnownIndex | undefined,
): Promise<OpenedIndexes> {
  try {
    const former =
      known && known.fingerprint !== fingerprintOf(expected) ? await startFormer(request, known) : null;
    if (former && known) {
      const { index: serving, rows } = await openIndex(former, { ...request, setting: known.embedder });
      try {
        return { serving, rows, ...(await openBuilding(request, expected)) };
      } catch (error) {
        await closeIndex(serving);
        throw error;
      }
    }
    const { index, rows } = await openIndex(expected, request);
    request.outbox.setServing({ fingerprint: index.fingerprint, embedder: index.setting });
    return { serving: index, rows, building: null, notice: null };
  } catch (error) {
    await expected.close();
    throw error;
  }
}

/**
 * Starts the embedder of the index that answered before. Returns null if it cannot be asked any more: its folder is gone, or it
 * changed under the same name (a new version of Souvenir, other files in the folder).
 */
async function startFormer(request: OpenIndexesRequest, known: KnownIndex): Promise<Embedder | null> {
  const { setting, root, log, signal } = request;
  if (known.embedder === setting || !existsSync(join(root, known.fingerprint))) return null;
  try {
    const former = await request.startEmbedder(known.embedder, log, signal);
    if (fingerprintOf(former) === known.fingerprint) return former;
    await former.close();
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error }, 'the former embedder cannot be used; its index is erased');
  }
  return null;
}

/** The new index, or the reason why it cannot be opened. @throws the signal's reason */
async function openBuilding(
  request: OpenIndexesRequest,
  expected: Embedder,
): Promise<Pick<OpenedIndexes, 'building' | 'notice'>> {
  try {
    const { index } = await openIndex(expected, request);
    return { building: index, notice: null };
  } catch (error) {
    request.signal.throwIfAborted();
    request.log.error({ err: error }, 'the index of the chosen embedder cannot be opened');
    return { building: null, notice: codeOf(error) };
  }
}

async function openFallback(
  request: OpenIndexesRequest,
  known = BUILT_IN,
): Promise<Pick<OpenedIndexes, 'serving' | 'rows'>> {
  const { startEmbedder, log, signal } = request;
  let setting = known;
  let embedder: Embedder;
  try {
    embedder = await startEmbedder(setting, log, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (setting === BUILT_IN) throw error;
    log.warn({ err: error }, 'the former embedder cannot be used either; the built-in one answers');
    setting = BUILT_IN;
    embedder = await startEmbedder(setting, log, signal);
  }
  const { index, rows } = await openIndex(embedder, { ...request, setting });
  return { serving: index, rows };
}

function eraseOthers({ root, log }: OpenIndexRequest, kept: readonly (LiveIndex | null)[]): void {
  if (!existsSync(root)) return;
  const names = new Set(kept.map((index) => index?.fingerprint));
  for (const name of readdirSync(root)) {
    if (names.has(name)) continue;
    try {
      eraseVectors(join(root, name));
    } catch (error) {
      log.warn({ err: error }, 'an index that is not needed any more cannot be erased yet');
    }
  }
}
