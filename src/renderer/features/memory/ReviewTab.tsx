import { Button, SegmentedControl } from '@mantine/core';
import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import { REVIEW_GROUPS, type ReviewItem } from '../../../shared/contract/review.ts';
import { useApp, useAttempt, useLanguage, useRead } from '../../context.tsx';
import { type Column, DataGrid } from '../../ui/DataGrid.tsx';
import { formatNumber, formatWhen } from '../../ui/format.ts';
import { ReadState } from '../../ui/ReadState.tsx';
import { useNow } from '../../ui/useNow.ts';
import type { MemoryStore } from './memoryStore.ts';
import { keepLabel, ReviewDetail } from './ReviewDetail.tsx';
import type { ReviewStore } from './reviewStore.ts';
import { tickColumn } from './tickColumn.tsx';
import { type ReviewActions, useReviewActions } from './useReviewActions.ts';

interface Props {
  memory: MemoryStore;
  review: ReviewStore;
}

/** What needs a look: a bar of counts that is also the filter, the items of a group, and the selected one beside them. */
export function ReviewTab({ memory, review }: Props) {
  const { t } = useTranslation();
  const language = useLanguage();
  const attempt = useAttempt();
  const section = useRef<HTMLElement>(null);
  const { counts, group, items, selectedId, side, ticked } = useStore(review);
  const [rewordingId, setRewordingId] = useState<string | null>(null);
  const read = useRead(
    review.getState().open,
    useApp((state) => state.factsRevision),
  );
  // The row of the item that is next takes the focus, so that keys go on.
  const focusSelected = useCallback(() => {
    setRewordingId(null);
    const id = review.getState().selectedId;
    requestAnimationFrame(() =>
      section.current?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(id ?? '')}"]`)?.focus(),
    );
  }, [review]);
  const actions = useReviewActions(memory, review, focusSelected);
  const selected = items.find(({ id }) => id === selectedId) ?? null;
  useEffect(() => {
    const [first] = items;
    if (selectedId === null && first) review.getState().select(first.id);
  }, [items, selectedId, review]);

  if (read.state !== 'ready') return <ReadState read={read} />;
  const shown = REVIEW_GROUPS.filter((one) => counts[one] > 0 || one === group);
  if (REVIEW_GROUPS.every((one) => counts[one] === 0)) return <Nothing />;
  const chosen = items.filter(({ id }) => ticked.has(id));
  return (
    <section ref={section} className="main" aria-label={t('memory.tab.review')}>
      <div className="filters">
        <SegmentedControl
          size="xs"
          aria-label={t('review.groupsLabel')}
          value={group}
          onChange={(value) => void attempt(() => review.getState().setGroup(value))}
          data={shown.map((value) => ({
            value,
            label: `${t(`review.groups.${value}`)} ${formatNumber(counts[value], language)}`,
          }))}
        />
        {chosen.length > 0 && <Bulk items={chosen} actions={actions} />}
      </div>
      <div className="columns">
        <ReviewList review={review} actions={actions} onReword={(item) => setRewordingId(item.id)} />
        {selected && (
          <ReviewDetail
            key={selected.id}
            item={selected}
            side={side}
            rewording={rewordingId === selected.id}
            actions={actions}
            onRewording={(rewording) => {
              if (rewording) setRewordingId(selected.id);
              else focusSelected();
            }}
          />
        )}
      </div>
    </section>
  );
}

function Nothing() {
  const { t } = useTranslation();
  return (
    <section className="main" aria-label={t('memory.tab.review')}>
      <div className="main turns empty">
        <p>{t('review.nothing')}</p>
        <p className="muted">{t('review.nothingHint')}</p>
      </div>
    </section>
  );
}

