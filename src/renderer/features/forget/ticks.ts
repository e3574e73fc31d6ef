import type { ForgetGroup, ForgetPlan, PlannedItem, Ticked } from '../../../shared/contract/forget.ts';

/** What the user ticked or unticked in a plan, by group and id. */
export type Ticks = ReadonlyMap<string, boolean>;

const keyOf = (group: ForgetGroup, id: string) => `${group} ${id}`;

export const isTicked = (ticks: Ticks, group: ForgetGroup, item: PlannedItem): boolean =>
  ticks.get(keyOf(group, item.id)) ?? item.ticked;

export function withTicks(
  ticks: Ticks,
  group: ForgetGroup,
  { items, on }: { items: readonly PlannedItem[]; on: boolean },
): Ticks {
  const next = new Map(ticks);
  for (const { id } of items) next.set(keyOf(group, id), on);
  return next;
}

/** The ids that are ticked, by group. */
export function tickedOf({ groups }: ForgetPlan, ticks: Ticks): Ticked {
  const ids = (group: ForgetGroup) =>
    (groups.find((one) => one.group === group)?.items ?? []).flatMap((item) =>
      isTicked(ticks, group, item) ? [item.id] : [],
    );
  return {
    facts: ids('facts'),
    turns: ids('turns'),
    summaries: ids('summaries'),
    titles: ids('titles'),
  } as Ticked;
}

export const countOf = ({ facts, turns, summaries, titles }: Ticked): number =>
  facts.length + turns.length + summaries.length + titles.length;
