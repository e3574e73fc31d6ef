import { createApp } from '../../src/core/app.ts';
import { sharedData } from '../support/sharedData.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { differenceInterval, gain10, meanMetrics } from './metrics.ts';
import { readPiaf } from './piaf.ts';
import { createPlainBm25 } from './plainBm25.ts';

/**
 * Retrieval quality, a JSON line for each measure. Exits 1 where the full text falls below the plain BM25 of the same run.
 */
const file = sharedData('piaf/piaf-dev.json');
if (!file) {
  console.log(JSON.stringify({ skipped: 'piaf', because: 'the shared data is not on this machine' }));
} else {
  const piaf = readPiaf(file);
  const vault = temporaryFolder();
  const dataDir = temporaryFolder();
  writeNotes(vault, piaf.notes);
  const app = createApp({ dataDir, version: 'eval' });
  try {
    for await (const _ of await app.client.vaults.index({ path: vault }));
    const ours = piaf.questions.map(({ text, path, heading }) => {
      const found = app.services.retriever.search({ text, mode: 'text', kinds: ['note'], limit: 10 });
      return found.findIndex((result) => result.path === path && result.heading?.[0] === heading) + 1;
    });
    const rank = createPlainBm25(piaf.passages.map((passage) => `${passage.title}\n${passage.text}`));
    const plain = piaf.questions.map(({ text, path, heading }) => {
      const index = piaf.passages.findIndex(
        (passage) => passage.path === path && passage.heading === heading,
      );
      return rank(text).indexOf(index) + 1;
    });
    const interval = differenceInterval(ours.map(gain10), plain.map(gain10));
    const [us, baseline] = [meanMetrics(ours), meanMetrics(plain)];
    const round = (value: number) => Number(value.toFixed(4));
    const print = (name: string, value: number, base: number) =>
      console.log(
        JSON.stringify({ name, value: round(value), baseline: round(base), questions: ours.length }),
      );
    print('piaf.text.ndcg@10', us.ndcg10, baseline.ndcg10);
    print('piaf.text.recall@5', us.recall5, baseline.recall5);
    console.log(JSON.stringify({ name: 'piaf.text.ndcg@10.difference', interval95: interval.map(round) }));
    if (us.ndcg10 < baseline.ndcg10 || us.recall5 < baseline.recall5) process.exitCode = 1;
  } finally {
    await app.close();
    removeFolder(vault);
    removeFolder(dataDir);
  }
}
