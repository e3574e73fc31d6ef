import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { NoteFilter } from '../../../shared/contract/notes.ts';
import type { NoteId } from '../../../shared/ids.ts';
import { paneStore, useApp, useAttempt, useLanguage, useRead } from '../../context.tsx';
import { formatNumber } from '../../ui/format.ts';
import { ReadState } from '../../ui/ReadState.tsx';
import { IndexingBar } from './IndexingBar.tsx';
import { NotesTable } from './NotesTable.tsx';
import { NoteView } from './NoteView.tsx';
import { createNotesStore } from './notesStore.ts';

const FILTERS: readonly NoteFilter[] = ['all', 'indexed', 'pending', 'problems'];

const useNotesStore = paneStore(createNotesStore);

export function NotesPane() {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const store = useNotesStore();
  // During indexing, rows change many times a second.
  const revision = useThrottledValue(
    useApp((state) => state.notesRevision),
    500,
  );
  const vaults = useApp((state) => state.vaults);
  const noteId = useApp((state) => state.place.noteId);
  const { counts, filter, query, vaultId, rows } = useStore(store);

  const read = useRead(store.getState().refresh, revision);

  useEffect(() => {
    if (noteId !== undefined) void attempt(() => store.getState().select(noteId as NoteId));
  }, [attempt, store, noteId]);

  const failed = rows.filter((row) => row.status === 'failed');
  return (
    <div className="columns">
      <section className="main" aria-label={t('notes.title')}>
        {vaults.map((vault) => (
          <IndexingBar key={vault.id} vault={vault} />
        ))}
        <div className="filters">
          <SegmentedControl
            size="xs"
            aria-label={t('notes.columns.status')}
            value={filter}
            onChange={(value) => void attempt(() => store.getState().setFilter(value))}
            data={FILTERS.map((value) => ({
              value,
              label: `${t(`notes.filter.${value}`)} ${counts ? formatNumber(counts[value], language) : ''}`,
            }))}
          />
          <TextInput
            data-pane-search
            size="xs"
            w={220}
            leftSection={<IconSearch size={14} />}
            placeholder={t('notes.search')}
            aria-label={t('notes.search')}
            value={query}
            onChange={(event) => {
              const { value } = event.currentTarget;
              void attempt(() => store.getState().setQuery(value));
            }}
          />
          {vaults.length > 1 && (
            <Select
              size="xs"
              w={170}
              aria-label={t('notes.vault')}
              allowDeselect={false}
              value={vaultId ?? ''}
              onChange={(value) => void attempt(() => store.getState().setVault(value || null))}
              data={[
                { value: '', label: t('notes.allVaults') },
                ...vaults.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
          )}
          {filter === 'problems' && failed.length > 0 && (
            <Button
              size="xs"
              variant="default"
              onClick={() => void attempt(() => store.getState().retry(failed.map((row) => row.id)))}
            >
              {t('notes.retryAll')}
            </Button>
          )}
        </div>
        {read.state === 'ready' ? <NotesTable store={store} /> : <ReadState read={read} />}
      </section>
      <NoteView store={store} />
    </div>
  );
}
