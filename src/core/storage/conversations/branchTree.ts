import type { TurnId } from '../../../shared/ids.ts';

/** A turn in the tree of its conversation. */
export interface TreeTurn {
  id: TurnId;
  /** Null for a first one. */
  parentId: TurnId | null;
  parentVersion: number | null;
  activeVersion: number;
  /** In which order the turns were made. */
  ordinal: number;
  /** Of several turns said after the same reply, the highest is shown; the latest of those that have the same. */
  picked: number;
  /** A turn that was forgotten stays in the tree, unseen: what was said after it is shown in its place. */
  isForgotten: boolean;
}

/** What follows from the tree for one of its turns. */
export interface Placed {
  /** Is it on the active path? */
  active: boolean;
  /** The first of the turns between which the user can switch, this one among them; null if there is no other. */
  fork: TurnId | null;
  /** Is another of these shown in its place? */
  replaced: boolean;
}

/** Who was said after which reply. */
export class BranchTree {
  readonly #turns: ReadonlyMap<TurnId, TreeTurn>;
  /** By the reply that they were said after; each list with what is shown first. */
  readonly #children: ReadonlyMap<string, readonly TreeTurn[]>;
  /** The replies of a turn that something was said after. */
  readonly #versions: ReadonlyMap<TurnId | null, ReadonlySet<number>>;

  /** @param turns all of a conversation, those that were forgotten among them, by ordinal */
  constructor(turns: readonly TreeTurn[]) {
    this.#turns = new Map(turns.map((turn) => [turn.id, turn]));
    const children = new Map<string, TreeTurn[]>();
    const versions = new Map<TurnId | null, Set<number>>();
    for (const [index, turn] of turns.entries()) {
      const { parentId, version } = this.#parentOf(turn, turns[index - 1]);
      const key = keyOf(parentId, version);
      const group = children.get(key);
      if (group) group.push(turn);
      else children.set(key, [turn]);
      versions.set(parentId, (versions.get(parentId) ?? new Set()).add(version));
    }
    for (const some of children.values()) some.sort(byPreference);
    this.#children = children;
    this.#versions = versions;
  }

  /** Of each turn that was not forgotten, whether it is shown, and between which others one can switch. */
  place(): Map<TurnId, Placed> {
    const placed = new Map<TurnId, Placed>();
    const inUse = [...this.#turns.values()].filter(({ isForgotten }) => !isForgotten);
    for (const { id } of inUse) placed.set(id, { active: false, fork: null, replaced: false });
    for (const parent of [null, ...inUse.map(({ id }) => id)])
      for (const version of this.#versions.get(parent) ?? []) {
        const group = this.#shownAfter(parent, version);
        if (group.length < 2) continue;
        const fork = group.reduce((first, turn) => (turn.ordinal < first.ordinal ? turn : first)).id;
        for (const [place, { id }] of group.entries())
          placed.set(id, { active: false, fork, replaced: place > 0 });
      }
    for (let turn = this.#next(null); turn; turn = this.#next(turn)) {
      const own = placed.get(turn.id);
      if (own) own.active = true;
    }
    return placed;
  }

  /** The turns that lead to a turn, itself last, forgotten ones among them. */
  pathTo(id: TurnId): TreeTurn[] {
    const path: TreeTurn[] = [];
    const seen = new Set<TurnId>();
    for (let turn = this.#turns.get(id); turn && !seen.has(turn.id); ) {
      seen.add(turn.id);
      path.push(turn);
      turn = turn.parentId === null ? undefined : this.#turns.get(turn.parentId);
    }
    return path.reverse();
  }

  /** The turns said after the same reply as a turn, itself among them, with what is shown first. */
  beside({ parentId, parentVersion }: TreeTurn): readonly TreeTurn[] {
    return this.#children.get(keyOf(parentId, parentVersion ?? 0)) ?? [];
  }

  /** A turn whose parent is gone, as after damage, follows the turn that was made before it. */
  #parentOf(turn: TreeTurn, before: TreeTurn | undefined): { parentId: TurnId | null; version: number } {
    const { parentId, parentVersion } = turn;
    if (parentId === null || this.#turns.has(parentId)) return { parentId, version: parentVersion ?? 0 };
    return { parentId: before?.id ?? null, version: before?.activeVersion ?? 0 };
  }

  #next(turn: TreeTurn | null): TreeTurn | undefined {
    return this.#shownAfter(turn?.id ?? null, turn?.activeVersion ?? 0)[0];
  }

  /** The turns after a reply between which one can switch, what is shown first: in the place of a forgotten one, what was said after it. */
  #shownAfter(parent: TurnId | null, version: number): TreeTurn[] {
    const shown: TreeTurn[] = [];
    const open = [...(this.#children.get(keyOf(parent, version)) ?? [])].reverse();
    for (let turn = open.pop(); turn; turn = open.pop()) {
      if (!turn.isForgotten) {
        shown.push(turn);
        continue;
      }
      const { id, activeVersion } = turn;
      const versions = [...(this.#versions.get(id) ?? [])].sort(
        (one, other) => Number(one === activeVersion) - Number(other === activeVersion) || one - other,
      );
      for (const one of versions) open.push(...[...(this.#children.get(keyOf(id, one)) ?? [])].reverse());
    }
    return shown;
  }
}

const keyOf = (id: TurnId | null, version: number): string => (id === null ? '' : `${id} ${version}`);

const byPreference = (one: TreeTurn, other: TreeTurn): number =>
  other.picked - one.picked || other.ordinal - one.ordinal;
