import { SegmentedControl } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { FactId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt, useLanguage, useRead } from '../../context.tsx';
import { formatNumber } from '../../ui/format.ts';
import { ReadState } from '../../ui/ReadState.tsx';
import { ContextTab } from './ContextTab.tsx';
import { FactsTab } from './FactsTab.tsx';
import { GivenTab } from './GivenTab.tsx';
import { createMemoryStore, type MemoryTab } from './memoryStore.ts';
import { ReviewTab } from './ReviewTab.tsx';
import { createReviewStore, waiting } from './reviewStore.ts';
import { SearchTab } from './SearchTab.tsx';

const useMemoryStore = paneStore(createMemoryStore);
const useReviewStore = paneStore(createReviewStore);
const TABS: readonly MemoryTab[] = ['facts', 'search', 'review', 'given', 'context'];

/** Facts, search, what needs a look, what replies are given, and notes in context. */
export function MemoryPane() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const store = useMemoryStore();
  const tab = useStore(store, (state) => state.tab);
  const revision = useApp((state) => state.factsRevision);

  const read = useRead(store.getState().refresh, revision);
  const review = useReviewStore();
  const count = useStore(review, ({ counts }) => waiting(counts));
  useRead(review.getState().refresh, revision);

  const factId = useApp((state) => state.place.factId);
  const place = useApp((state) => state.place);
  useEffect(() => {
    const { review: group } = place;
    if (group === undefined) return;
    store.getState().setTab('review');
    void attempt(() => review.getState().setGroup(group));
  }, [attempt, store, review, place]);
  useEffect(() => {
    if (factId !== undefined) void attempt(() => store.getState().show(factId as FactId));
  }, [attempt, store, factId]);

  return (
    <div className="main memory">
      <div className="filters">
        <SegmentedControl
          size="xs"
          aria-label={t('nav.memory')}
          value={tab}
          onChange={(value) => store.getState().setTab(value)}
          data={TABS.map((value) => ({
            value,
            label: `${t(`memory.tab.${value}`)}${value === 'review' && count > 0 ? ` ${formatNumber(count, language)}` : ''}`,
          }))}
        />
      </div>
      {tab === 'facts' && (read.state === 'ready' ? <FactsTab store={store} /> : <ReadState read={read} />)}
      {tab === 'search' && <SearchTab store={store} />}
      {tab === 'review' && <ReviewTab memory={store} review={review} />}
      {tab === 'given' && <GivenTab />}
      {tab === 'context' && <ContextTab />}
    </div>
  );
}
