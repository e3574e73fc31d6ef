import { createApp } from '../../src/core/app.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';

type Print = (name: string, value: number, unit: string, baseline: number) => void;

/** Notes of the smaller and of the larger vault. */
const SIZES = [6_000, 26_000] as const;

const TEXTS: Readonly<Record<string, (index: number) => string>> = {
  distinct: (index) => `# Note ${index}\n\nThe text of note ${index}, which links to [[n${index + 1}]].`,
  identical: () => '# The same\n\nThe same text in every note.',
};

/**
 * How the cost of indexing grows with the number of notes: the exponent e in cost ~ notes^e, from two sizes, without vectors. The
 * baseline is 1, a cost proportional to the number of notes. The cost is CPU time, on which other programs have less influence than
 * on elapsed time.
 */
export async function benchIndexingGrowth(print: Print): Promise<void> {
  for (const [name, text] of Object.entries(TEXTS)) {
    const [small, large] = [await indexingCost(SIZES[0], text), await indexingCost(SIZES[1], text)];
    print(
      `index.growth.${name}-notes`,
      Math.log(large / small) / Math.log(SIZES[1] / SIZES[0]),
      'exponent',
      1,
    );
  }
}

/** CPU seconds that it takes to index `notes` files of one folder, worker threads included. */
async function indexingCost(notes: number, text: (index: number) => string): Promise<number> {
  const dataDir = temporaryFolder();
  const vault = temporaryFolder();
  writeNotes(
    vault,
    Object.fromEntries(Array.from({ length: notes }, (_, index) => [`n${index}.md`, text(index)])),
  );
  const app = createApp({ dataDir, version: 'bench' });
  try {
    const { id } = await app.services.vaults.add(vault, []);
    const before = process.cpuUsage();
    await app.services.vaults.indexer(id).reconcile();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  } finally {
    await app.close();
    removeFolder(dataDir);
    removeFolder(vault);
  }
}
