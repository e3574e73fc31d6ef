import type { Page } from '@playwright/test';

/** What rendered in one commit. */
interface Commit {
  /** Function components. */
  components: number;
  /** Turns in which something rendered. */
  turns: string[];
  /** Components in rows of the sidebar. */
  rows: number;
}

/** What rendered from one change of a turn to the next. */
export interface Step {
  components: number;
  /** Turns other than the one that changes. */
  otherTurns: number;
  rows: number;
}

/** Records what React renders from now on. Call it before the page is opened. */
export async function recordRenders(page: Page): Promise<void> {
  await page.addInitScript(installHook);
}

/** Returns what rendered since the last call, in order. */
export async function takeCommits(page: Page): Promise<Commit[]> {
  return page.evaluate(() => {
    const recorder = (window as unknown as { renders: { take(): Commit[] } }).renders;
    return recorder.take();
  });
}

/**
 * What one change of the turn that changes most often renders, and all that follows from it: the median over its changes. Whatever
 * renders for another reason meanwhile, such as the state of a job, does so a few times only.
 */
export function medianStep(commits: readonly Commit[]): Step {
  const times = new Map<string, number>();
  for (const turn of commits.flatMap(({ turns }) => turns)) times.set(turn, (times.get(turn) ?? 0) + 1);
  const [changing] = [...times].sort(([, a], [, b]) => b - a)[0] ?? [];
  const steps: Step[] = [];
  for (const { components, turns, rows } of commits) {
    if (changing !== undefined && turns.includes(changing))
      steps.push({ components: 0, otherTurns: 0, rows: 0 });
    const step = steps.at(-1);
    if (!step) continue;
    step.components += components;
    step.otherTurns += turns.filter((turn) => turn !== changing).length;
    step.rows += rows;
  }
  const median = (of: keyof Step) => {
    const values = steps.map((step) => step[of]).sort((a, b) => a - b);
    const middle = values[Math.floor(values.length / 2)];
    if (middle === undefined) throw new Error('no turn rendered');
    return middle;
  };
  return { components: median('components'), otherTurns: median('otherTurns'), rows: median('rows') };
}

/**
 * React passes every commit to the hook that its developer tools install, in production builds too. Compared with the tree
 * before, the fibers that did work carry the flag PerformedWork; the developer tools read it in the same way.
 */
function installHook(): void {
  interface Fiber {
    tag: number;
    type: unknown;
    flags: number;
    child: Fiber | null;
    sibling: Fiber | null;
    alternate: Fiber | null;
    memoizedProps: Record<string, unknown> | null;
  }
  const PERFORMED_WORK = 1;
  /** Function, forwardRef, memo, and memo of a plain function. */
  const COMPONENTS = new Set([0, 11, 14, 15]);
  const HOST = 5;
  let counts = { components: 0, turns: new Set<string>(), rows: 0 };
  let commits: Commit[] = [];

  const visit = (fiber: Fiber, before: Fiber | null, turn: string | null, isRow: boolean): void => {
    let [inTurn, inRow] = [turn, isRow];
    if (fiber.tag === HOST) {
      const props = fiber.memoizedProps ?? {};
      if (typeof props['data-turn'] === 'string') inTurn = props['data-turn'];
      inRow ||= props.className === 'row';
    }
    if (COMPONENTS.has(fiber.tag) && (before === null || (fiber.flags & PERFORMED_WORK) !== 0)) {
      counts.components += 1;
      if (inTurn !== null) counts.turns.add(inTurn);
      if (inRow) counts.rows += 1;
    }
    if (before !== null && fiber.child === before.child) return;
    for (let child = fiber.child; child !== null; child = child.sibling) {
      const old = before === null ? null : child.alternate;
      if (old !== child) visit(child, old, inTurn, inRow);
    }
  };

  const hook = {
    supportsFiber: true,
    isDisabled: false,
    renderers: new Map(),
    inject: () => 1,
    onCommitFiberUnmount: () => undefined,
    onPostCommitFiberRoot: () => undefined,
    onCommitFiberRoot: (_id: number, root: { current: Fiber }) => {
      counts = { components: 0, turns: new Set(), rows: 0 };
      visit(root.current, root.current.alternate, null, false);
      commits.push({ ...counts, turns: [...counts.turns] });
    },
  };
  Object.assign(window, {
    __REACT_DEVTOOLS_GLOBAL_HOOK__: hook,
    renders: {
      take: () => {
        const taken = commits;
        commits = [];
        return taken;
      },
    },
  });
}
