import { TextInput } from '@mantine/core';
import { IconPinFilled } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { Fact } from '../../../shared/contract/facts.ts';
import type { FactId } from '../../../shared/ids.ts';
import { useLanguage } from '../../context.tsx';
import { type Column, DataGrid } from '../../ui/DataGrid.tsx';
import { formatWhen } from '../../ui/format.ts';
import { useNow } from '../../ui/useNow.ts';
import type { MemoryStore } from './memoryStore.ts';
import { tickColumn } from './tickColumn.tsx';
import type { FactActions } from './useFactActions.ts';

interface Props {
  store: MemoryStore;
  facts: readonly Fact[];
  actions: FactActions;
}

/** A row for each fact. Enter edits, Space ticks, Shift with arrows or a click ticks from row to row, Delete forgets, P pins. */
export function FactTable({ store, facts, actions }: Props) {
  const { t } = useTranslation();
  const selectedId = useStore(store, (state) => state.selectedId);
  const [editingId, setEditingId] = useState<FactId | null>(null);
  const columns = useFactColumns({ store, facts, actions }, editingId, setEditingId);

  const onRowKey = (event: KeyboardEvent, fact: Fact, move: (step: number) => void): boolean => {
    const { ticked, tick } = store.getState();
    if (event.key === 'Enter' || event.key === 'F2') setEditingId(fact.id);
    else if (event.key === ' ') tick([fact.id], !ticked.has(fact.id));
    else if (event.key === 'Delete') {
      actions.remove(ticked.size > 0 ? [...ticked] : [fact.id]);
      move(fact.id === facts.at(-1)?.id ? -1 : 1);
    } else if (event.key.toLowerCase() === 'p' && !event.ctrlKey && !event.metaKey) {
      actions.change(fact, { pinned: !fact.pinned });
    } else return false;
    return true;
  };
  return (
    <DataGrid
      label={t('memory.tab.facts')}
      className="fact-columns"
      columns={columns}
      rows={facts}
      total={facts.length}
      selectedId={selectedId}
      onSelect={(fact) => store.getState().select(fact.id)}
      attributesOf={(fact) => ({
        'data-fact': fact.id,
        'data-gone': fact.status !== 'current',
        onDoubleClick: () => setEditingId(fact.id),
      })}
      onRange={(some) =>
        store.getState().tick(
          some.map(({ id }) => id),
          true,
        )
      }
      onRowKey={onRowKey}
    />
  );
}

function useFactColumns(
  { store, facts, actions }: Props,
  editingId: FactId | null,
  setEditingId: (id: FactId | null) => void,
): Column<Fact>[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const ticked = useStore(store, (state) => state.ticked);
  const { tick } = store.getState();
  const column = (
    key: 'content' | 'kind' | 'subjects' | 'learnt',
    cell: Column<Fact>['cell'],
    className = 'muted',
  ): Column<Fact> => ({ key, head: t(`memory.columns.${key}`), className, cell });

  return [
    tickColumn({ rows: facts, ticked, tick, textOf: ({ content }) => content }, t),
    column(
      'content',
      (fact, focusRow) =>
        editingId === fact.id ? (
          <InlineEdit
            fact={fact}
            onEnd={(content, byKey) => {
              setEditingId(null);
              if (content !== null && content !== fact.content) actions.change(fact, { content });
              if (byKey) focusRow();
            }}
          />
        ) : (
          <>
            {fact.pinned && <IconPinFilled size={12} aria-label={t('memory.pinned')} />} {fact.content}
          </>
        ),
      '',
    ),
    column('kind', (fact) =>
      fact.status === 'current' ? t(`memory.kinds.${fact.kind}`) : t(`memory.status.${fact.status}`),
    ),
    column('subjects', (fact) => fact.subjects.join(', ')),
    column('learnt', (fact) => formatWhen(fact.createdAt, now, language)),
  ];
}

interface InlineEditProps {
  fact: Fact;
  /** `byKey`: editing ended by a key, so the focus must be put back; otherwise it is where the user clicked. */
  onEnd: (content: string | null, byKey: boolean) => void;
}

function InlineEdit({ fact, onEnd }: InlineEditProps) {
  const { t } = useTranslation();
  const [content, setContent] = useState(fact.content);
  const ended = useRef(false);
  const end = (next: string | null, byKey: boolean) => {
    // Ending by a key moves the focus, and the loss of the focus would end it a second time.
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
