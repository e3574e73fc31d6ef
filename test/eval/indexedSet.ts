import { type App, type AppPorts, createApp } from '../../src/core/app.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import type { EvalSet } from './sets.ts';

/** Of sets whose questions name nothing. */
export const NO_NAMES = { others: () => [], kin: () => [] };

/** Runs `work` on an empty core of its own, and takes everything down. */
export async function withCore<T>(work: (app: App) => T | Promise<T>, ports: AppPorts = {}): Promise<T> {
  const dataDir = temporaryFolder();
  const app = createApp({ dataDir, version: 'eval' }, ports);
  try {
    return await work(app);
  } finally {
    await app.close();
    removeFolder(dataDir);
  }
}

/** Indexes a set in a core of its own, runs `work`, and takes everything down. */
export async function withIndexedSet<T>(set: EvalSet, work: (app: App) => T | Promise<T>): Promise<T> {
  const vault = temporaryFolder();
  writeNotes(vault, set.notes);
  try {
    return await withCore(async (app) => {
      await indexVault(app, vault);
      return await work(app);
    });
  } finally {
    removeFolder(vault);
  }
}
