import { type App, createApp } from '../../src/core/app.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { indexVault } from '../support/testApp.ts';
import type { EvalSet } from './sets.ts';

/** Indexes a set in a core of its own, runs `work`, and takes everything down. */
export async function withIndexedSet<T>(set: EvalSet, work: (app: App) => T | Promise<T>): Promise<T> {
  const vault = temporaryFolder();
  const dataDir = temporaryFolder();
  writeNotes(vault, set.notes);
  const app = createApp({ dataDir, version: 'eval' });
  try {
    await indexVault(app, vault);
    return await work(app);
  } finally {
    await app.close();
    removeFolder(vault);
    removeFolder(dataDir);
  }
}
