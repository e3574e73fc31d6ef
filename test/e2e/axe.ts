import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/**
 * Returns what axe finds in the page, or in the part of it that a selector names, once nothing moves any more. The page has no frames: all
 * of it is read in one go, without a second page to put the parts together. Only what is wrong is described.
 */
export async function violationsIn(page: Page, selector?: string) {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (selector !== undefined) builder.include(selector);
  return (await builder.analyze()).violations;
}

/** Returns those that keep somebody from using the page, each with where it is and why. */
export async function seriousIn(page: Page): Promise<string[][]> {
  return (await violationsIn(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [
      id,
      ...nodes.map(({ target, failureSummary }) => `${String(target)}: ${failureSummary ?? ''}`),
    ]);
}