/** Acts on all items that are selected. */
function Bulk({ items, actions }: { items: readonly ReviewItem[]; actions: ReviewActions }) {
  const { t } = useTranslation();
  const count = items.length;
  const isPairs = items[0]?.proposed !== null;
  const isPending = items[0]?.group === 'pending';
  const button = (label: string, onClick: () => void) => (
    <Button size="compact-sm" variant="default" onClick={onClick}>
      {label}
    </Button>
  );
  return (
    <>
      <span className="rail-spacer" />
      <span className="muted">{t('memory.ticked', { count })}</span>
      {isPending && button(t('review.confirm'), () => actions.confirm(items))}
      {isPairs && button(t('review.merge'), () => actions.mergeAll(items))}
      {!isPending && button(t(keepLabel(items[0]?.group ?? 'unused')), () => actions.keep(items))}
      {!isPairs && button(t('memory.forget'), () => actions.forgetAll(items))}
    </>
  );
}

interface ListProps {
  review: ReviewStore;
  actions: ReviewActions;
  onReword: (item: ReviewItem) => void;
}

/** A row for each item. J, N and arrows move, left and right choose a fact of a pair, Space ticks; M, K, F and Enter act. */
function ReviewList({ review, actions, onReword }: ListProps) {
  const { t } = useTranslation();
  const attempt = useAttempt();
  const columns = useReviewColumns(review);
  const { items, counts, group, selectedId } = useStore(review);
  const onNearEnd = useCallback(() => void attempt(() => review.getState().loadMore()), [attempt, review]);

  const onRowKey = (event: KeyboardEvent, item: ReviewItem, move: (step: number) => void): boolean => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const { ticked, tick, select, side } = review.getState();
    const several = items.filter(({ id }) => ticked.has(id));
    const all = several.length > 0 ? several : [item];
    const isPair = item.facts.length === 2;
    switch (event.key.length === 1 ? event.key.toLowerCase() : event.key) {
      case 'j':
      case 'n':
        move(event.shiftKey ? -1 : 1);
        return true;
      case 'ArrowLeft':
      case 'ArrowRight':
        if (isPair || group === 'conflicts') select(item.id, event.key === 'ArrowLeft' ? 0 : 1);
        return isPair || group === 'conflicts';
      case ' ':
        tick([item.id], !ticked.has(item.id));
        return true;
      case 'm':
        if (several.length > 0 && isPair) actions.mergeAll(several);
        else if (isPair || group === 'stale') onReword(item);
        return true;
      case 'k':
        if (group !== 'pending') actions.keep(all);
        return true;
      case 'f':
        if (several.length > 0 && !isPair) actions.forgetAll(several);
        else actions.forget(item, isPair ? side : 0);
        return true;
      case 'Enter':
        if (group === 'pending') actions.confirm(all);
        else if (group === 'stale') actions.keep(all);
        else if (group === 'conflicts') actions.choose(all, side === 1 ? 'note' : 'fact');
        return true;
      default:
        return false;
    }
  };
  return (
    <DataGrid
      label={t('memory.tab.review')}
      className="review-columns"
      columns={columns}
      rows={items}
      total={counts[group]}
      selectedId={selectedId}
      onSelect={(item) => review.getState().select(item.id)}
      onRange={(some) =>
        review.getState().tick(
          some.map(({ id }) => id),
          true,
        )
      }
      attributesOf={({ id }) => ({ 'data-review': id })}
      onRowKey={onRowKey}
      onNearEnd={onNearEnd}
    />
  );
}

function useReviewColumns(review: ReviewStore): Column<ReviewItem>[] {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const { items, ticked } = useStore(review);
  const { tick } = review.getState();
  const text = (item: ReviewItem) => item.facts.map(({ content }) => content).join(' ↔ ');
  return [
    tickColumn({ rows: items, ticked, tick, textOf: text }, t),
    { key: 'content', head: t('memory.columns.content'), cell: text },
    {
      key: 'at',
      head: t('review.since'),
      className: 'muted',
      cell: (item) => formatWhen(item.at, now, language),
    },
  ];
}
