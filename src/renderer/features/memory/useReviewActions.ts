import { useTranslation } from 'react-i18next';
import type { ReviewItem } from '../../../shared/contract/review.ts';
import type { FactId } from '../../../shared/ids.ts';
import { useAttempt } from '../../context.tsx';
import { showNotice, showUndo } from '../../ui/undo.tsx';
import type { MemoryStore } from './memoryStore.ts';
import type { ReviewStore } from './reviewStore.ts';

export interface ReviewActions {
  /** Makes one fact of a pair, or gives a fact another wording. */
  reword(item: ReviewItem, content: string): void;
  /** Merges each pair as it is proposed. A fact that is in several pairs is merged once. */
  mergeAll(items: readonly ReviewItem[]): void;
  keep(items: readonly ReviewItem[]): void;
  /** Forgets one fact of an item. */
  forget(item: ReviewItem, side: number): void;
  forgetAll(items: readonly ReviewItem[]): void;
  confirm(items: readonly ReviewItem[]): void;
  /** Ends conflicts with the facts note. */
  choose(items: readonly ReviewItem[], keep: 'fact' | 'note' | 'both'): void;
}

const idsOf = (item: ReviewItem): FactId[] => item.facts.map(({ id }) => id);

/** Acts of Review, each with its undo. */
export function useReviewActions(
  memory: MemoryStore,
  review: ReviewStore,
  onDone: () => void,
): ReviewActions {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const undo = t('common.undo');
  /** Does something, shows what, and goes on to the next item. */
  const act = (work: () => Promise<void>) =>
    void attempt(async () => {
      await work();
      await review.getState().refresh();
      onDone();
    });
  const undoing = (work: () => Promise<unknown>) => () =>
    void attempt(async () => {
      await work();
      await review.getState().refresh();
    });
  const forget = (ids: FactId[]) =>
    act(async () => {
      await memory.getState().remove(ids);
      showUndo(
        t('memory.removed', { count: ids.length }),
        undo,
        undoing(() => memory.getState().restore(ids)),
      );
    });
  return {
    reword: (item, content) =>
      act(async () => {
        const [fact] = item.facts;
        if (item.facts.length === 1 && fact) {
          await review.getState().changeStale(fact.id, content);
          return showUndo(
            t('memory.changed', { content }),
            undo,
            undoing(() => memory.getState().change(fact.id, { content: fact.content })),
          );
        }
        const { id } = await memory.getState().merge(idsOf(item), content);
        showUndo(
          t('memory.merged', { content }),
          undo,
          undoing(() => memory.getState().unmerge(id)),
        );
      }),
    mergeAll: (items) =>
      act(async () => {
        const gone = new Set<FactId>();
        const kept: FactId[] = [];
        for (const item of items) {
          const ids = idsOf(item);
          if (item.proposed === null || ids.some((id) => gone.has(id))) continue;
          const { id } = await memory.getState().merge(ids, item.proposed);
          kept.push(id);
          for (const one of ids) if (one !== id) gone.add(one);
        }
        showUndo(
          t('review.mergedAll', { count: kept.length }),
          undo,
          undoing(async () => {
            for (const id of kept.reverse()) await memory.getState().unmerge(id);
          }),
        );
      }),
    keep: (items) =>
      act(async () => {
        if (items.every(({ group }) => group === 'conflicts')) {
          for (const id of items.flatMap(idsOf)) await review.getState().settleConflict(id, 'both');
          return;
        }
        // What a note says by now is compared with from now on.
        if (items.every(({ group }) => group === 'stale'))
          return review.getState().keepStale(items.flatMap(idsOf));
        await review.getState().keep(items);
        showUndo(
          t('review.kept', { count: items.length }),
          undo,
          undoing(() => review.getState().unkeep(items)),
        );
      }),
    forget: (item, side) => forget(idsOf(item).slice(side, side + 1)),
    forgetAll: (items) => forget([...new Set(items.flatMap(idsOf))]),
    choose: (items, keep) =>
      act(async () => {
        for (const id of items.flatMap(idsOf)) await review.getState().settleConflict(id, keep);
      }),
    confirm: (items) =>
      act(async () => {
        const done = await review.getState().confirm(items.flatMap(idsOf));
        const ids = [...new Set(done.facts.map(({ id }) => id))];
        showNotice(t('review.confirmed', { count: items.length }), [
          { label: undo, run: undoing(() => review.getState().unconfirm(done.undo)) },
          { label: t('memory.forget'), run: undoing(() => memory.getState().remove(ids)) },
        ]);
      }),
  };
}
