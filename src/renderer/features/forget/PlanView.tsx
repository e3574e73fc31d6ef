import { Alert, Skeleton, Tabs } from '@mantine/core';
import { type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FORGET_GROUPS, type ForgetGroup, type ForgetPlan } from '../../../shared/contract/forget.ts';
import { useLanguage } from '../../context.tsx';
import { formatNumber } from '../../ui/format.ts';
import { useDelayed } from '../../ui/useDelayed.ts';
import { PlanItems } from './PlanItems.tsx';
import type { Mode } from './subjects.ts';
import { isTicked, type Ticks, withTicks } from './ticks.ts';
import { Untouched } from './Untouched.tsx';
import type { Planning } from './usePlan.ts';

const TABS = [...FORGET_GROUPS, 'untouched'] as const;
type Tab = (typeof TABS)[number];

interface Props {
  planning: Planning;
  mode: Mode;
  ticks: Ticks;
  onTicks: (ticks: Ticks) => void;
  /** True until the first row has taken the focus. */
  wantsFocus: boolean;
  onFocused: () => void;
  /** Enter was pressed in the list. */
  onDone: () => void;
  /** Element around the plan. */
  box: RefObject<HTMLDivElement | null>;
}

/** What would go: groups on the left, the items of one on the right. */
export function PlanView({ planning, box, ...choice }: Props) {
  const { t } = useTranslation();
  const isLate = useDelayed(planning.state === 'planning');
  const { plan } = planning;
  if (planning.state === 'none') return <p className="turns muted forget-empty">{t('forget.start')}</p>;
  if (isLate || !plan)
    return planning.problem === '' ? (
      <div className="main" role="status" aria-busy aria-label={t('common.loading')}>
        {isLate && (
          <div className="passage skeletons">
            <Skeleton height={40} />
            <Skeleton height={40} />
            <Skeleton height={40} />
          </div>
        )}
      </div>
    ) : (
      <div className="main" />
    );
  return (
    <div ref={box} className="forget-plan">
      <Groups plan={plan} {...choice} />
    </div>
  );
}

function Groups({
  plan,
  mode,
  ticks,
  onTicks,
  wantsFocus,
  onFocused,
  onDone,
}: Omit<Props, 'planning' | 'box'> & { plan: ForgetPlan }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [chosen, setChosen] = useState<Tab | null>(null);
  const tabs = useRef<HTMLDivElement>(null);
  const itemsOf = (group: ForgetGroup) => plan.groups.find((one) => one.group === group)?.items ?? [];
  const { notes, backups } = plan.untouched;
  const isEmpty = plan.groups.every(({ items }) => items.length === 0);
  // The first group of which something is to go; what the user unticks does not change it.
  const first =
    FORGET_GROUPS.find((group) => itemsOf(group).some(({ ticked }) => ticked)) ??
    FORGET_GROUPS.find((group) => itemsOf(group).length > 0) ??
    'untouched';
  // A group that has become empty is left.
  const tab = chosen === 'untouched' || (chosen !== null && itemsOf(chosen).length > 0) ? chosen : first;
  const label = (group: Tab): string => {
    if (group === 'untouched') return formatNumber(notes.length + backups.length, language);
    const items = itemsOf(group);
    const ticked = items.filter((item) => isTicked(ticks, group, item)).length;
    return `${formatNumber(ticked, language)}/${formatNumber(items.length, language)}`;
  };
  return (
    <Tabs
      className="forget-tabs"
      orientation="vertical"
      variant="pills"
      keepMounted={false}
      value={tab}
      onChange={(value) => setChosen(value as Tab)}
    >
      <Tabs.List
        ref={tabs}
        aria-label={t('forget.plan')}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowRight' && event.key !== 'Enter') return;
          event.preventDefault();
          focusFirstRow(tabs.current?.parentElement);
        }}
      >
        {TABS.map((group) => (
          <Tabs.Tab
            key={group}
            value={group}
            disabled={group !== 'untouched' && itemsOf(group).length === 0}
            rightSection={<span className="number">{label(group)}</span>}
          >
            {t(`forget.groups.${group}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {FORGET_GROUPS.map((group) => (
        <Tabs.Panel key={group} value={group} className="main">
          <PlanItems
            group={group}
            mode={mode}
            items={itemsOf(group)}
            ticks={ticks}
            onTick={(items, on) => onTicks(withTicks(ticks, group, { items, on }))}
            wantsFocus={wantsFocus}
            onFocused={onFocused}
            onDone={onDone}
            onBack={() => tabs.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()}
          />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value="untouched" className="scroll">
        {isEmpty && (
          <p className="passage" role="status">
            {t('forget.nothing')}
          </p>
        )}
        <Untouched untouched={plan.untouched} />
      </Tabs.Panel>
    </Tabs>
  );
}

/** Gives the focus to the row that keys begin at. */
export function focusFirstRow(within: Element | null | undefined): void {
  within?.querySelector<HTMLElement>('[data-row-id][tabindex="0"]')?.focus();
}

/** Why the plan could not be made or carried out, and a button that tries again. */
export function Problem({ children }: { children: React.ReactNode }) {
  return (
    <Alert color="red" radius={0} className="forget-problem">
      {children}
    </Alert>
  );
}
