import { addProblem, type Problems } from './history.ts';

/** A message in the tree of a conversation. */
export interface TreeNode {
  id: string;
  /** Null at a root. */
  parent: string | null;
  /** Milliseconds since 1970; null if unknown. */
  at: number | null;
}

/**
 * The nodes that the user saw last, from the root to `current`, or to the latest leaf where that is none of them. A part that hangs
 * together with nothing, since a parent is missing or nodes are each other's parents, gives its own path; parts follow each other by date.
 * @param nodes with ids that differ
 * @returns ids in order; what lies on other branches is left out and counted
 */
export function activePath(nodes: readonly TreeNode[], current: string | null, problems: Problems): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const order = new Map(nodes.map(({ id }, index) => [id, index]));
  const children = Map.groupBy(
    nodes.filter(({ parent }) => parent !== null && byId.has(parent)),
    ({ parent }) => parent as string,
  );
  const isLater = (one: TreeNode, other: TreeNode) =>
    (one.at ?? 0) - (other.at ?? 0) || (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0);
  const seen = new Set<string>();
  const paths: TreeNode[][] = [];
  const follow = (root: TreeNode) => {
    const parentOf = new Map<string, TreeNode | null>([[root.id, null]]);
    const open = [root];
    const leaves: TreeNode[] = [];
    for (let node = open.pop(); node; node = open.pop()) {
      const next = (children.get(node.id) ?? []).filter(({ id }) => !seen.has(id) && !parentOf.has(id));
      for (const child of next) parentOf.set(child.id, node);
      open.push(...next);
      if (next.length === 0) leaves.push(node);
    }
    for (const id of parentOf.keys()) seen.add(id);
    const chosen =
      current !== null && parentOf.has(current) ? byId.get(current) : leaves.sort(isLater).at(-1);
    const path: TreeNode[] = [];
    for (let node = chosen ?? null; node; node = parentOf.get(node.id) ?? null) path.push(node);
    paths.push(path.reverse());
  };
  for (const node of nodes) {
    if (node.parent !== null && byId.has(node.parent)) continue;
    if (node.parent !== null) addProblem(problems, 'missing-parent');
    follow(node);
  }
  // What no root leads to goes round in a circle, which is cut before its earliest node.
  for (const node of nodes.toSorted(isLater)) {
    if (seen.has(node.id)) continue;
    addProblem(problems, 'cycle');
    follow(node);
  }
  const dateOf = (path: readonly TreeNode[]) => path.find(({ at }) => at !== null)?.at ?? 0;
  return paths.sort((one, other) => dateOf(one) - dateOf(other)).flatMap((path) => path.map(({ id }) => id));
}
