import { Button, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { useAttempt, useLanguage } from '../../context.tsx';
import { formatNumber, formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';
import { NoteStatusText } from './NoteStatusText.tsx';
import type { NotesStore } from './notesStore.ts';

const ROW_PX = 40;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

/** Every note, a row each; only the rows in view are in the page. */
export function NotesTable({ store }: { store: NotesStore }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const { rows, matching, selectedId, query, filter } = useStore(store);
  const scroll = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const items = virtualizer.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastIndex >= rows.length - 10 && rows.length < matching)
      void attempt(() => store.getState().loadMore());
  }, [attempt, lastIndex, matching, rows.length, store]);

  const selectAt = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    virtualizer.scrollToIndex(rows.indexOf(row));
    void attempt(() => store.getState().select(row.id));
    requestAnimationFrame(() =>
      scroll.current?.querySelector<HTMLElement>(`[data-note="${row.id}"]`)?.focus(),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    selectAt(rows.findIndex((row) => row.id === selectedId) + step);
  };
  const now = useNow();

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
    <div role="grid" className="main" aria-label={t('notes.title')} aria-rowcount={matching}>
      <div className="table-head" role="row" tabIndex={-1}>
        <span role="columnheader" tabIndex={-1}>
          {t('notes.columns.title')}
        </span>
        <span role="columnheader" tabIndex={-1}>
          {t('notes.columns.status')}
        </span>
        <span role="columnheader" tabIndex={-1} className="number">
          {t('notes.columns.passages')}
        </span>
        <span role="columnheader" tabIndex={-1}>
          {t('notes.columns.modified')}
        </span>
      </div>
      <div ref={scroll} className="scroll" role="rowgroup" onKeyDown={onKeyDown}>
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (!row) return null;
            return (
              <UnstyledButton
                key={row.id}
                role="row"
                data-note={row.id}
                className="table-row"
                aria-selected={row.id === selectedId}
                aria-rowindex={item.index + 1}
                tabIndex={row.id === selectedId || (selectedId === null && item.index === 0) ? 0 : -1}
                style={{ position: 'absolute', top: 0, left: 0, transform: `translateY(${item.start}px)` }}
                onClick={() => void attempt(() => store.getState().select(row.id))}
              >
                <span role="gridcell" tabIndex={-1} className="cell" title={row.path}>
                  {row.title} <span className="path">{row.path}</span>
                </span>
                <span role="gridcell" tabIndex={-1} className="cell">
                  <NoteStatusText note={row} />
                </span>
                <span role="gridcell" tabIndex={-1} className="number">
                  {formatNumber(row.chunks, language)}
                </span>
                <span role="gridcell" tabIndex={-1} className="cell muted">
                  {row.modifiedAt > 0 ? formatWhen(row.modifiedAt, now, language) : ''}
                </span>
              </UnstyledButton>
            );
          })}
        </div>
      </div>
    </div>
  );
}
