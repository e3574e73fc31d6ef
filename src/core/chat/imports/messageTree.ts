import { addProblem, type Problems } from './history.ts';

/** A message in the tree of a conversation. */
export interface TreeNode {
  id: string;
  /** Null at a root. */
  parent: string | null;
  /** Milliseconds since 1970; null if unknown. */
  at: number | null;
}

/** The nodes of a conversation as one tree. */
export interface Tree {
  /** Ids, each with that of the node that it follows; null at the beginning. Parents come first, and of siblings the earlier one. */
  nodes: { id: string; parent: string | null }[];
  /** The node up to which the user saw the conversation last; null of an empty one. */
  shown: string | null;
}

/**
 * The tree that nodes form. A part that hangs together with nothing, since a parent is missing or nodes are each other's parents, follows what was
 * shown last of the part before it; parts follow each other by date.
 * @param nodes with ids that differ
 * @param current the node that was shown last; where that is none of them, the latest leaf was
 */
export function messageTree(nodes: readonly TreeNode[], current: string | null, problems: Problems): Tree {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const order = new Map(nodes.map(({ id }, index) => [id, index]));
  const isLater = (one: TreeNode, other: TreeNode) =>
    (one.at ?? 0) - (other.at ?? 0) || (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0);
  const children = Map.groupBy(
    nodes.filter(({ parent }) => parent !== null && byId.has(parent)).sort(isLater),
    ({ parent }) => parent as string,
  );
  const seen = new Set<string>();
  const parts: Part[] = [];
  const follow = (roots: readonly TreeNode[]) => {
    const part: Part = { nodes: [], leaves: [], at: 0 };
    const open = roots.map((node) => ({ node, parent: null as string | null })).reverse();
    for (const { id } of roots) seen.add(id);
    for (let one = open.pop(); one; one = open.pop()) {
      const { node, parent } = one;
      part.nodes.push({ id: node.id, parent });
      const next = (children.get(node.id) ?? []).filter(({ id }) => !seen.has(id));
      for (const { id } of next) seen.add(id);
      open.push(...next.map((child) => ({ node: child, parent: node.id })).reverse());
      if (next.length === 0) part.leaves.push(node);
    }
    part.at = part.nodes.map(({ id }) => byId.get(id)?.at ?? null).find((at) => at !== null) ?? 0;
    if (part.nodes.length > 0) parts.push(part);
  };
  // A first message that was edited has its versions beside it.
  follow(nodes.filter(({ parent }) => parent === null).sort(isLater));
  for (const node of nodes) {
    if (node.parent === null || byId.has(node.parent)) continue;
    addProblem(problems, 'missing-parent');
    follow([node]);
  }
  // What no root leads to goes round in a circle, which is cut before its earliest node.
  for (const node of nodes.toSorted(isLater)) {
    if (seen.has(node.id)) continue;
    addProblem(problems, 'cycle');
    follow([node]);
  }
  const tree: Tree = { nodes: [], shown: null };
  for (const part of parts.sort((one, other) => one.at - other.at)) {
    for (const { id, parent } of part.nodes) tree.nodes.push({ id, parent: parent ?? tree.shown });
    const isHere = part.nodes.some(({ id }) => id === current);
    tree.shown = isHere ? current : (part.leaves.sort(isLater).at(-1)?.id ?? tree.shown);
  }
  return tree;
}

/** Nodes that hang together. */
interface Part {
  nodes: Tree['nodes'];
  leaves: TreeNode[];
  /** Date of its first node that has one. */
  at: number;
}
