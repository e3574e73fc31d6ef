import { SegmentedControl } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { FactId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt, useRead } from '../../context.tsx';
import { ReadState } from '../../ui/ReadState.tsx';
import { ContextTab } from './ContextTab.tsx';
import { FactsTab } from './FactsTab.tsx';
import { GivenTab } from './GivenTab.tsx';
import { createMemoryStore, type MemoryTab } from './memoryStore.ts';
import { SearchTab } from './SearchTab.tsx';

const useMemoryStore = paneStore(createMemoryStore);
const TABS: readonly MemoryTab[] = ['facts', 'search', 'given', 'context'];

/** Facts, search, what replies are given, and notes in context. */
export function MemoryPane() {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const store = useMemoryStore();
  const tab = useStore(store, (state) => state.tab);
  const revision = useApp((state) => state.factsRevision);

  const read = useRead(store.getState().refresh, revision);

  const factId = useApp((state) => state.place.factId);
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
          data={TABS.map((value) => ({ value, label: t(`memory.tab.${value}`) }))}
        />
      </div>
      {tab === 'facts' && (read.state === 'ready' ? <FactsTab store={store} /> : <ReadState read={read} />)}
      {tab === 'search' && <SearchTab store={store} />}
      {tab === 'given' && <GivenTab />}
      {tab === 'context' && <ContextTab />}
    </div>
  );
}
