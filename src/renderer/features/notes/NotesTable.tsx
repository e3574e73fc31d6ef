import { Button } from '@mantine/core';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { NoteRow } from '../../../shared/contract/notes.ts';
import { useAttempt, useLanguage } from '../../context.tsx';
import { type Column, DataGrid } from '../../ui/DataGrid.tsx';
import { formatNumber, formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';
import { NoteStatusText } from './NoteStatusText.tsx';
import type { NotesStore } from './notesStore.ts';

/** Every note, a row each. */
export function NotesTable({ store }: { store: NotesStore }) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const columns = useNoteColumns();
  const { rows, matching, selectedId, query, filter } = useStore(store);
  const onNearEnd = useCallback(() => void attempt(() => store.getState().loadMore()), [attempt, store]);
  if (rows.length === 0) {
    const filtered = query !== '' || filter !== 'all';
    return (
      <div className="scroll">
        <div className="turns empty">
          <p className="muted">{filtered ? t('notes.noMatch') : t('notes.empty')}</p>
          {filtered && (
            <div>
              <Button
                variant="default"
                size="xs"
                onClick={() =>
                  void attempt(async () => {
                    await store.getState().setFilter('all');
                    await store.getState().setQuery('');
                  })
                }
              >
                {t('notes.clear')}
              </Button>
            </div>
          )}
        </div>
      </div>
    );
  }
  return (
    <DataGrid
      label={t('notes.title')}
      className="note-columns"
      columns={columns}
      rows={rows}
      total={matching}
      selectedId={selectedId}
      onSelect={(row) => void attempt(() => store.getState().select(row.id))}
      attributesOf={(row) => ({ 'data-note': row.id })}
      onNearEnd={onNearEnd}
    />
  );
}

function useNoteColumns(): Column<NoteRow>[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  return [
    {
      key: 'title',
      head: t('notes.columns.title'),
      cell: (row) => (
        <span title={row.path}>
          {row.title} <span className="path">{row.path}</span>
        </span>
      ),
    },
    { key: 'status', head: t('notes.columns.status'), cell: (row) => <NoteStatusText note={row} /> },
    {
      key: 'passages',
      head: t('notes.columns.passages'),
      className: 'number',
      cell: (row) => formatNumber(row.chunks, language),
    },
    {
      key: 'modified',
      head: t('notes.columns.modified'),
      className: 'muted',
      cell: (row) => (row.modifiedAt > 0 ? formatWhen(row.modifiedAt, now, language) : ''),
    },
  ];
}
