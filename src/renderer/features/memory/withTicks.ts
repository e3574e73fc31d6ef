/** What is ticked once `ids` are ticked or unticked. */
export function withTicks<Id>(ticked: ReadonlySet<Id>, ids: readonly Id[], on: boolean): Set<Id> {
  const next = new Set(ticked);
  for (const id of ids) {
    if (on) next.add(id);
    else next.delete(id);
  }
  return next;
}
