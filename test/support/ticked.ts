import { FORGET_GROUPS, type ForgetPlan, type Ticked } from '../../src/shared/contract/forget.ts';

/** What is ticked in a plan of forgetting from the start, by group. */
export const tickedOf = ({ groups }: ForgetPlan): Ticked =>
  Object.fromEntries(
    FORGET_GROUPS.map((name) => [
      name,
      groups.flatMap(({ group, items }) =>
        group === name ? items.filter(({ ticked }) => ticked).map(({ id }) => id) : [],
      ),
    ]),
  ) as unknown as Ticked;
