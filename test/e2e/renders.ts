import type { Page } from '@playwright/test';

export interface Renders {
  /** Function components that rendered, by the part of the window that contains them. */
  components: number;
  /** Turns in which something rendered. */
  turns: string[];
  /** Components that rendered in rows of the sidebar. */
  rows: number;
  commits: number;
}

/** Counts what React renders from now on. Call it before the page is opened. */
export async function countRenders(page: Page): Promise<void> {
  await page.addInitScript(installHook);
}

/** Returns what rendered since the last call. */
export async function takeRenders(page: Page): Promise<Renders> {
  return page.evaluate(() => {
    const counter = (window as unknown as { renders: { take(): Renders } }).renders;
    return counter.take();
  });
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
  const counts = { components: 0, commits: 0, turns: new Set<string>(), rows: 0 };

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
      counts.commits += 1;
      visit(root.current, root.current.alternate, null, false);
    },
  };
  Object.assign(window, {
    __REACT_DEVTOOLS_GLOBAL_HOOK__: hook,
    renders: {
      take: () => {
        const { components, commits, turns, rows } = counts;
        const taken = { components, commits, turns: [...turns], rows };
        counts.components = 0;
        counts.commits = 0;
        turns.clear();
        counts.rows = 0;
        return taken;
      },
    },
  });
}
