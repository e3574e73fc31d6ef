import { createHash } from 'node:crypto';
import { defaultSettings } from '../../../src/shared/settings.ts';
import { sharedData } from '../../support/sharedData.ts';
import { indexVault } from '../../support/testApp.ts';
import { withCore } from '../indexedSet.ts';
import { openProduct, type Product } from '../product.ts';
import { onHalves } from './measure.ts';
import { readSmallTalk, readUnanswerable } from './talk.ts';

const VAULTS = ['etalab-guides', 'foam-docs'];
/** Messages with the highest scores that are shown. */
const SHOWN = 3;

/** What one message is given though nothing answers it. */
interface Given {
  text: string;
  /** Items that reach the minimum, at most as many as a turn is given; what is given to every turn is left out. */
  items: number;
  /** Relevance of the best. */
  highest: number;
}

/**
 * Prints what is given to small talk, and to questions that nothing answers: against two vaults in one core, and against the
 * dialogues of each half.
 */
export async function evaluateGiven(): Promise<void> {
  const smallTalk = Object.entries(readSmallTalk()).flatMap(([wordings, { fr, en }]) => [
    { name: 'small talk.fr', wordings, texts: fr },
    { name: 'small talk.en', wordings, texts: en },
  ]);
  const unanswerable = readUnanswerable();
  const vaults = VAULTS.flatMap((name) => sharedData(`vaults/${name}`) ?? []);
  if (vaults.length === 0) {
    console.log(JSON.stringify({ skipped: 'vaults', because: 'the shared data is not on this machine' }));
  } else {
    await withCore(async (app) => {
      for (const vault of vaults) await indexVault(app, vault);
      const product = await openProduct(app);
      const against = 'vaults';
      for (const { texts, ...head } of smallTalk) {
        print({ ...head, against }, await giveAll(product, texts));
      }
      for (const half of ['tune', 'report']) {
        const ofHalf = unanswerable.filter(({ of, text }) => VAULTS.includes(of) && halfOf(text) === half);
        const given = await giveAll(
          product,
          ofHalf.map(({ text }) => text),
        );
        print({ name: 'unanswerable', against, half }, given);
      }
    });
  }
  await onHalves(async ({ half, product, dialogues }) => {
    const against = 'talk';
    const now = Math.max(...dialogues.map(({ askedAt }) => Date.parse(askedAt)));
    for (const { texts, ...head } of smallTalk) {
      print({ ...head, against, half }, await giveAll(product, texts, now));
    }
    const ids = dialogues.map(({ id }) => id);
    const texts = unanswerable.flatMap(({ of, text }) => (ids.includes(of) ? text : []));
    print({ name: 'unanswerable', against, half }, await giveAll(product, texts, now));
  });
}

function print(
  head: { name: string; against: string; wordings?: string; half?: string },
  given: readonly Given[],
): void {
  const some = given.filter(({ items }) => items > 0);
  const mean = given.reduce((sum, { items }) => sum + items, 0) / Math.max(1, given.length);
  console.log(
    JSON.stringify({
      ...head,
      messages: given.length,
      givenSomething: some.length,
      itemsInTheMean: Number(mean.toFixed(2)),
      itemsAtMost: Math.max(0, ...given.map(({ items }) => items)),
      highest: [...given]
        .sort((one, other) => other.highest - one.highest)
        .slice(0, SHOWN)
        .map(({ text, highest }) => [text, Number(highest.toFixed(2))]),
    }),
  );
}

async function giveAll(product: Product, texts: readonly string[], now = Date.now()): Promise<Given[]> {
  const all: Given[] = [];
  for (const text of texts) all.push(await give(product, text, now));
  return all;
}

async function give(product: Product, text: string, now: number): Promise<Given> {
  const { minScore, maxResults } = defaultSettings;
  const found = await product.find(text, ['facts', 'notes', 'turns'], now);
  const scores = found
    .filter(({ always, onlyAsks }) => !onlyAsks && (always === null || always === 'named'))
    .map(({ result }) => result.score);
  return {
    text,
    items: Math.min(maxResults, scores.filter((score) => score >= minScore).length),
    highest: Math.max(0, ...scores),
  };
}

const halfOf = (text: string): string =>
  (createHash('sha256').update(text).digest()[0] as number) % 2 === 0 ? 'tune' : 'report';
