import { useTranslation } from 'react-i18next';
import type { Fact } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { useAttempt } from '../../context.tsx';
import { showUndo } from '../../ui/undo.tsx';
import type { FactChange, MemoryStore } from './memoryStore.ts';

export interface FactActions {
  /** Returns whether the fact was stored. */
  add(content: string): Promise<boolean>;
  change(fact: Fact, change: FactChange): void;
  remove(ids: readonly FactId[]): void;
  merge(ids: readonly FactId[], content: string): void;
  unmerge(id: FactId): void;
}

/** Actions on facts, each with its undo. */
export function useFactActions(store: MemoryStore): FactActions {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const undo = t('common.undo');
  return {
    add: async (content) => {
      const stored = await attempt(async () => {
        const fact = await store.getState().add(content);
        showUndo(
          t('memory.added', { content }),
          undo,
          () => void attempt(() => store.getState().remove([fact.id])),
        );
        return true;
      });
      return stored === true;
    },
    change: (fact, change) =>
      void attempt(async () => {
        await store.getState().change(fact.id, change);
        const before = Object.fromEntries(
          Object.keys(change).map((key) => [key, fact[key as keyof Fact]]),
        ) as FactChange;
        showUndo(
          t('memory.changed', { content: change.content ?? fact.content }),
          undo,
          () => void attempt(() => store.getState().change(fact.id, before)),
        );
      }),
    merge: (ids, content) =>
      void attempt(async () => {
        const { id } = await store.getState().merge(ids, content);
        store.getState().select(id);
        showUndo(
          t('memory.merged', { content }),
          undo,
          () => void attempt(() => store.getState().unmerge(id)),
        );
      }),
    unmerge: (id) => void attempt(() => store.getState().unmerge(id)),
    remove: (ids) =>
      void attempt(async () => {
        await store.getState().remove(ids);
        showUndo(
          t('memory.removed', { count: ids.length }),
          undo,
          () => void attempt(() => store.getState().restore(ids)),
        );
      }),
  };
}
