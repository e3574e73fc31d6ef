import { bestSections, type ChosenSection, chooseSections, sectionCounts } from './attached.ts';
import { renderAttached, type SectionCounts } from './block.ts';
import type { AttachedBlock, PlanRequest } from './plan.ts';
import type { PastMessage, PastTurn } from './window.ts';

/**
 * What is given of what is attached to the message that is answered: as another version of the turn was given it, if that was the same.
 * Null if nothing is.
 * @param limit tokens that it may take
 */
export function planAttached(
  request: PlanRequest,
  {
    frame,
    limit,
    countTokens,
  }: { frame: Omit<AttachedBlock, 'items'>; limit: number; countTokens(text: string): number },
): AttachedBlock | null {
  const { attached: files = [], otherAttached = [], model, asked, settings, nextNumber } = request;
  if (files.length === 0) return null;
  const counts = sectionCounts(files);
  const numbered = (some: readonly ChosenSection[]) =>
    some.map((item, place) => ({ ...item, number: nextNumber + place }));
  const { question } = asked;
  const chosen = model.readsPrompt
    ? chooseSections(files, {
        question,
        limit,
        tokensOf: (some) => countTokens(renderAttached({ ...frame, items: numbered(some) }, counts)),
      })
    : bestSections(files, { question, limit: settings.maxResults, minScore: settings.minScore });
  if (chosen.length === 0) return null;
  const essence = (some: readonly ChosenSection[]) =>
    JSON.stringify(some.map(({ id, excerpt }) => [id, excerpt]));
  const same = otherAttached.find(({ items }) => essence(items) === essence(chosen));
  return same ?? { ...frame, items: numbered(chosen) };
}

/** What was attached to a message, as it is sent. */
export function attachedMessage(block: AttachedBlock, counts: SectionCounts): PastMessage {
  return {
    role: 'user',
    content: renderAttached(block, counts),
    found: block.items,
    parts: [],
    withheld: false,
    attached: [...counts.values()].reduce((sum, count) => sum + count, 0),
  };
}

/** The turn that is answered, as far as it is in the prompt before anything is found for it. */
export function attachedTurn({ asked, attached = [] }: PlanRequest, block: AttachedBlock): PastTurn {
  return {
    id: asked.id,
    number: asked.number,
    version: 0,
    messages: [attachedMessage(block, sectionCounts(attached))],
    block: null,
    sentBlock: null,
    madeFrom: [],
    itemText: '',
    callsAt: null,
    changedResults: [],
  };
}
