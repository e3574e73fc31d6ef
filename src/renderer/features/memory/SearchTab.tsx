import { SegmentedControl, TextInput, UnstyledButton } from '@mantine/core';
import {
  IconBookmark,
  IconFileText,
  IconMessage,
  IconPaperclip,
  IconSearch,
  IconStack2,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { SearchMode, SearchResult } from '../../../shared/contract/retrieval.ts';
import type { FactId } from '../../../shared/ids.ts';
import { useApp, useAttempt, useLanguage } from '../../context.tsx';
import { useChannelName } from '../../ui/channel.ts';
import { formatScore, formatWhen } from '../../ui/format.ts';
import { MarkedText } from '../../ui/MarkedText.tsx';
import { moveInList } from '../../ui/moveInList.ts';
import { placeLine } from '../../ui/place.ts';
import { useNow } from '../../ui/useNow.ts';
import type { MemoryStore } from './memoryStore.ts';
import { FilterChips, NothingFound, SearchFilters } from './SearchFilters.tsx';

const MODES: readonly SearchMode[] = ['hybrid', 'text', 'semantic'];
const ICONS = {
  note: IconFileText,
  turn: IconMessage,
  fact: IconBookmark,
  summary: IconStack2,
  attachment: IconPaperclip,
};
/** Pause in typing before the search runs. */
const REST_MS = 200;

/** Searches facts, notes and conversations by words, by meaning, or by both. */
export function SearchTab({ store }: { store: MemoryStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const { text, mode, parts, results } = useStore(store, (state) => state.search);

  const revision = useApp((state) => state.conversationsRevision);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is what makes it read again.
  useEffect(() => {
    void attempt(() => store.getState().readChoices());
  }, [attempt, store, revision]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these asks another question.
  useEffect(() => {
    const timer = setTimeout(() => void attempt(() => store.getState().runSearch()), REST_MS);
    return () => clearTimeout(timer);
  }, [attempt, store, text, mode, parts]);

  return (
    <section className="main" aria-label={t('memory.tab.search')}>
      <div className="filters">
        <TextInput
          data-pane-search
          flex={1}
          size="xs"
          leftSection={<IconSearch size={14} />}
          aria-label={t('memory.searchAll')}
          placeholder={t('memory.searchAll')}
          value={text}
          onChange={(event) => store.getState().setSearch({ text: event.currentTarget.value })}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('memory.mode')}
          value={mode}
          onChange={(value) => store.getState().setSearch({ mode: value })}
          data={MODES.map((value) => ({ value, label: t(`memory.modes.${value}`) }))}
        />
        <SearchFilters store={store} />
        <FilterChips store={store} />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside take the focus; this moves it among them. */}
      <div className="scroll" onKeyDown={(event) => moveInList(event, '[data-result]')}>
        {results === null && <p className="turns muted">{t('memory.searchHint')}</p>}
        {results?.length === 0 && <NothingFound store={store} />}
        {results?.map((result) => (
          <Result key={result.id} result={result} store={store} />
        ))}
      </div>
    </section>
  );
}

function Result({ result, store }: { result: SearchResult; store: MemoryStore }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const go = useApp((state) => state.go);
  const channelName = useChannelName();
  const Icon = ICONS[result.kind];
  const { noteId, conversationId } = result;
  const open = () => {
    if (noteId !== undefined) go({ pane: 'notes', noteId });
    else if (conversationId !== undefined)
      go({ pane: 'chat', conversationId, turnId: result.turnIds?.[0] ?? result.id });
    else {
      store.getState().select(result.id as FactId);
      store.getState().setTab('facts');
    }
  };
  return (
    <UnstyledButton data-result className="result" onClick={open}>
      <span className="number">{formatScore(result.score, language)}</span>
      <Icon size={15} color={`var(--kind-${result.kind})`} aria-label={t(`traces.kind.${result.kind}`)} />
      <span>
        <span className="result-place">{placeLine(result) || t(`traces.kind.${result.kind}`)}</span>{' '}
        {result.path !== undefined && <span className="path">{result.path}</span>}
        {result.channel !== undefined && <span className="muted">{channelName(result.channel)}</span>}
        <span className="result-text">
          <MarkedText text={result.excerpt} marks={result.marks} />
        </span>
        {result.respelled && <span className="muted">{t('traces.respelled', result.respelled)}</span>}
        {result.lowered && (
          <span className="muted">
            {t('traces.lowered', {
              was: formatScore(result.lowered.was, language),
              alike: formatScore(result.lowered.similarity, language),
            })}
          </span>
        )}
      </span>
      <span className="muted">
        {result.createdAt === undefined ? '' : formatWhen(result.createdAt, now, language)}
      </span>
    </UnstyledButton>
  );
}
