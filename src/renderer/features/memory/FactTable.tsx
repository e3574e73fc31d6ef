import { Checkbox, TextInput } from '@mantine/core';
import { IconPinFilled } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Fact } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { useLanguage } from '../../context.tsx';
import { formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';
import type { MemoryStore } from './memoryStore.ts';
import type { FactActions } from './useFactActions.ts';

const ROW_PX = 40;
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

interface Props {
  store: MemoryStore;
  facts: readonly Fact[];
  actions: FactActions;
}

/** A row for each fact; only those in view are in the page. Enter edits, Space ticks, Delete forgets, P pins. */
export function FactTable({ store, facts, actions }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const { selectedId, ticked } = useStore(store);
  const [editingId, setEditingId] = useState<FactId | null>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: facts.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  });
  const focusRow = (id: FactId) => {
    const focus = () => scroll.current?.querySelector<HTMLElement>(`[data-fact="${id}"]`)?.focus();
    // At once, so that the next key is the row's; a row that is only being scrolled to is there a frame later.
    focus();
    requestAnimationFrame(focus);
  };
  const selectAt = (index: number) => {
    const at = Math.max(0, Math.min(facts.length - 1, index));
    const fact = facts[at];
    if (!fact) return;
    virtualizer.scrollToIndex(at);
    store.getState().select(fact.id);
    focusRow(fact.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement && event.target.type === 'text') return;
    const at = facts.findIndex((fact) => fact.id === selectedId);
    const fact = facts[at];
    const step = STEPS[event.key];
    if (step !== undefined) selectAt(at + step);
    else if (!fact) return;
    else if (event.key === 'Enter' || event.key === 'F2') setEditingId(fact.id);
    else if (event.key === ' ') store.getState().tick([fact.id], !ticked.has(fact.id));
    else if (event.key === 'Delete') {
      actions.remove(ticked.size > 0 ? [...ticked] : [fact.id]);
      selectAt(at + (at + 1 < facts.length ? 1 : -1));
    } else if (event.key.toLowerCase() === 'p' && !event.ctrlKey && !event.metaKey) {
      actions.change(fact, { pinned: !fact.pinned });
    } else return;
    event.preventDefault();
  };
  const allTicked = facts.length > 0 && facts.every((fact) => ticked.has(fact.id));
  return (
    <div role="grid" className="main" aria-label={t('memory.tab.facts')} aria-rowcount={facts.length}>
      <div className="table-head fact-columns" role="row" tabIndex={-1}>
        <span role="columnheader" tabIndex={-1}>
          <Checkbox
            size="xs"
            aria-label={t('memory.tickAll')}
            checked={allTicked}
            indeterminate={ticked.size > 0 && !allTicked}
            onChange={(event) =>
              store.getState().tick(
                facts.map(({ id }) => id),
                event.currentTarget.checked,
              )
            }
          />
        </span>
        {(['content', 'kind', 'subjects', 'learnt'] as const).map((column) => (
          <span key={column} role="columnheader" tabIndex={-1}>
            {t(`memory.columns.${column}`)}
          </span>
        ))}
      </div>
      <div ref={scroll} className="scroll" role="rowgroup" onKeyDown={onKeyDown}>
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map((item) => {
            const fact = facts[item.index];
            if (!fact) return null;
            return (
              <div
                key={fact.id}
                role="row"
                data-fact={fact.id}
                className="table-row fact-columns"
                data-gone={fact.status !== 'current'}
                aria-selected={fact.id === selectedId}
                aria-rowindex={item.index + 1}
                tabIndex={fact.id === selectedId || (selectedId === null && item.index === 0) ? 0 : -1}
                style={{ position: 'absolute', top: 0, left: 0, transform: `translateY(${item.start}px)` }}
                onClick={() => store.getState().select(fact.id)}
                onFocus={() => selectedId === null && store.getState().select(fact.id)}
                onDoubleClick={() => setEditingId(fact.id)}
                onKeyDown={() => undefined}
              >
                <span role="gridcell" tabIndex={-1}>
                  <Checkbox
                    size="xs"
                    tabIndex={-1}
                    aria-label={t('memory.tick', { content: fact.content })}
                    checked={ticked.has(fact.id)}
                    onClick={(event) => event.stopPropagation()}
                    onChange={(event) => store.getState().tick([fact.id], event.currentTarget.checked)}
                  />
                </span>
                <span role="gridcell" tabIndex={-1} className="cell">
                  {editingId === fact.id ? (
                    <InlineEdit
                      fact={fact}
                      onEnd={(content, byKey) => {
                        setEditingId(null);
                        if (content !== null && content !== fact.content) actions.change(fact, { content });
                        if (byKey) focusRow(fact.id);
                      }}
                    />
                  ) : (
                    <>
                      {fact.pinned && <IconPinFilled size={12} aria-label={t('memory.pinned')} />}{' '}
                      {fact.content}
                    </>
                  )}
                </span>
                <span role="gridcell" tabIndex={-1} className="cell muted">
                  {fact.status === 'current'
                    ? t(`memory.kinds.${fact.kind}`)
                    : t(`memory.status.${fact.status}`)}
                </span>
                <span role="gridcell" tabIndex={-1} className="cell muted">
                  {fact.subjects.join(', ')}
                </span>
                <span role="gridcell" tabIndex={-1} className="cell muted">
                  {formatWhen(fact.createdAt, now, language)}
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface InlineEditProps {
  fact: Fact;
  /** `byKey`: the focus is still here; else it has gone where the user put it. */
  onEnd: (content: string | null, byKey: boolean) => void;
}

function InlineEdit({ fact, onEnd }: InlineEditProps) {
  const { t } = useTranslation();
  const [content, setContent] = useState(fact.content);
  const ended = useRef(false);
  const end = (next: string | null, byKey: boolean) => {
    // Leaving by a key moves the focus, which is another way of leaving.
    if (ended.current) return;
    ended.current = true;
    onEnd(next, byKey);
  };
  return (
    <TextInput
      size="xs"
      autoFocus
      aria-label={t('memory.edit')}
      maxLength={2_000}
      value={content}
      onChange={(event) => setContent(event.currentTarget.value)}
      onBlur={() => end(content.trim() || null, false)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) end(content.trim() || null, true);
        if (event.key === 'Escape') end(null, true);
      }}
    />
  );
}
