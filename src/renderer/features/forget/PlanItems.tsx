import { Checkbox, Switch } from '@mantine/core';
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ForgetGroup, PlannedItem } from '../../../shared/contract/forget.ts';
import { useLanguage } from '../../context.tsx';
import { formatScore, formatWhen } from '../../ui/format.ts';
import { MarkedText } from '../../ui/MarkedText.tsx';
import { useNow } from '../../ui/useNow.ts';
import { useRows } from '../../ui/useRows.ts';
import type { Mode } from './subjects.ts';
import { isTicked, type Ticks } from './ticks.ts';

/** Height of a row before it is measured, in pixels. */
const ROW_PX = 76;
const ALONGSIDE = ['revisions', 'summaries', 'traces', 'blocks', 'jobs'] as const;

interface Props {
  group: ForgetGroup;
  /** Of what kind the subject is: it tells why an item belongs. */
  mode: Mode;
  items: readonly PlannedItem[];
  ticks: Ticks;
  onTick: (items: readonly PlannedItem[], on: boolean) => void;
  /** True until the first row has taken the focus. */
  wantsFocus: boolean;
  onFocused: () => void;
  /** Enter was pressed on a row. */
  onDone: () => void;
  /** The left arrow was pressed on a row. */
  onBack: () => void;
}

/** The items of a group with why each is there. Arrows move, Space ticks, Enter goes on to the button. */
export function PlanItems(props: Props) {
  const { group, mode, items, ticks, onTick, wantsFocus, onFocused, onDone, onBack } = props;
  const { t } = useTranslation();
  const [showsRelevance, setShowsRelevance] = useState(false);
  const [activeId, setActiveId] = useState<string | null>(null);
  const { scroll, virtualizer, focusAt, target } = useRows({
    ids: useMemo(() => items.map(({ id }) => id), [items]),
    sizeAt: () => ROW_PX,
  });
  const ticked = items.filter((item) => isTicked(ticks, group, item)).length;
  const active = items.some(({ id }) => id === activeId) ? activeId : (items[0]?.id ?? null);

  const rows = virtualizer.getVirtualItems();
  const isShown = rows.length > 0;
  useEffect(() => {
    if (!isShown || !wantsFocus) return;
    focusAt(0);
    onFocused();
  }, [isShown, wantsFocus, onFocused, focusAt]);

  const onKeyDown = (event: KeyboardEvent) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row;
    const at = items.findIndex((item) => item.id === id);
    const item = items[at];
    if (!item) return;
    const to = target(event, at);
    if (to !== null) focusAt(to);
    else if (event.key === ' ') onTick([item], !isTicked(ticks, group, item));
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) onDone();
    else if (event.key === 'ArrowLeft') onBack();
    else return;
    event.preventDefault();
  };
  return (
    <div role="grid" className="main" aria-label={t(`forget.groups.${group}`)} aria-rowcount={items.length}>
      <div className="forget-head" role="row" tabIndex={-1}>
        <span role="columnheader" tabIndex={-1}>
          <Checkbox
            size="xs"
            label={t('memory.tickAll')}
            checked={ticked === items.length}
            indeterminate={ticked > 0 && ticked < items.length}
            onChange={(event) => onTick(items, event.currentTarget.checked)}
          />
        </span>
        {items.some(({ score }) => score !== null) && (
          <span role="columnheader" tabIndex={-1}>
            <Switch
              size="xs"
              label={t('forget.showRelevance')}
              checked={showsRelevance}
              onChange={(event) => setShowsRelevance(event.currentTarget.checked)}
            />
          </span>
        )}
      </div>
      <div ref={scroll} className="scroll" role="rowgroup" onKeyDown={onKeyDown}>
        <div className="virtual" style={{ height: virtualizer.getTotalSize() }}>
          {rows.map(({ index, start }) => {
            const item = items[index];
            if (!item) return null;
            const on = isTicked(ticks, group, item);
            return (
              <div
                key={item.id}
                ref={virtualizer.measureElement}
                data-index={index}
                role="row"
                data-row={item.id}
                data-row-id={item.id}
                data-ticked={on}
                className="forget-row virtual-row"
                aria-rowindex={index + 1}
                tabIndex={item.id === active ? 0 : -1}
                style={{ transform: `translateY(${start}px)` }}
                onFocus={() => setActiveId(item.id)}
                onClick={() => onTick([item], !on)}
                onKeyDown={() => undefined}
              >
                <span role="gridcell" tabIndex={-1}>
                  <Checkbox
                    size="xs"
                    tabIndex={-1}
                    aria-label={t('memory.tick', { content: item.text })}
                    checked={on}
                    onClick={(event) => event.stopPropagation()}
                    onChange={(event) => onTick([item], event.currentTarget.checked)}
                  />
                </span>
                <span role="gridcell" tabIndex={-1} className="forget-evidence">
                  <span className="forget-text">
                    <MarkedText text={item.text} marks={item.marks} />
                  </span>
                  <Why item={item} mode={mode} group={group} showsRelevance={showsRelevance} />
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface WhyProps extends Pick<Props, 'mode' | 'group'> {
  item: PlannedItem;
  showsRelevance: boolean;
}

/** Why an item is in the plan, where and when it was said, and what goes with it, on one line. */
function Why({ item, mode, group, showsRelevance }: WhyProps) {
  const { t } = useTranslation();
  const language = useLanguage();
  const now = useNow();
  const { reason, score, conversation, alongside } = item;
  const goes = ALONGSIDE.filter((kind) => alongside[kind] > 0).map((kind) =>
    t(`forget.alongside.${kind}`, { count: alongside[kind] }),
  );
  const belongs = mode === 'conversation' || mode === 'chosen' ? mode : ('period' as const);
  const parts: (string | false)[] = [
    reason === 'belongs' ? t(`forget.belongs.${belongs}`) : t(`forget.reason.${reason}`),
    showsRelevance && score !== null && t('forget.relevance', { score: formatScore(score, language) }),
    formatWhen(item.at, now, language),
    // The title itself is the text of a title.
    conversation !== null &&
      group !== 'titles' &&
      mode !== 'conversation' &&
      t('forget.in', { title: conversation }),
    goes.length > 0 && t('forget.goes', { what: goes.join(', ') }),
  ];
  return <span className="muted forget-why">{parts.filter(Boolean).join(' · ')}</span>;
}
